//! Ending a turn: one commit that says how it ended and settles what it claimed.

use api_types::events::{SkillOutcome, TurnOutcome};
use api_types::ids::{MessageId, Seq, SkillName};
use api_types::sessions::{ChatRole, ThinkProcessStatus};

use super::{Lane, Leave};
use crate::lanes::entry::Entry;
use crate::lanes::inbox::Outcome;
use crate::lanes::usage::Usage;
use crate::lanes::writer::Write;
use crate::turns::session::{Interrupt, TurnSession};
use crate::turns::turn::Turn;

impl Lane {
    /// Ends the turn because someone said so.
    pub(super) async fn interrupt(
        &mut self,
        turn: &Turn,
        interrupt: Interrupt,
    ) -> Result<(), Leave> {
        let by = interrupt.request;
        self.close_turn(
            turn,
            Closing::new(TurnOutcome::Cancelled, Outcome::Cancelled).settling(by),
        )
        .await?;
        if interrupt.closes { self.close(by).await } else { Ok(()) }
    }

    /// Ends a turn whose steps are used up, with the best text that there is.
    pub(super) async fn finish(
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
    pub(super) async fn close_turn(&mut self, turn: &Turn, closing: Closing) -> Result<(), Leave> {
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

/// How a turn is closed.
pub(super) struct Closing {
    outcome: TurnOutcome,
    settle_as: Outcome,
    pub(super) message: Option<String>,
    pub(super) answer: Option<(MessageId, String)>,
    pub(super) notices: Vec<String>,
    pub(super) usage: Usage,
    control: Option<Seq>,
}

impl Closing {
    pub(super) fn new(outcome: TurnOutcome, settle_as: Outcome) -> Self {
        Self {
            outcome,
            settle_as,
            message: None,
            answer: None,
            notices: Vec::new(),
            usage: Usage::default(),
            control: None,
        }
    }

    pub(super) fn settling(mut self, request: Seq) -> Self {
        self.control = Some(request);
        self
    }
}
