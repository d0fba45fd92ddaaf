//! One lane in memory: claims messages, runs turns, persists before it performs.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use api_types::events::{SkillOutcome, TurnOutcome};
use api_types::frames::SteerMode;
use api_types::ids::{MessageId, Seq, SkillName};
use api_types::sessions::{ChatRole, CloseReason, ThinkProcessStatus};

use tokio::time::Instant;

use super::entry::{Entry, LogRow};
use super::head::LaneView;
use super::inbox::{Body, Class, INBOX_ROWS_MAX, Message, Outcome};
use super::runner::{DRAIN_TIME_MAX, LaneSignal, Shared};
use super::store::Owned;
use super::writer::{Lost, Write, Writer};
use crate::bus::{Signal, Topic};
use crate::ctx::OpCtx;
use crate::port;
use crate::runtime::Timestamp;
use crate::turns::activation::{self, Change};
use crate::turns::chat::Chat;
use crate::turns::session::{Interrupt, StepOutcome, TurnSession};
use crate::turns::turn::{Next, Turn};

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

    /// Takes the longest run of skill changes followed by chat messages, as one claim.
    async fn take(&mut self, work: Vec<Message>) -> Result<(), Leave> {
        let is_skill = |m: &Message| matches!(m.message.body, Body::Skill { .. });
        let skills = work.iter().take_while(|m| is_skill(m)).count();
        let chats = work[skills..].iter().take_while(|m| !is_skill(m)).count();
        let mut claim = Claim::default();
        for message in &work[..skills] {
            self.change_skills(message, &mut claim).await;
        }
        for message in &work[skills..skills + chats] {
            claim.chat(message, self.message_id());
        }
        if claim.inputs.is_empty() {
            let Claim { entries, settle, .. } = claim;
            self.commit(Write { entries, settle, ..Write::default() }).await?;
            return Ok(());
        }
        self.open_turn(claim).await
    }

    fn message_id(&self) -> MessageId {
        MessageId::from_bits(self.shared.parts.ids.bits())
    }

    /// Decides one skill change and notes its effects in the claim.
    async fn change_skills(&mut self, message: &Message, claim: &mut Claim) {
        let parts = &self.shared.parts.turns;
        let Body::Skill { command, skill, one_shot, args } = &message.message.body else { return };
        let request = activation::Request {
            command: *command,
            skill: skill.as_ref(),
            one_shot: *one_shot,
            args: args.as_deref(),
        };
        let ctx = OpCtx::new(self.ctx.tenant.clone(), message.message.actor.clone());
        let change: Change =
            activation::decide(parts, &ctx, &self.view, &request, self.now()).await;
        claim.failed |= change.outcome == SkillOutcome::Failed;
        self.view.head.active_skills.clone_from(&change.active);
        let outcome =
            if change.outcome == SkillOutcome::Failed { Outcome::Failed } else { Outcome::Done };
        claim.entries.push(Entry::Skill {
            request: Some(message.seq),
            skill: skill.clone(),
            outcome: change.outcome,
            message: change.message,
            reason: change.reason,
            active: change.active,
        });
        if change.prompts.is_empty() {
            claim.settle.push((message.seq, outcome));
            return;
        }
        claim.inputs.push(message.seq);
        for prompt in change.prompts {
            claim.messages.push(Entry::Message {
                id: self.message_id(),
                role: ChatRole::User,
                content: prompt.text,
                sender: Some(prompt.sender),
                at: message.message.at,
            });
        }
    }

    /// Opens a turn with what was claimed, in one commit, and runs it.
    async fn open_turn(&mut self, claim: Claim) -> Result<(), Leave> {
        let at = self.now();
        let parts = &self.shared.parts.turns;
        let prepared = parts.prepare(&self.fresh_ctx(), &self.view, None).await;
        let turn_seq = Seq(self.writer.tail().0 + 1 + claim.entries.len() as u64);
        let mut entries = claim.entries;
        entries.push(Entry::TurnOpened {
            at,
            inputs: claim.inputs.clone(),
            skills: prepared.pinned(),
            model: prepared.model_name(),
        });
        entries.extend(claim.messages);
        entries.extend(self.notices(prepared.left_out(), at));
        self.view.head.open_turn = Some(turn_seq);
        self.view.head.status = ThinkProcessStatus::Running;
        let write = Write {
            entries,
            claim: Some((turn_seq, claim.inputs)),
            settle: claim.settle,
            ..Write::default()
        };
        let rows = self.commit(write).await?;
        rows.iter().for_each(|row| self.chat.push(&row.entry));
        let open = rows
            .iter()
            .position(|row| row.seq == turn_seq)
            .map_or(&rows[..0], |from| &rows[from..]);
        let turn = Turn::fold(open).expect("a turn was just opened");
        let session = TurnSession::new(prepared);
        self.go_on(turn, session, false).await
    }

    /// Says once of each skill that can't be used why it is left out.
    fn notices(&mut self, left_out: &[(SkillName, String)], at: Timestamp) -> Vec<Entry> {
        self.left_out.retain(|name| left_out.iter().any(|(other, _)| other == name));
        let new = left_out.iter().filter(|(name, _)| self.left_out.insert(name.clone()));
        new.map(|(name, why)| Entry::Notice {
            text: format!("skill {name} is left out: {why}"),
            at,
        })
        .collect()
    }

    /// Goes on with a turn that was read back from the log.
    async fn run_turn(&mut self, turn: Turn, recovered: bool) -> Result<(), Leave> {
        let parts = &self.shared.parts.turns;
        let prepared = parts.prepare(&self.fresh_ctx(), &self.view, Some(&turn)).await;
        let session = TurnSession::new(prepared);
        session.tell_restart(&self.shared.parts.turns, &self.view, &self.topic, turn.id);
        self.go_on(turn, session, recovered).await
    }

    /// The loop of a turn: decide, persist, perform.
    async fn go_on(
        &mut self,
        mut turn: Turn,
        session: TurnSession,
        mut recovered: bool,
    ) -> Result<(), Leave> {
        let shared = Arc::clone(&self.shared);
        let _permit = shared.turns.acquire().await.expect("the semaphore is never closed");
        loop {
            if self.control_due()
                && let Some(interrupt) = self.pending_interrupt(&turn).await?
            {
                return self.interrupt(&turn, interrupt).await;
            }
            if shared.stopping.is_cancelled() {
                return Err(Leave::Shutdown);
            }
            match turn.next(session.steps_max(), recovered) {
                Next::Nothing => return Ok(()),
                Next::Stop(outcome) => return self.finish(&turn, &session, outcome).await,
                Next::ReportInDoubt(calls) => {
                    let entries = session.in_doubt(&turn, &calls, self.now());
                    self.advance(&mut turn, entries, None).await?;
                }
                Next::RunTools(calls) => self.run_tools(&mut turn, &session, &calls).await?,
                Next::AskModel => {
                    if !turn.steps.is_empty() {
                        self.claim_step(&mut turn).await?;
                    }
                    if let Some(done) = self.ask_model(&mut turn, &session).await? {
                        return done.finish(self, &turn, &session).await;
                    }
                }
            }
            recovered = false;
        }
    }

    /// Persists entries of the open turn and takes them into its state.
    async fn advance(
        &mut self,
        turn: &mut Turn,
        entries: Vec<Entry>,
        claim: Option<Vec<Seq>>,
    ) -> Result<(), Leave> {
        let claim = claim.map(|inputs| (turn.id, inputs));
        let rows = self.commit(Write { entries, claim, ..Write::default() }).await?;
        rows.iter().for_each(|row| turn.apply(&row.entry));
        Ok(())
    }

    /// At a step boundary the turn takes messages that were sent meanwhile to steer it.
    async fn claim_step(&mut self, turn: &mut Turn) -> Result<(), Leave> {
        if !self.shared.parts.turns.steers(&self.view) {
            return Ok(());
        }
        let work = self.queued(Class::Work).await?;
        let steers =
            |m: &&Message| matches!(m.message.body, Body::Chat { mode: SteerMode::Steer, .. });
        let mut claim = Claim::default();
        for message in work.iter().take_while(steers) {
            claim.chat(message, self.message_id());
        }
        if claim.inputs.is_empty() {
            return Ok(());
        }
        let mut entries = vec![Entry::StepClaimed { inputs: claim.inputs.clone() }];
        entries.extend(claim.messages);
        self.advance(turn, entries, Some(claim.inputs)).await
    }

    async fn ask_model(
        &mut self,
        turn: &mut Turn,
        session: &TurnSession,
    ) -> Result<Option<Done>, Leave> {
        let parts = &self.shared.parts.turns;
        let messages = session.messages(&self.chat, turn);
        let message_id = self.message_id();
        let step = {
            let call = session.ask(parts, &self.view, &self.topic, turn, messages, &message_id);
            tokio::select! {
                step = call => step,
                interrupt = self.interrupted(turn) => return interrupt.map(|i| Some(Done::Interrupted(i))),
                () = drained(&self.shared) => return Err(Leave::Shutdown),
            }
        };
        match step {
            StepOutcome::Calls(entry) => {
                self.advance(turn, vec![entry], None).await?;
                Ok(None)
            }
            StepOutcome::Answer(answer) => Ok(Some(Done::Answered(answer, message_id))),
            StepOutcome::Failed(message) => Ok(Some(Done::Failed(message))),
            StepOutcome::Wait { entry, wait, until } => {
                self.view.head.awaits = vec![wait];
                self.view.head.due_at = Some(until);
                self.advance(turn, vec![entry], None).await?;
                let pause = u64::try_from(until.0 - self.now().0).unwrap_or(0);
                let woken = tokio::select! {
                    () = tokio::time::sleep(Duration::from_millis(pause)) => Ok(None),
                    interrupt = self.interrupted(turn) => interrupt.map(|i| Some(Done::Interrupted(i))),
                    () = self.shared.stopping.cancelled() => Err(Leave::Shutdown),
                };
                self.view.head.awaits.clear();
                self.view.head.due_at = None;
                woken
            }
        }
    }

    async fn run_tools(
        &mut self,
        turn: &mut Turn,
        session: &TurnSession,
        calls: &[usize],
    ) -> Result<(), Leave> {
        for group in session.groups(&self.shared.parts.turns, turn, calls) {
            let started = session.started(turn, &group, self.now());
            if !started.is_empty() {
                self.advance(turn, started, None).await?;
            }
            let results = {
                let parts = &self.shared.parts.turns;
                let run = session.run(parts, &self.ctx, &self.view, turn, &group);
                tokio::select! {
                    results = run => Some(results),
                    // A tool that is interrupted leaves its call open; closing the turn settles it.
                    _ = self.interrupted(turn) => None,
                    () = drained(&self.shared) => return Err(Leave::Shutdown),
                }
            };
            // The loop of the turn looks again before it does anything else.
            let Some(results) = results else {
                self.control_waits = true;
                return Ok(());
            };
            self.advance(turn, results, None).await?;
        }
        Ok(())
    }

    /// Waits until a control message interrupts this turn. Cancel-safe.
    async fn interrupted(&self, turn: &Turn) -> Result<Interrupt, Leave> {
        loop {
            self.signal.control().await;
            if let Some(interrupt) = self.pending_interrupt(turn).await? {
                return Ok(interrupt);
            }
        }
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

    async fn pending_interrupt(&self, turn: &Turn) -> Result<Option<Interrupt>, Leave> {
        let control = self.queued(Class::Control).await?;
        Ok(Interrupt::find(&control, turn))
    }

    /// Ends the turn because someone said so.
    async fn interrupt(&mut self, turn: &Turn, interrupt: Interrupt) -> Result<(), Leave> {
        let by = interrupt.request;
        self.close_turn(
            turn,
            Closing::new(TurnOutcome::Cancelled, Outcome::Cancelled).settling(by),
        )
        .await?;
        if interrupt.closes { self.close(by).await } else { Ok(()) }
    }

    /// Ends a turn whose steps are used up, with the best text that there is.
    async fn finish(
        &mut self,
        turn: &Turn,
        session: &TurnSession,
        outcome: TurnOutcome,
    ) -> Result<(), Leave> {
        let text =
            turn.steps.iter().map(|s| s.text.as_str()).max_by_key(|t| t.len()).unwrap_or_default();
        let mut closing = Closing::new(outcome, Outcome::Failed);
        closing.message = Some(format!(
            "the model asked for tools {} times without an answer; raise the recipe's `maxIterations` or narrow the task",
            session.steps_max()
        ));
        closing.answer = (!text.is_empty()).then(|| (self.message_id(), text.to_owned()));
        self.close_turn(turn, closing).await
    }

    /// The one commit that ends a turn.
    async fn close_turn(&mut self, turn: &Turn, closing: Closing) -> Result<(), Leave> {
        let at = self.now();
        let mut usage = turn.usage;
        usage += closing.usage;
        let mut entries = Vec::new();
        if let Some((id, content)) = closing.answer {
            entries.push(Entry::Message {
                id,
                role: ChatRole::Assistant,
                content,
                sender: None,
                at,
            });
        }
        entries.extend(closing.notices.into_iter().map(|text| Entry::Notice { text, at }));
        entries.extend(self.end_one_shots());
        entries.push(Entry::TurnClosed {
            turn: turn.id,
            outcome: closing.outcome,
            message: closing.message,
            settled: turn.inputs.clone(),
            usage,
            at,
        });
        let head = &mut self.view.head;
        head.open_turn = None;
        head.awaits.clear();
        head.due_at = None;
        head.status = ThinkProcessStatus::Idle;
        head.turns += 1;
        head.usage += usage;
        let mut settle: Vec<_> = turn.inputs.iter().map(|seq| (*seq, closing.settle_as)).collect();
        settle.extend(closing.control.map(|seq| (seq, Outcome::Done)));
        // Messages that steered the turn are part of the chat from now on.
        let steered = turn.steps.iter().flat_map(|step| &step.steered);
        steered.for_each(|text| self.chat.push_user(text));
        let rows = self.commit(Write { entries, settle, ..Write::default() }).await?;
        rows.iter().for_each(|row| self.chat.push(&row.entry));
        Ok(())
    }

    /// Skills that were activated for one turn end with it.
    fn end_one_shots(&mut self) -> Vec<Entry> {
        let head = &mut self.view.head;
        let (ended, active): (Vec<_>, Vec<_>) =
            head.active_skills.drain(..).partition(|s| s.one_shot);
        head.active_skills = active;
        let entry = |name: SkillName, active| Entry::Skill {
            request: None,
            message: format!("{name} was active for this turn only"),
            skill: Some(name),
            outcome: SkillOutcome::Ended,
            reason: None,
            active,
        };
        ended
            .into_iter()
            .map(|skill| entry(skill.name, self.view.head.active_skills.clone()))
            .collect()
    }
}

