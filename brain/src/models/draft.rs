//! An answer while it comes in.

use std::collections::HashSet;

use serde_json::Value;

use super::message::{Arguments, CARRY_BYTES_MAX, Carry, ToolCall};
use super::{Answer, Delta, ModelSpec, Sink, Stop, Usage, wire};
use crate::runtime::IdGen;

/// Largest answer: text, reasoning and arguments together, in bytes.
pub(crate) const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Most tool calls of one answer.
pub(crate) const CALLS_PER_ANSWER_MAX: usize = 128;

/// What is wrong with the stream of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The provider reports an error in its own words.
    Reported { kind: String, message: String },
    /// It is not what the format says.
    Nonsense(String),
    /// It ends before the answer does.
    Early,
    /// It breaks one of our limits.
    TooMuch(String),
}

#[derive(Debug)]
struct DraftCall {
    id: String,
    name: String,
    arguments: String,
}

/// Collects an answer and passes on what a watcher may see.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    text: String,
    thinking: String,
    calls: Vec<DraftCall>,
    bytes: usize,
    pub(crate) usage: Option<Usage>,
    pub(crate) stop: Option<Stop>,
    pub(crate) model: String,
    /// What the provider wants back with the answer.
    pub(crate) parts: Vec<Value>,
}

impl Draft {
    /// Counts bytes towards the limit of an answer.
    pub(crate) fn count(&mut self, bytes: usize) -> Result<(), Trouble> {
        self.bytes += bytes;
        if self.bytes > ANSWER_BYTES_MAX {
            let problem = format!("the answer is longer than {ANSWER_BYTES_MAX} bytes");
            return Err(Trouble::TooMuch(problem));
        }
        Ok(())
    }

    /// More of the visible answer.
    pub(crate) fn text(&mut self, piece: String, sink: &dyn Sink) -> Result<(), Trouble> {
        if piece.is_empty() {
            return Ok(());
        }
        self.count(piece.len())?;
        self.text.push_str(&piece);
        sink.delta(Delta::Text(piece));
        Ok(())
    }

    /// More of the reasoning.
    pub(crate) fn thinking(&mut self, piece: String, sink: &dyn Sink) -> Result<(), Trouble> {
        if piece.is_empty() {
            return Ok(());
        }
        self.count(piece.len())?;
        self.thinking.push_str(&piece);
        sink.delta(Delta::Thinking(piece));
        Ok(())
    }

    /// A call begins; gives its place.
    pub(crate) fn open_call(
        &mut self,
        id: String,
        name: String,
        sink: &dyn Sink,
    ) -> Result<usize, Trouble> {
        if self.calls.len() == CALLS_PER_ANSWER_MAX {
            let problem = format!("the answer asks for more than {CALLS_PER_ANSWER_MAX} tools");
            return Err(Trouble::TooMuch(problem));
        }
        self.count(id.len() + name.len())?;
        sink.delta(Delta::ToolCall { name: name.clone() });
        self.calls.push(DraftCall { id, name, arguments: String::new() });
        Ok(self.calls.len() - 1)
    }

    /// More arguments of the call at this place.
    pub(crate) fn arguments(&mut self, at: usize, piece: &str) -> Result<(), Trouble> {
        self.count(piece.len())?;
        self.calls[at].arguments.push_str(piece);
        Ok(())
    }

    /// The reasoning so far.
    pub(crate) fn reasoning(&self) -> &str {
        &self.thinking
    }

    /// The id of the call at this place.
    pub(crate) fn id_of(&self, at: usize) -> &str {
        &self.calls[at].id
    }

    /// The arguments of the call at this place are a complete object.
    pub(crate) fn is_complete(&self, at: usize) -> bool {
        let arguments = &self.calls[at].arguments;
        !arguments.is_empty() && serde_json::from_str::<serde::de::IgnoredAny>(arguments).is_ok()
    }

    /// The complete answer to a request to `asked`. `request_bytes` is what the estimate of the input comes from where the
    /// provider counted nothing.
    pub(crate) fn finish(self, ids: &IdGen, asked: &ModelSpec, request_bytes: usize) -> Answer {
        let usage = self.usage.unwrap_or_else(|| Usage {
            input: estimate(request_bytes),
            output: estimate(self.bytes),
            ..Usage::default()
        });
        let calls = finish_calls(self.calls, ids);
        let stop = match self.stop {
            // Several servers say «stop» whatever follows.
            Some(Stop::EndTurn) | None if !calls.is_empty() => Stop::ToolUse,
            Some(stop) => stop,
            None => Stop::EndTurn,
        };
        let carry = if calls.is_empty() { None } else { carry(asked, self.parts) };
        let Self { text, thinking, model, .. } = self;
        Answer { text, thinking, calls, usage, stop, model, carry }
    }
}

fn carry(asked: &ModelSpec, parts: Vec<Value>) -> Option<Carry> {
    if parts.is_empty() {
        return None;
    }
    let bytes = wire::json(&parts).len();
    if bytes > CARRY_BYTES_MAX {
        tracing::warn!(model = %asked, size_bytes = bytes, "reasoning is too long to be sent back");
        return None;
    }
    Some(Carry { model: asked.to_string(), parts })
}

/// Tokens of so many bytes, roughly.
pub(crate) fn estimate(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(4)
}

/// Outcomes find their calls by id: a missing id is made up, one used twice is replaced.
fn finish_calls(calls: Vec<DraftCall>, ids: &IdGen) -> Vec<ToolCall> {
    let mut seen = HashSet::new();
    calls
        .into_iter()
        .map(|call| {
            let mut id = call.id;
            if id.is_empty() || !seen.insert(id.clone()) {
                id = format!("call_{:032x}", ids.bits());
                seen.insert(id.clone());
            }
            ToolCall { id, name: call.name, arguments: Arguments::parse(&call.arguments) }
        })
        .collect()
}
