//! What chores find. They belong to no tenant.

use api_types::ids::{InvalidId, InvalidName, NodeBoot};
use async_trait::async_trait;
use rusqlite::{Connection, params};

use super::prepared::PreparedMessage;
use super::rows::{Key, Lane, class_code, parse_boot};
use super::{inbox, soon};
use crate::ctx::SystemCtx;
use crate::lanes::inbox::{Class, INBOX_CONTROL_ROWS_MAX, INBOX_ROWS_MAX};
use crate::lanes::store::{Runnable, Sweep};
use crate::port::{Error, Result};
use crate::runtime::Timestamp;
use crate::store::embedded::Embedded;

#[async_trait]
impl Sweep for Embedded {
    async fn runnable(
        &self,
        _ctx: &SystemCtx,
        dead: &[NodeBoot],
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<Runnable>> {
        let dead = dead.to_vec();
        self.read(soon(), move |c| runnable(c, &dead, now, limit as usize)).await
    }

    async fn deliver(&self, _ctx: &SystemCtx, limit: u32) -> Result<Vec<Runnable>> {
        let nothing = |c: &Connection| {
            let mut any = c.prepare_cached("SELECT 1 FROM lane_outbox LIMIT 1")?;
            Ok(!any.exists([])?)
        };
        // Mostly so; then the writer is left alone.
        if self.read(soon(), nothing).await? {
            return Ok(Vec::new());
        }
        let (reached, lost) = self.write(soon(), move |c| deliver(c, limit)).await?;
        for lost in lost {
            tracing::warn!(lane.id = %lost.lane, message.key = lost.key,
                "a message was dropped: its receiver is closed or does not exist");
        }
        Ok(reached)
    }

    async fn owners(&self, _ctx: &SystemCtx, me: &NodeBoot) -> Result<Vec<NodeBoot>> {
        let me = me.clone();
        let job = move |c: &Connection| {
            let mut find = c.prepare_cached(
                "SELECT DISTINCT owner FROM lanes WHERE owner IS NOT NULL AND owner <> ?1",
            )?;
            let rows = find.query_map([me.as_str()], |r| r.get::<_, String>(0))?;
            Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?)
        };
        self.read(soon(), job).await?.iter().map(|text| parse_boot(text)).collect()
    }
}

/// Conditions as the partial indexes name them, or SQLite would not use them.
const WAITING: &str = "SELECT tenant, lane FROM lanes INDEXED BY lanes_waiting
     WHERE owner IS NULL AND (work > 0 OR control > 0 OR open = 1) LIMIT ?1";
const DUE: &str = "SELECT tenant, lane FROM lanes INDEXED BY lanes_due
     WHERE owner IS NULL AND due_at IS NOT NULL AND due_at <= ?2 ORDER BY due_at LIMIT ?1";
const ORPHANED: &str = "SELECT tenant, lane FROM lanes INDEXED BY lanes_owner
     WHERE owner = ?3 AND (work > 0 OR control > 0 OR open = 1 OR due_at <= ?2) LIMIT ?1";

fn runnable(
    conn: &Connection,
    dead: &[NodeBoot],
    now: Timestamp,
    limit: usize,
) -> Result<Vec<Runnable>> {
    let mut found = Vec::new();
    add(conn, WAITING, params![limit], limit, &mut found)?;
    add(conn, DUE, params![limit, now.0], limit, &mut found)?;
    for boot in dead {
        add(conn, ORPHANED, params![limit, now.0, boot.as_str()], limit, &mut found)?;
    }
    Ok(found)
}

fn add(
    conn: &Connection,
    sql: &str,
    row: &[&dyn rusqlite::ToSql],
    limit: usize,
    found: &mut Vec<Runnable>,
) -> Result<()> {
    if found.len() >= limit {
        return Ok(());
    }
    let mut find = conn.prepare_cached(sql)?;
    let mut rows = find.query(row)?;
    while let Some(row) = rows.next()?
        && found.len() < limit
    {
        let lane = parse_runnable(row.get(0)?, row.get(1)?)?;
        if !found.contains(&lane) {
            found.push(lane);
        }
    }
    Ok(())
}

fn parse_runnable(tenant: String, lane: String) -> Result<Runnable> {
    let tenant = tenant.try_into().map_err(|e: InvalidName| Error::Internal(e.into()))?;
    let lane = lane.try_into().map_err(|e: InvalidId| Error::Internal(e.into()))?;
    Ok(Runnable { tenant, lane })
}

/// A message on its way.
struct Parcel {
    sender: Key,
    n: i64,
    receiver: Key,
    message: PreparedMessage,
}

/// A message that nobody will read.
struct Lost {
    lane: String,
    key: String,
}

/// Full receivers keep theirs waiting, and are not in the way of others.
fn parcels(conn: &Connection, limit: u32) -> Result<Vec<Parcel>> {
    let mut find = conn.prepare_cached(
        "SELECT o.tenant, o.lane, o.n, o.receiver, o.class, o.key, o.body
         FROM lane_outbox o LEFT JOIN lanes l ON l.tenant = o.tenant AND l.lane = o.receiver
         WHERE l.id IS NULL OR (CASE o.class WHEN ?2 THEN l.work < ?3 ELSE l.control < ?4 END)
         ORDER BY o.tenant, o.lane, o.n LIMIT ?1",
    )?;
    let row = params![limit, class_code(Class::Work), INBOX_ROWS_MAX, INBOX_CONTROL_ROWS_MAX];
    let mut rows = find.query(row)?;
    let mut parcels = Vec::new();
    while let Some(row) = rows.next()? {
        let sender = parse_runnable(row.get(0)?, row.get(1)?)?;
        let receiver = parse_runnable(row.get(0)?, row.get(3)?)?;
        parcels.push(Parcel {
            sender: Key { tenant: sender.tenant, lane: sender.lane },
            n: row.get(2)?,
            receiver: Key { tenant: receiver.tenant, lane: receiver.lane },
            message: PreparedMessage {
                class: row.get(4)?,
                key: Some(row.get(5)?),
                text: row.get(6)?,
            },
        });
    }
    Ok(parcels)
}

fn deliver(conn: &Connection, limit: u32) -> Result<(Vec<Runnable>, Vec<Lost>)> {
    let (mut reached, mut lost) = (Vec::new(), Vec::new());
    for parcel in parcels(conn, limit)? {
        let to = &parcel.receiver;
        match Lane::find(conn, to)?.filter(|lane| !lane.is_closed()) {
            None => lost.push(Lost {
                lane: to.lane.to_string(),
                key: parcel.message.key.clone().unwrap_or_default(),
            }),
            // It filled up meanwhile.
            Some(lane) if lane.has_room(parcel.message.class).is_err() => continue,
            Some(mut lane) => {
                inbox::insert_once(conn, to, &mut lane, &parcel.message, |_| Ok(()))?;
                lane.save(conn)?;
                let lane = Runnable { tenant: to.tenant.clone(), lane: to.lane.clone() };
                if !reached.contains(&lane) {
                    reached.push(lane);
                }
            }
        }
        let (tenant, lane) = (parcel.sender.tenant.as_str(), parcel.sender.lane.as_str());
        conn.prepare_cached("DELETE FROM lane_outbox WHERE tenant = ?1 AND lane = ?2 AND n = ?3")?
            .execute(params![tenant, lane, parcel.n])?;
    }
    Ok((reached, lost))
}