/// Waits until the node stops and running turns have had their time.
async fn drained(shared: &Shared) {
    shared.stopping.cancelled().await;
    tokio::time::sleep(DRAIN_TIME_MAX).await;
}

/// What one claim takes, and what becomes of it.
#[derive(Default)]
struct Claim {
    /// Entries that stand before the turn: skill changes.
    entries: Vec<Entry>,
    /// The turn's first messages.
    messages: Vec<Entry>,
    inputs: Vec<Seq>,
    settle: Vec<(Seq, Outcome)>,
    /// A skill change of this claim was refused.
    failed: bool,
}

impl Claim {
    /// Takes a chat message, unless it depends on a skill change that was refused.
    fn chat(&mut self, message: &Message, id: MessageId) {
        let Body::Chat { text, needs_skills, .. } = &message.message.body else { return };
        if self.failed && *needs_skills {
            self.settle.push((message.seq, Outcome::Failed));
            return;
        }
        self.inputs.push(message.seq);
        self.messages.push(Entry::Message {
            id,
            role: ChatRole::User,
            content: text.clone(),
            sender: Some(message.message.actor.sender()),
            at: message.message.at,
        });
    }
}

/// How a model call ended a turn.
enum Done {
    Answered(crate::turns::session::Final, MessageId),
    Failed(String),
    Interrupted(Interrupt),
}

