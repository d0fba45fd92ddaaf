//! The inbox, as writes change it. The lane's counters are changed in memory; whoever calls saves.

use api_types::ids::Seq;
use rusqlite::{Connection, OptionalExtension, params};

use super::prepared::PreparedMessage;
use super::rows::{CLAIMED, Key, Lane, QUEUED, class_code, outcome_code};
use crate::lanes::inbox::{Class, INBOX_CONTROL_ROWS_MAX, INBOX_ROWS_MAX, Outcome};
use crate::lanes::store::Enqueued;
use crate::port::{Error, Result};

impl Lane {
    fn queued_mut(&mut self, class: u8) -> &mut u64 {
        if class == class_code(Class::Work) { &mut self.work } else { &mut self.control }
    }

    /// Refuses a message that there is no room for.
    pub(super) fn has_room(&self, class: u8) -> Result<()> {
        let (queued, limit, max) = if class == class_code(Class::Work) {
            (self.work, "INBOX_ROWS_MAX", INBOX_ROWS_MAX)
        } else {
            (self.control, "INBOX_CONTROL_ROWS_MAX", INBOX_CONTROL_ROWS_MAX)
        };
        if queued < max { Ok(()) } else { Err(Error::Limit { limit, max }) }
    }

    fn is_drained(&self) -> bool {
        self.work + self.control + self.held == 0
    }
}

/// The place of the message with this key.
pub(super) fn known(conn: &Connection, key: &Key, message: &str) -> Result<Option<Seq>> {
    let mut find = conn.prepare_cached(
        "SELECT seq FROM lane_inbox WHERE tenant = ?1 AND lane = ?2 AND key = ?3",
    )?;
    let found =
        find.query_row(params![key.tenant.as_str(), key.lane.as_str(), message], |r| r.get(0));
    Ok(found.optional()?.map(Seq))
}

/// Queues a message whose key is not known, if it has any.
pub(super) fn insert(
    conn: &Connection,
    key: &Key,
    lane: &mut Lane,
    message: &PreparedMessage,
) -> Result<Enqueued> {
    let seq = lane.inbox_next;
    let mut insert = conn.prepare_cached(
        "INSERT INTO lane_inbox (tenant, lane, seq, state, class, key, body)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    insert.execute(params![
        key.tenant.as_str(),
        key.lane.as_str(),
        seq,
        QUEUED,
        message.class,
        message.key,
        message.text,
    ])?;
    lane.inbox_next += 1;
    *lane.queued_mut(message.class) += 1;
    Ok(Enqueued { seq: Seq(seq), duplicate: false })
}

/// Queues a message unless its key is known; `admit` may refuse a new one.
pub(super) fn insert_once(
    conn: &Connection,
    key: &Key,
    lane: &mut Lane,
    message: &PreparedMessage,
    admit: impl FnOnce(&Lane) -> Result<()>,
) -> Result<Enqueued> {
    if let Some(name) = &message.key
        && let Some(seq) = known(conn, key, name)?
    {
        return Ok(Enqueued { seq, duplicate: true });
    }
    admit(lane)?;
    insert(conn, key, lane, message)
}

/// A queued message becomes a turn's.
pub(super) fn claim(
    conn: &Connection,
    key: &Key,
    lane: &mut Lane,
    turn: Seq,
    seq: Seq,
) -> Result<()> {
    let mut claim = conn.prepare_cached(
        "UPDATE lane_inbox SET state = ?4, turn = ?5
         WHERE tenant = ?1 AND lane = ?2 AND seq = ?3 AND state = 0 RETURNING class",
    )?;
    let row = params![key.tenant.as_str(), key.lane.as_str(), seq.0, CLAIMED, turn.0];
    let class: Option<u8> = claim.query_row(row, |r| r.get(0)).optional()?;
    let class = class.ok_or_else(|| gone(lane, "queued", seq))?;
    *lane.queued_mut(class) -= 1;
    lane.held += 1;
    Ok(())
}

/// A claimed or queued message is done with.
pub(super) fn settle(
    conn: &Connection,
    key: &Key,
    lane: &mut Lane,
    seq: Seq,
    outcome: u8,
) -> Result<()> {
    let mut claimed = conn.prepare_cached(
        "UPDATE lane_inbox SET state = ?4
         WHERE tenant = ?1 AND lane = ?2 AND seq = ?3 AND state = 1",
    )?;
    let row = params![key.tenant.as_str(), key.lane.as_str(), seq.0, outcome];
    if claimed.execute(row)? == 1 {
        lane.held -= 1;
        return Ok(());
    }
    if settle_queued(conn, key, lane, seq, outcome)? {
        Ok(())
    } else {
        Err(gone(lane, "open", seq))
    }
}

/// A queued message is done with; `false` when it is not queued.
pub(super) fn settle_queued(
    conn: &Connection,
    key: &Key,
    lane: &mut Lane,
    seq: Seq,
    outcome: u8,
) -> Result<bool> {
    let mut settle = conn.prepare_cached(
        "UPDATE lane_inbox SET state = ?4
         WHERE tenant = ?1 AND lane = ?2 AND seq = ?3 AND state = 0 RETURNING class",
    )?;
    let row = params![key.tenant.as_str(), key.lane.as_str(), super::rows::sql_seq(seq), outcome];
    let class: Option<u8> = settle.query_row(row, |r| r.get(0)).optional()?;
    if let Some(class) = class {
        *lane.queued_mut(class) -= 1;
    }
    Ok(class.is_some())
}

/// The process is closed: nobody will read what is left.
pub(super) fn discard_all(conn: &Connection, key: &Key, lane: &mut Lane) -> Result<()> {
    if !lane.is_drained() {
        let mut discard = conn.prepare_cached(
            "UPDATE lane_inbox SET state = ?4
             WHERE tenant = ?1 AND lane = ?2 AND seq >= ?3 AND state <= 1",
        )?;
        discard.execute(params![
            key.tenant.as_str(),
            key.lane.as_str(),
            lane.inbox_oldest,
            outcome_code(Outcome::Discarded),
        ])?;
    }
    (lane.work, lane.control, lane.held) = (0, 0, 0);
    Ok(())
}

/// Moves the place that reads of open messages begin at, so that they never cross old ones.
pub(super) fn move_oldest(conn: &Connection, key: &Key, lane: &mut Lane) -> Result<()> {
    if lane.is_drained() {
        lane.inbox_oldest = lane.inbox_next;
        return Ok(());
    }
    let mut find = conn.prepare_cached(
        "SELECT seq FROM lane_inbox
         WHERE tenant = ?1 AND lane = ?2 AND seq >= ?3 AND state <= 1 ORDER BY seq LIMIT 1",
    )?;
    let row = params![key.tenant.as_str(), key.lane.as_str(), lane.inbox_oldest];
    let oldest = find.query_row(row, |r| r.get(0)).optional()?;
    lane.inbox_oldest = oldest.unwrap_or(lane.inbox_next);
    Ok(())
}

fn gone(lane: &Lane, state: &str, seq: Seq) -> Error {
    Error::Conflict {
        what: format!("message {seq} of the lane, which is not {state} any more,"),
        current: api_types::ids::Revision(lane.tail.0),
    }
}
