//! One lane in memory: claims messages, runs turns, persists before it performs.

mod claim;
mod closing;
mod turn_loop;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use api_types::ids::{MessageId, Seq, SkillName};
use api_types::sessions::{CloseReason, ThinkProcessStatus};
use tokio::time::Instant;

use super::entry::{Entry, LogRow};
use super::head::LaneView;
use super::inbox::{Body, Class, INBOX_ROWS_MAX, Message, Outcome};
use super::shared::{LaneSignal, Shared};
use super::store::Owned;
use super::writer::{Lost, Write, Writer};
use crate::bus::{Signal, Topic};
use crate::ctx::OpCtx;
use crate::port;
use crate::runtime::Timestamp;
use crate::turns::chat::Chat;
use crate::turns::turn::Turn;

/// How long a lane without work stays in memory.
const IDLE_TIME_MAX: Duration = Duration::from_secs(60);
/// Control messages are looked for at least so often: the wake that tells of one may be lost.
const CONTROL_POLL: Duration = Duration::from_secs(1);
/// Rows of one read while the chat is loaded.
const CHAT_PAGE_ROWS: u32 = 1_000;

/// Why a lane stops running here.
enum Leave {
    /// It is lost, or can't be written.
    Lost(Lost),
    /// The node stops.
    Shutdown,
    /// The store can't be read; the sweep comes back to the lane.
    Unreadable(port::Error),
}

impl From<Lost> for Leave {
    fn from(lost: Lost) -> Self {
        Self::Lost(lost)
    }
}

impl From<port::Error> for Leave {
    fn from(error: port::Error) -> Self {
        Self::Unreadable(error)
    }
}

/// A lane that this node owns.
pub(super) struct Lane {
    ctx: OpCtx,
    view: LaneView,
    writer: Writer,
    shared: Arc<Shared>,
    signal: Arc<LaneSignal>,
    topic: Topic,
    chat: Chat,
    open: Vec<LogRow>,
    /// A control message may wait that no turn has looked at.
    control_waits: bool,
    /// When control messages were looked for last.
    control_read_at: Instant,
    /// Skills of which a notice said that they are left out: said once, not each turn.
    left_out: HashSet<SkillName>,
}

impl Lane {
    pub(super) fn new(
        ctx: OpCtx,
        owned: Owned,
        shared: Arc<Shared>,
        signal: Arc<LaneSignal>,
    ) -> Self {
        let Owned { lease, lane, open } = owned;
        let topic = Topic { tenant: ctx.tenant.clone(), session: lane.spec.session.clone() };
        let writer = Writer::new(
            Arc::clone(&shared.parts.own),
            lease,
            lane.tail,
            Arc::clone(&shared.parts.ids),
        );
        Self {
            ctx,
            view: lane,
            writer,
            shared,
            signal,
            topic,
            chat: Chat::default(),
            open,
            control_waits: true,
            control_read_at: Instant::now(),
            left_out: HashSet::new(),
        }
    }

