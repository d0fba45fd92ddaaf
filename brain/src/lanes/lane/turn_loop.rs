//! The loop of a turn: decide, persist, perform.

use std::sync::Arc;
use std::time::Duration;

use api_types::events::TurnOutcome;
use api_types::frames::SteerMode;
use api_types::ids::{MessageId, Seq};

use super::claim::{Claim, fitting};
use super::closing::Closing;
use super::{Lane, Leave};
use crate::lanes::entry::Entry;
use crate::lanes::inbox::{Body, Class, Message, Outcome};
use crate::lanes::shared::{DRAIN_TIME_MAX, Shared};
use crate::lanes::writer::{Lost, Write};
use crate::port;
use crate::turns::session::{Final, Interrupt, StepOutcome, TurnSession};
use crate::turns::turn::{Next, Turn};

impl Lane {
    /// Runs an open turn to its end. What the store refuses for its size ends the turn, not the lane.
    pub(super) async fn go_on(
        &mut self,
        mut turn: Turn,
        session: TurnSession,
        recovered: bool,
    ) -> Result<(), Leave> {
        match self.drive(&mut turn, &session, recovered).await {
            Err(Leave::Lost(Lost::Refused(error @ port::Error::Limit { .. }))) => {
                let mut closing = Closing::new(TurnOutcome::Failed, Outcome::Failed);
                closing.message = Some(format!("the turn's step could not be kept: {error}"));
                self.close_turn(&turn, closing).await
            }
            other => other,
        }
    }

    /// The loop of a turn: decide, persist, perform.
    async fn drive(
        &mut self,
        turn: &mut Turn,
        session: &TurnSession,
        mut recovered: bool,
    ) -> Result<(), Leave> {
        let shared = Arc::clone(&self.shared);
        let _permit = shared.turns.acquire().await.expect("the semaphore is never closed");
        loop {
            if self.control_due()
                && let Some(interrupt) = self.pending_interrupt(turn).await?
            {
                return self.interrupt(turn, interrupt).await;
            }
            if shared.stopping.is_cancelled() {
                return Err(Leave::Shutdown);
            }
            match turn.next(session.steps_max(), recovered) {
                Next::Nothing => return Ok(()),
                Next::Stop(outcome) => return self.finish(turn, session, outcome).await,
                Next::ReportInDoubt(calls) => {
                    let entries = session.in_doubt(turn, &calls, self.now());
                    self.advance(turn, entries, None).await?;
                }
                Next::RunTools(calls) => self.run_tools(turn, session, &calls).await?,
                Next::AskModel => {
                    if !turn.steps.is_empty() {
                        self.claim_step(turn).await?;
                    }
                    if let Some(done) = self.ask_model(turn, session).await? {
                        return done.finish(self, turn).await;
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
            |m: &Message| matches!(m.message.body, Body::Chat { mode: SteerMode::Steer, .. });
        let mut claim = Claim::default();
        for message in fitting(&work, steers) {
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

    async fn pending_interrupt(&self, turn: &Turn) -> Result<Option<Interrupt>, Leave> {
        let control = self.queued(Class::Control).await?;
        Ok(Interrupt::find(&control, turn))
    }
}

/// Waits until the node stops and running turns have had their time.
async fn drained(shared: &Shared) {
    shared.stopping.cancelled().await;
    tokio::time::sleep(DRAIN_TIME_MAX).await;
}

/// How a model call ended a turn.
enum Done {
    Answered(Final, MessageId),
    Failed(String),
    Interrupted(Interrupt),
}

impl Done {
    async fn finish(self, lane: &mut Lane, turn: &Turn) -> Result<(), Leave> {
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
