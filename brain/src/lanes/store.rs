//! The ports of lanes.

use api_types::ids::{CommitId, LaneId, NodeBoot, Seq, SessionId};
use api_types::sessions::ThinkProcessStatus;
use async_trait::async_trait;

use super::entry::{Entry, LogRow};
use super::head::{Head, LaneView, Spec};
use super::inbox::{Class, Message, NewMessage, Outcome};
use crate::ctx::{OpCtx, SystemCtx};
use crate::port::{Page, Result, Slice};
use crate::runtime::Timestamp;

/// Largest commit, in bytes of its entries, head and outbox.
pub const COMMIT_BYTES_MAX: usize = 1024 * 1024;

/// The right to write a lane, as of an epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The tenant of the lane.
    pub tenant: api_types::ids::TenantId,
    /// The lane.
    pub lane: LaneId,
    /// Grows with each owner.
    pub epoch: u64,
    /// The owner.
    pub boot: NodeBoot,
}

/// Which entries of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// What clients are told of.
    Client,
    /// Chat messages.
    Chat,
    /// All.
    Steps,
}

/// Part of a log.
#[derive(Clone, Debug)]
pub struct LogSlice {
    /// The entries of the view, in order.
    pub rows: Vec<LogRow>,
    /// Everything up to here was looked at; go on after it.
    pub upto: Seq,
    /// The lane's last entry.
    pub tail: Seq,
    /// Entries before this one are gone.
    pub retained_from: Seq,
}

/// A process to be made.
#[derive(Clone, Debug)]
pub struct NewLane {
    /// Its id; making it again is a no-op.
    pub id: LaneId,
    /// What it is made from.
    pub spec: Spec,
    /// What it is.
    pub head: Head,
    /// Its first messages.
    pub messages: Vec<NewMessage>,
}

/// A message is durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enqueued {
    /// Its place in the inbox.
    pub seq: Seq,
    /// Its key was known: nothing was added.
    pub duplicate: bool,
}

/// What sending to a lane answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// One for each message, in order.
    pub messages: Vec<Enqueued>,
    /// The process's state at that moment.
    pub status: ThinkProcessStatus,
    /// Who owns the lane.
    pub owner: Option<NodeBoot>,
}

/// A message to a lane. Unless it has a key, it gets `{sender}/{tail after the commit}/{n}`, where
/// `n` counts all that the sender ever sent: commits without entries end at the same tail.
#[derive(Clone, Debug, PartialEq)]
pub struct Outgoing {
    /// The receiver. The lane itself: the message is queued by the same commit, even if the inbox
    /// is full.
    pub to: LaneId,
    /// The message.
    pub message: NewMessage,
}

/// One atomic write of a lane.
#[derive(Clone, Debug)]
pub struct LaneCommit {
    /// Sending it again answers the first receipt.
    pub id: CommitId,
    /// The lane's last entry, as the writer knows it.
    pub expect: Seq,
    /// Appended after it.
    pub entries: Vec<Entry>,
    /// Replaces the head.
    pub head: Option<Head>,
    /// Queued messages that the open turn takes; `Seq` = the turn.
    pub claim: Option<(Seq, Vec<Seq>)>,
    /// Messages, claimed or still queued, that are done with.
    pub settle: Vec<(Seq, Outcome)>,
    /// Messages to lanes.
    pub outbox: Vec<Outgoing>,
}

/// A commit happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The lane's last entry after it.
    pub tail: Seq,
}

/// How a lane may be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Takeover {
    /// Only if nobody owns it.
    Unowned,
    /// Also from these nodes, which are dead.
    From(Vec<NodeBoot>),
}

/// A lane that was taken.
#[derive(Clone, Debug)]
pub struct Owned {
    /// The right to write it.
    pub lease: Lease,
    /// The lane.
    pub lane: LaneView,
    /// All entries of its open turn, from `TurnOpened` on.
    pub open: Vec<LogRow>,
}

/// A lane that has something to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runnable {
    /// Its tenant.
    pub tenant: api_types::ids::TenantId,
    /// The lane.
    pub lane: LaneId,
}