    /// Runs until the lane is idle for long, closed or lost.
    #[tracing::instrument(skip_all, fields(tenant.id = %self.ctx.tenant, lane.id = %self.view.id))]
    pub(super) async fn run(mut self) {
        match self.live().await {
            Ok(()) | Err(Leave::Shutdown) => self.writer.release().await,
            Err(Leave::Lost(Lost::Fenced)) => tracing::info!("another node took the lane"),
            Err(Leave::Lost(Lost::Refused(port::Error::Conflict { .. }))) => {
                tracing::info!("a queued message was taken back meanwhile; the lane is read again");
                self.writer.release().await;
                self.signal.raise(true);
            }
            Err(Leave::Lost(Lost::Refused(error))) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "the lane can't be written; it is given back"
                );
                self.writer.release().await;
            }
            Err(Leave::Unreadable(error)) => {
                tracing::warn!(%error, "the lane can't be read; it is given back");
                self.writer.release().await;
            }
        }
    }

    async fn live(&mut self) -> Result<(), Leave> {
        self.load_chat().await?;
        if let Some(turn) = Turn::fold(&self.open) {
            self.run_turn(turn, true).await?;
        }
        loop {
            if self.shared.stopping.is_cancelled() {
                return Err(Leave::Shutdown);
            }
            if self.view.head.status == ThinkProcessStatus::Closed {
                return Ok(());
            }
            let work = self.queued(Class::Work).await?;
            self.idle_control(&work).await?;
            if work.is_empty() {
                if !self.wait_for_work().await {
                    return Ok(());
                }
            } else if self.view.head.status != ThinkProcessStatus::Closed {
                self.take(work).await?;
            }
        }
    }

    /// Waits for a wake; `false` when the lane shall leave memory.
    async fn wait_for_work(&self) -> bool {
        tokio::select! {
            () = self.signal.woken() => true,
            () = self.shared.stopping.cancelled() => true,
            () = tokio::time::sleep(IDLE_TIME_MAX) => false,
        }
    }

    async fn queued(&self, class: Class) -> Result<Vec<Message>, Leave> {
        let limit = u32::try_from(INBOX_ROWS_MAX).unwrap_or(u32::MAX);
        let read = &self.shared.parts.read;
        Ok(read.queued(&self.fresh_ctx(), &self.view.id, class, limit).await?)
    }

    /// The lane's context with a deadline from now: the lane itself has none.
    fn fresh_ctx(&self) -> OpCtx {
        OpCtx::new(self.ctx.tenant.clone(), self.ctx.actor.clone())
    }

    fn now(&self) -> Timestamp {
        self.shared.parts.clock.now()
    }

    async fn load_chat(&mut self) -> Result<(), Leave> {
        let mut before = self.view.tail.next();
        let mut pages = Vec::new();
        let mut budget = Chat::MESSAGES_MAX;
        while budget > 0 {
            let read = &self.shared.parts.read;
            let rows =
                read.chat_before(&self.fresh_ctx(), &self.view.id, before, CHAT_PAGE_ROWS).await?;
            let Some(first) = rows.first() else { break };
            before = first.seq;
            budget = budget.saturating_sub(rows.len());
            pages.push(rows);
        }
        // What an open turn was told after its first step belongs to its steps, not to the chat.
        let steered_from = self
            .open
            .iter()
            .find(|row| matches!(row.entry, Entry::Model { .. }))
            .map(|row| row.seq);
        let rows = pages.into_iter().rev().flatten();
        for row in rows.filter(|row| steered_from.is_none_or(|from| row.seq < from)) {
            self.chat.push(&row.entry);
        }
        Ok(())
    }

    /// Persists, then tells watchers. Returns the rows with their places.
    async fn commit(&mut self, mut write: Write) -> Result<Arc<Vec<LogRow>>, Lost> {
        write.head.get_or_insert_with(|| self.view.head.clone());
        let from = self.writer.tail().0 + 1;
        let rows = (from..)
            .zip(&write.entries)
            .map(|(seq, entry)| LogRow { seq: Seq(seq), entry: entry.clone() });
        let rows: Arc<Vec<LogRow>> = Arc::new(rows.collect());
        let tail = self.writer.commit(write).await?;
        let advanced =
            Signal::Advanced { lane: self.view.id.clone(), tail, rows: Arc::clone(&rows) };
        self.shared.parts.turns.bus.publish(&self.topic, advanced);
        Ok(rows)
    }

    /// Control messages while no turn runs. A cancel that is meant for queued work stays for the turn to see.
    async fn idle_control(&mut self, work: &[Message]) -> Result<(), Leave> {
        if !self.control_due() {
            return Ok(());
        }
        let control = self.queued(Class::Control).await?;
        let first_work = work.iter().map(|m| m.seq).min();
        let mut settle = Vec::new();
        for message in control {
            match &message.message.body {
                Body::Close => return self.close(message.seq).await,
                Body::Cancel { turn: None } if first_work.is_some_and(|seq| seq < message.seq) => {
                    self.control_waits = true;
                }
                _ => settle.push((message.seq, Outcome::Done)),
            }
        }
        if !settle.is_empty() {
            self.commit(Write { settle, ..Write::default() }).await?;
        }
        Ok(())
    }

    /// Ends the process. The store discards what is still queued.
    async fn close(&mut self, request: Seq) -> Result<(), Leave> {
        let head = &mut self.view.head;
        head.status = ThinkProcessStatus::Closed;
        head.close_reason = Some(CloseReason::AutoClose);
        let entry = Entry::Status { status: head.status, close_reason: head.close_reason };
        let settle = vec![(request, Outcome::Done)];
        self.commit(Write { entries: vec![entry], settle, ..Write::default() }).await?;
        Ok(())
    }

    fn message_id(&self) -> MessageId {
        MessageId::from_bits(self.shared.parts.ids.bits())
    }

    /// Whether control messages have to be looked for.
    fn control_due(&mut self) -> bool {
        let due = self.signal.take_control()
            || self.control_waits
            || self.control_read_at.elapsed() >= CONTROL_POLL;
        if due {
            self.control_read_at = Instant::now();
            self.control_waits = false;
        }
        due
    }
}
