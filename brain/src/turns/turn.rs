//! What a turn has done so far, folded from its entries, and what comes next. Pure.

use api_types::events::TurnOutcome;
use api_types::ids::Seq;

use crate::lanes::entry::{Call, Entry, LogRow, PinnedSkill};
use crate::lanes::usage::Usage;

/// One answer of the model that asked for tools, and what became of its calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What the model said before the calls.
    pub text: String,
    /// The calls, in order.
    pub calls: Vec<StepCall>,
    /// What goes back to the model with their outcomes.
    pub carry: Option<crate::models::Carry>,
    /// Messages that the turn claimed after this step.
    pub steered: Vec<String>,
}

/// A call and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct StepCall {
    /// The call.
    pub call: Call,
    /// A call that may change something has begun.
    pub started: bool,
    /// How it ended.
    pub result: Option<CallResult>,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub struct CallResult {
    /// What the model reads.
    pub content: String,
    /// The tool failed.
    pub is_error: bool,
}

/// An open turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Place of its first entry; names it.
    pub id: Seq,
    /// All inbox places that it claimed.
    pub inputs: Vec<Seq>,
    /// Skills with the revisions that hold for the turn.
    pub skills: Vec<PinnedSkill>,
    /// `provider/name`.
    pub model: String,
    /// Steps so far.
    pub steps: Vec<Step>,
    /// Tokens so far.
    pub usage: Usage,
    closed: bool,
}

/// What a turn does next.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Ask the model.
    AskModel,
    /// Run these calls of the last step, by index; none of them has a result.
    RunTools(Vec<usize>),
    /// These calls had begun when the node died: tell the model that nobody knows their outcome.
    ReportInDoubt(Vec<usize>),
    /// The model has used up its steps.
    Stop(TurnOutcome),
    /// Nothing: the turn is closed.
    Nothing,
}

impl Turn {
    /// The turn that these rows open; `None` if the first is no `TurnOpened`.
    #[must_use]
    pub fn fold(rows: &[LogRow]) -> Option<Self> {
        let (first, rest) = rows.split_first()?;
        let Entry::TurnOpened { inputs, skills, model, .. } = &first.entry else { return None };
        let mut turn = Self {
            id: first.seq,
            inputs: inputs.clone(),
            skills: skills.clone(),
            model: model.clone(),
            steps: Vec::new(),
            usage: Usage::default(),
            closed: false,
        };
        rest.iter().for_each(|row| turn.apply(&row.entry));
        Some(turn)
    }

    /// Takes in one more entry.
    pub fn apply(&mut self, entry: &Entry) {
        match entry {
            Entry::StepClaimed { inputs } => self.inputs.extend(inputs),
            Entry::Model { text, calls, carry, usage, .. } => {
                self.usage += *usage;
                let calls = calls.iter().cloned().map(|call| StepCall {
                    call,
                    started: false,
                    result: None,
                });
                self.steps.push(Step {
                    text: text.clone(),
                    calls: calls.collect(),
                    carry: carry.clone(),
                    steered: Vec::new(),
                });
            }
            Entry::Started { call, .. } => {
                if let Some(found) = self.call_mut(call) {
                    found.started = true;
                }
            }
            Entry::Result { call, content, is_error, .. } => {
                let result = CallResult { content: content.clone(), is_error: *is_error };
                if let Some(found) = self.call_mut(call) {
                    found.result = Some(result);
                }
            }
            // Messages that come before the first step are part of the chat already.
            Entry::Message { content, sender: Some(_), .. } => {
                if let Some(step) = self.steps.last_mut() {
                    step.steered.push(content.clone());
                }
            }
            Entry::TurnClosed { .. } => self.closed = true,
            _ => {}
        }
    }

    /// The newest call of this id that has no result yet: providers may repeat ids in later steps.
    fn call_mut(&mut self, id: &str) -> Option<&mut StepCall> {
        let last = self.steps.last_mut()?;
        last.calls.iter_mut().find(|c| c.call.id == id && c.result.is_none())
    }

    /// What comes next, given that the model may be asked `steps_max` times.
    ///
    /// `recovered`: the entries were read back after a crash, so a call that had begun is in doubt.
    #[must_use]
    pub fn next(&self, steps_max: usize, recovered: bool) -> Next {
        if self.closed {
            return Next::Nothing;
        }
        let Some(last) = self.steps.last() else { return Next::AskModel };
        let open = |started: bool| -> Vec<usize> {
            let calls = last.calls.iter().enumerate();
            calls
                .filter(|(_, c)| c.result.is_none() && c.started == started)
                .map(|(i, _)| i)
                .collect()
        };
        let in_doubt = if recovered { open(true) } else { Vec::new() };
        if !in_doubt.is_empty() {
            return Next::ReportInDoubt(in_doubt);
        }
        let pending = open(false);
        if !pending.is_empty() {
            return Next::RunTools(pending);
        }
        if self.steps.len() >= steps_max {
            Next::Stop(TurnOutcome::LimitReached)
        } else {
            Next::AskModel
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::Timestamp;

    const AT: Timestamp = Timestamp(0);

    fn rows(entries: Vec<Entry>) -> Vec<LogRow> {
        let opened = Entry::TurnOpened {
            at: AT,
            inputs: vec![Seq(1)],
            skills: vec![],
            model: "echo".to_owned(),
        };
        let all = std::iter::once(opened).chain(entries);
        (10..).zip(all).map(|(seq, entry)| LogRow { seq: Seq(seq), entry }).collect()
    }

    fn model(ids: &[&str]) -> Entry {
        let call = |id: &&str| Call {
            id: (*id).to_owned(),
            name: "t".to_owned(),
            arguments: "{}".to_owned(),
        };
        Entry::Model {
            text: String::new(),
            calls: ids.iter().map(call).collect(),
            carry: None,
            usage: Usage::default(),
            at: AT,
        }
    }

    fn started(id: &str) -> Entry {
        Entry::Started { call: id.to_owned(), tool: "t".to_owned(), at: AT }
    }

    fn result(id: &str) -> Entry {
        let content = "ok".to_owned();
        Entry::Result {
            call: id.to_owned(),
            tool: "t".to_owned(),
            content,
            is_error: false,
            at: AT,
        }
    }

    #[track_caller]
    fn check(entries: Vec<Entry>, recovered: bool, expect: Next) {
        let turn = Turn::fold(&rows(entries)).expect("a turn");
        assert_eq!(turn.next(2, recovered), expect);
    }

    #[test]
    fn a_turn_goes_on_from_its_last_entry() {
        check(vec![], false, Next::AskModel);
        check(vec![model(&["a", "b"])], false, Next::RunTools(vec![0, 1]));
        check(vec![model(&["a", "b"]), result("a")], true, Next::RunTools(vec![1]));
        check(vec![model(&["a"]), result("a")], true, Next::AskModel);
        check(vec![model(&["a"]), started("a")], true, Next::ReportInDoubt(vec![0]));
        check(vec![model(&["a"]), started("a")], false, Next::AskModel);
        let two = vec![model(&["a"]), result("a"), model(&["a"]), result("a")];
        check(two, false, Next::Stop(TurnOutcome::LimitReached));
    }

    #[test]
    fn a_repeated_call_id_belongs_to_the_newest_step() {
        check(vec![model(&["a"]), result("a"), model(&["a"])], false, Next::RunTools(vec![0]));
    }
}