impl Done {
    async fn finish(
        self,
        lane: &mut Lane,
        turn: &Turn,
        _session: &TurnSession,
    ) -> Result<(), Leave> {
        match self {
            Self::Interrupted(interrupt) => lane.interrupt(turn, interrupt).await,
            Self::Failed(message) => {
                let mut closing = Closing::new(TurnOutcome::ModelFailed, Outcome::Failed);
                closing.message = Some(message);
                lane.close_turn(turn, closing).await
            }
            Self::Answered(answer, id) => {
                let mut closing = Closing::new(TurnOutcome::Done, Outcome::Done);
                closing.usage = answer.usage;
                closing.notices = answer.notices;
                closing.answer = Some((id, answer.text));
                lane.close_turn(turn, closing).await
            }
        }
    }
}

/// How a turn is closed.
struct Closing {
    outcome: TurnOutcome,
    settle_as: Outcome,
    message: Option<String>,
    answer: Option<(MessageId, String)>,
    notices: Vec<String>,
    usage: super::entry::Usage,
    control: Option<Seq>,
}

impl Closing {
    fn new(outcome: TurnOutcome, settle_as: Outcome) -> Self {
        Self {
            outcome,
            settle_as,
            message: None,
            answer: None,
            notices: Vec::new(),
            usage: super::entry::Usage::default(),
            control: None,
        }
    }

    fn settling(mut self, request: Seq) -> Self {
        self.control = Some(request);
        self
    }
}