/// Reads lanes; any node, no lease.
#[async_trait]
pub trait Read: std::marker::Send + Sync {
    /// The lane.
    async fn lane(&self, ctx: &OpCtx, lane: &LaneId) -> Result<LaneView>;
    /// The lanes of a session, in the order of their creation.
    async fn list(&self, ctx: &OpCtx, session: &SessionId, page: Page) -> Result<Slice<LaneView>>;
    /// Entries after `after`, at most `limit`. Only the chat reaches back before `retained_from`.
    async fn log(
        &self,
        ctx: &OpCtx,
        lane: &LaneId,
        after: Seq,
        view: View,
        limit: u32,
    ) -> Result<LogSlice>;
    /// The newest `limit` chat messages before `before`, oldest first.
    async fn chat_before(
        &self,
        ctx: &OpCtx,
        lane: &LaneId,
        before: Seq,
        limit: u32,
    ) -> Result<Vec<LogRow>>;
    /// Queued messages of a class, in order.
    async fn queued(
        &self,
        ctx: &OpCtx,
        lane: &LaneId,
        class: Class,
        limit: u32,
    ) -> Result<Vec<Message>>;
    /// Messages that a turn has claimed, in order.
    async fn claimed(&self, ctx: &OpCtx, lane: &LaneId, turn: Seq) -> Result<Vec<Message>>;
}

/// Sends to lanes; any node, no lease.
#[async_trait]
pub trait Send: std::marker::Send + Sync {
    /// Makes a process. Idempotent by its id.
    ///
    /// # Errors
    /// `AlreadyExists` when the session has another process of that name.
    async fn create(&self, ctx: &OpCtx, new: NewLane) -> Result<Sent>;
    /// Queues messages, all or none.
    ///
    /// # Errors
    /// `NotFound`; `Limit` when the inbox is full; `Conflict` when the process is closed.
    async fn enqueue(&self, ctx: &OpCtx, lane: &LaneId, messages: Vec<NewMessage>) -> Result<Sent>;
    /// Takes a message back. `false` when it is no longer queued.
    async fn discard(&self, ctx: &OpCtx, lane: &LaneId, message: Seq) -> Result<bool>;
}

/// Owns lanes; the runner only.
#[async_trait]
pub trait Own: std::marker::Send + Sync {
    /// Takes a lane: compare-and-set of its epoch. Whoever owns it may take it again, which fences
    /// the earlier lease: so an acquisition whose answer was lost is repeated.
    ///
    /// # Errors
    /// `Fenced` when someone else owns it.
    async fn acquire(
        &self,
        ctx: &OpCtx,
        lane: &LaneId,
        me: &NodeBoot,
        from: Takeover,
    ) -> Result<Owned>;
    /// Writes, if the lease's epoch and the expected tail hold.
    ///
    /// # Errors
    /// `Fenced`: someone else owns the lane, stop. `Conflict`: the tail differs, or (then `current`
    /// is the expected tail) a message was taken back meanwhile. `Unknown`: ask `receipt`.
    /// `Limit`: head, entry or commit too large; nothing was written.
    async fn commit(&self, lease: &Lease, write: LaneCommit) -> Result<Receipt>;
    /// Whether a commit happened.
    ///
    /// # Errors
    /// `Fenced`: the lane has another owner, and the store can't tell any more.
    async fn receipt(&self, lease: &Lease, id: &CommitId) -> Result<Option<Receipt>>;
    /// Gives a lane back. A lease that is no longer valid is ignored.
    async fn release(&self, lease: Lease) -> Result<()>;
}

/// Finds lanes that have something to do.
#[async_trait]
pub trait Sweep: std::marker::Send + Sync {
    /// Unowned lanes, or lanes of these dead nodes, with queued messages, a due time that is reached,
    /// or an open turn, unless that is parked: it waits for someone and has a due time.
    async fn runnable(
        &self,
        ctx: &SystemCtx,
        dead: &[NodeBoot],
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<Runnable>>;
    /// Delivers messages that commits left for other lanes, each once and in its sender's order;
    /// returns the receivers. Those to closed or unknown lanes are dropped, those to full ones wait.
    async fn deliver(&self, ctx: &SystemCtx, limit: u32) -> Result<Vec<Runnable>>;
    /// Boots of nodes that own lanes, except `me`: on an embedded store all of them are dead.
    async fn owners(&self, ctx: &SystemCtx, me: &NodeBoot) -> Result<Vec<NodeBoot>>;
}
