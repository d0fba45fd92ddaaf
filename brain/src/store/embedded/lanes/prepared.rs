//! Writes as text, measured before they reach the writer.

use api_types::ids::{LaneId, Seq};
use api_types::sessions::ThinkProcessStatus;
use serde::Serialize;

use super::rows::{class_code, outcome_code, status_text};
use crate::lanes::entry::{ENTRY_BYTES_MAX, Entry};
use crate::lanes::head::{HEAD_BYTES_MAX, Head};
use crate::lanes::inbox::{MESSAGE_BYTES_MAX, NewMessage};
use crate::lanes::store::{COMMIT_BYTES_MAX, LaneCommit, Outgoing};
use crate::port::{Error, Result};

/// Bit of an entry that clients are told of.
pub(super) const CLIENT: u8 = 1;
/// Bit of a chat message.
pub(super) const CHAT: u8 = 2;

/// An entry of the log.
pub(super) struct PreparedEntry {
    pub(super) views: u8,
    pub(super) text: String,
}

/// A head, and what is copied out of it.
pub(super) struct PreparedHead {
    pub(super) status: &'static str,
    pub(super) closed: bool,
    pub(super) open_turn: Option<Seq>,
    pub(super) open: bool,
    pub(super) due_at: Option<i64>,
    pub(super) retained_from: Seq,
    pub(super) text: String,
}

/// A message.
pub(super) struct PreparedMessage {
    pub(super) class: u8,
    pub(super) key: Option<String>,
    pub(super) text: String,
}

/// A commit without its id.
pub(super) struct PreparedCommit {
    pub(super) expect: Seq,
    pub(super) entries: Vec<PreparedEntry>,
    pub(super) head: Option<PreparedHead>,
    pub(super) claim: Option<(Seq, Vec<Seq>)>,
    pub(super) settle: Vec<(Seq, u8)>,
    pub(super) outbox: Vec<(LaneId, PreparedMessage)>,
}

pub(super) fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|e| Error::Internal(e.into()))
}

fn within(bytes: usize, max: usize, limit: &'static str) -> Result<usize> {
    if bytes > max { Err(Error::Limit { limit, max: max as u64 }) } else { Ok(bytes) }
}

/// Refuses what is too large as a whole.
pub(super) fn within_commit(bytes: usize) -> Result<()> {
    within(bytes, COMMIT_BYTES_MAX, "COMMIT_BYTES_MAX").map(|_| ())
}

impl PreparedEntry {
    fn new(entry: &Entry) -> Result<Self> {
        let text = json(entry)?;
        within(text.len(), ENTRY_BYTES_MAX, "ENTRY_BYTES_MAX")?;
        let views = u8::from(entry.is_client()) * CLIENT + u8::from(entry.is_chat()) * CHAT;
        Ok(Self { views, text })
    }
}

impl PreparedHead {
    pub(super) fn new(head: &Head) -> Result<Self> {
        let text = json(head)?;
        within(text.len(), HEAD_BYTES_MAX, "HEAD_BYTES_MAX")?;
        let closed = head.status == ThinkProcessStatus::Closed;
        // A turn that waits with a deadline is parked: the answer or the deadline wakes the lane.
        let parked = !head.awaits.is_empty() && head.due_at.is_some();
        Ok(Self {
            status: status_text(head.status),
            closed,
            open_turn: head.open_turn,
            open: head.open_turn.is_some() && !parked && !closed,
            due_at: head.due_at.filter(|_| !closed).map(|at| at.0),
            retained_from: head.retained_from,
            text,
        })
    }
}

impl PreparedMessage {
    fn new(message: &NewMessage) -> Result<Self> {
        let text = json(message)?;
        within(text.len(), MESSAGE_BYTES_MAX, "MESSAGE_BYTES_MAX")?;
        Ok(Self { class: class_code(message.body.class()), key: message.key.clone(), text })
    }

    /// Several that are sent together.
    pub(super) fn all(messages: &[NewMessage]) -> Result<Vec<Self>> {
        let all = messages.iter().map(Self::new).collect::<Result<Vec<_>>>()?;
        within_commit(all.iter().map(|m| m.text.len()).sum())?;
        Ok(all)
    }
}

impl PreparedCommit {
    pub(super) fn new(write: &LaneCommit) -> Result<Self> {
        let outgoing = |out: &Outgoing| Ok((out.to.clone(), PreparedMessage::new(&out.message)?));
        let prepared = Self {
            expect: write.expect,
            entries: write.entries.iter().map(PreparedEntry::new).collect::<Result<_>>()?,
            head: write.head.as_ref().map(PreparedHead::new).transpose()?,
            claim: write.claim.clone(),
            settle: write.settle.iter().map(|(seq, o)| (*seq, outcome_code(*o))).collect(),
            outbox: write.outbox.iter().map(outgoing).collect::<Result<_>>()?,
        };
        within_commit(prepared.bytes())?;
        Ok(prepared)
    }

    fn bytes(&self) -> usize {
        let entries: usize = self.entries.iter().map(|e| e.text.len()).sum();
        let outbox: usize = self.outbox.iter().map(|(_, m)| m.text.len()).sum();
        entries + outbox + self.head.as_ref().map_or(0, |head| head.text.len())
    }
}
