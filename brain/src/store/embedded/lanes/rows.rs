//! Rows and the values they stand for.

use api_types::ids::{LaneId, NodeBoot, Seq, TenantId};
use api_types::sessions::ThinkProcessStatus;
use rusqlite::{Connection, OptionalExtension, params};
use serde::de::DeserializeOwned;

use super::prepared::PreparedHead;
use super::receipts::Receipts;
use crate::lanes::entry::LogRow;
use crate::lanes::inbox::{Class, Message, Outcome, State};
use crate::port::{Error, Result};

/// A lane's key.
#[derive(Clone)]
pub(super) struct Key {
    pub(super) tenant: TenantId,
    pub(super) lane: LaneId,
}

impl Key {
    pub(super) fn new(tenant: &TenantId, lane: &LaneId) -> Self {
        Self { tenant: tenant.clone(), lane: lane.clone() }
    }

    pub(super) fn not_found(&self) -> Error {
        Error::NotFound { what: format!("process {}", self.lane) }
    }
}

/// What writes look at and change.
pub(super) struct Lane {
    pub(super) id: i64,
    pub(super) epoch: u64,
    pub(super) owner: Option<String>,
    pub(super) tail: Seq,
    pub(super) work: u64,
    pub(super) control: u64,
    pub(super) held: u64,
    pub(super) inbox_next: u64,
    pub(super) inbox_oldest: u64,
    pub(super) sent: u64,
    pub(super) receipts: Receipts,
    pub(super) status: String,
}

impl Lane {
    pub(super) fn find(conn: &Connection, key: &Key) -> Result<Option<Self>> {
        let mut find = conn.prepare_cached(
            "SELECT id, epoch, owner, tail, work, control, held, inbox_next, inbox_oldest, sent,
                receipts, status
             FROM lanes WHERE tenant = ?1 AND lane = ?2",
        )?;
        let found = find.query_row(params![key.tenant.as_str(), key.lane.as_str()], |row| {
            Ok(Self {
                id: row.get(0)?,
                epoch: row.get(1)?,
                owner: row.get(2)?,
                tail: Seq(row.get(3)?),
                work: row.get(4)?,
                control: row.get(5)?,
                held: row.get(6)?,
                inbox_next: row.get(7)?,
                inbox_oldest: row.get(8)?,
                sent: row.get(9)?,
                receipts: Receipts::from_stored(row.get(10)?),
                status: row.get(11)?,
            })
        });
        Ok(found.optional()?)
    }

    pub(super) fn get(conn: &Connection, key: &Key) -> Result<Self> {
        Self::find(conn, key)?.ok_or_else(|| key.not_found())
    }

    pub(super) fn is_closed(&self) -> bool {
        self.status == status_text(ThinkProcessStatus::Closed)
    }

    /// Writes what changed except head and owner.
    pub(super) fn save(&self, conn: &Connection) -> Result<()> {
        let mut save = conn.prepare_cached(
            "UPDATE lanes SET tail = ?2, work = ?3, control = ?4, held = ?5, inbox_next = ?6,
                inbox_oldest = ?7, sent = ?8, receipts = ?9
             WHERE id = ?1",
        )?;
        save.execute(params![
            self.id,
            self.tail.0,
            self.work,
            self.control,
            self.held,
            self.inbox_next,
            self.inbox_oldest,
            self.sent,
            self.receipts.stored(),
        ])?;
        Ok(())
    }

    /// Writes the same, and a new head.
    pub(super) fn save_with(&self, conn: &Connection, head: &PreparedHead) -> Result<()> {
        let mut save = conn.prepare_cached(
            "UPDATE lanes SET tail = ?2, work = ?3, control = ?4, held = ?5, inbox_next = ?6,
                inbox_oldest = ?7, sent = ?8, receipts = ?9, status = ?10, open_turn = ?11,
                open = ?12, due_at = ?13, retained_from = ?14, head = ?15
             WHERE id = ?1",
        )?;
        save.execute(params![
            self.id,
            self.tail.0,
            self.work,
            self.control,
            self.held,
            self.inbox_next,
            self.inbox_oldest,
            self.sent,
            self.receipts.stored(),
            head.status,
            head.open_turn.map(sql_seq),
            head.open,
            head.due_at,
            sql_seq(head.retained_from),
            head.text,
        ])?;
        Ok(())
    }
}

/// A place as SQLite can hold it; what is beyond can't exist.
pub(super) fn sql_seq(seq: Seq) -> i64 {
    i64::try_from(seq.0).unwrap_or(i64::MAX)
}

/// Reads what this store wrote.
pub(super) fn parse<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|e| Error::Internal(e.into()))
}

pub(super) fn parse_boot(text: &str) -> Result<NodeBoot> {
    text.parse().map_err(|e: api_types::ids::InvalidId| Error::Internal(e.into()))
}

pub(super) fn parse_log(rows: Vec<(u64, String)>) -> Result<Vec<LogRow>> {
    let row = |(seq, text): (u64, String)| Ok(LogRow { seq: Seq(seq), entry: parse(&text)? });
    rows.into_iter().map(row).collect()
}

pub(super) fn parse_messages(rows: Vec<(u64, String)>, state: State) -> Result<Vec<Message>> {
    let row =
        |(seq, text): (u64, String)| Ok(Message { seq: Seq(seq), state, message: parse(&text)? });
    rows.into_iter().map(row).collect()
}

pub(super) fn class_code(class: Class) -> u8 {
    match class {
        Class::Control => 0,
        Class::Work => 1,
    }
}

/// Queued.
pub(super) const QUEUED: u8 = 0;
/// Claimed; all codes above it are settled.
pub(super) const CLAIMED: u8 = 1;

pub(super) fn outcome_code(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Done => 2,
        Outcome::Cancelled => 3,
        Outcome::Failed => 4,
        Outcome::Discarded => 5,
    }
}

const STATUSES: [ThinkProcessStatus; 7] = [
    ThinkProcessStatus::Init,
    ThinkProcessStatus::Running,
    ThinkProcessStatus::Idle,
    ThinkProcessStatus::Blocked,
    ThinkProcessStatus::Paused,
    ThinkProcessStatus::Suspended,
    ThinkProcessStatus::Closed,
];

pub(super) fn status_text(status: ThinkProcessStatus) -> &'static str {
    match status {
        ThinkProcessStatus::Init => "INIT",
        ThinkProcessStatus::Running => "RUNNING",
        ThinkProcessStatus::Idle => "IDLE",
        ThinkProcessStatus::Blocked => "BLOCKED",
        ThinkProcessStatus::Paused => "PAUSED",
        ThinkProcessStatus::Suspended => "SUSPENDED",
        ThinkProcessStatus::Closed => "CLOSED",
    }
}

pub(super) fn parse_status(text: &str) -> Result<ThinkProcessStatus> {
    let found = STATUSES.into_iter().find(|status| status_text(*status) == text);
    found.ok_or_else(|| Error::Internal(format!("a lane has the status {text:?}").into()))
}
