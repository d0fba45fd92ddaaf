//! Runs the tool calls of a step: neighbouring reads side by side, everything else in order.

use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};

use super::parts::TurnParts;
use super::session::TurnSession;
use super::turn::{StepCall, Turn};
use crate::ctx::{Actor, OpCtx};
use crate::lanes::entry::Entry;
use crate::lanes::head::LaneView;
use crate::models::Arguments;
use crate::runtime::Timestamp;
use crate::tools::{Caller, Effect, TOOL_RESULT_BYTES_MAX, TOOL_TIME_MAX_S, ToolError};

/// Most reads that run side by side.
const READS_AT_ONCE_MAX: usize = 8;

/// Calls that run side by side.
#[derive(Debug)]
pub struct Group {
    calls: Vec<usize>,
    effect: Effect,
}

impl TurnSession {
    /// The calls in their order, neighbouring reads together.
    #[must_use]
    pub fn groups(&self, parts: &TurnParts, turn: &Turn, calls: &[usize]) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for &index in calls {
            let effect =
                parts.tools.get(&call(turn, index).call.name).map_or(Effect::Reads, |t| t.effect());
            match groups.last_mut() {
                Some(last)
                    if effect == Effect::Reads
                        && last.effect == Effect::Reads
                        && last.calls.len() < READS_AT_ONCE_MAX =>
                {
                    last.calls.push(index);
                }
                _ => groups.push(Group { calls: vec![index], effect }),
            }
        }
        groups
    }

    /// What to record before the group runs: a call that may change something must not be repeated.
    #[must_use]
    pub fn started(&self, turn: &Turn, group: &Group, at: Timestamp) -> Vec<Entry> {
        if group.effect == Effect::Reads {
            return Vec::new();
        }
        let entry = |index: &usize| {
            let call = &call(turn, *index).call;
            Entry::Started { call: call.id.clone(), tool: call.name.clone(), at }
        };
        group.calls.iter().map(entry).collect()
    }

    /// Runs a group; one result for each call, in their order.
    pub async fn run(
        &self,
        parts: &TurnParts,
        ctx: &OpCtx,
        view: &LaneView,
        turn: &Turn,
        group: &Group,
    ) -> Vec<Entry> {
        let runs =
            group.calls.iter().map(|index| self.run_one(parts, ctx, view, call(turn, *index)));
        join_all(runs).await
    }

    async fn run_one(
        &self,
        parts: &TurnParts,
        ctx: &OpCtx,
        view: &LaneView,
        call: &StepCall,
    ) -> Entry {
        let name = &call.call.name;
        let result = match self.dispatch(parts, ctx, view, call).await {
            Ok(value) => (text_of(value), false),
            Err(error) => (
                json!({ "ok": false, "error": error.message, "hint": error.hint }).to_string(),
                true,
            ),
        };
        let (content, is_error) = (cut(result.0), result.1);
        Entry::Result {
            call: call.call.id.clone(),
            tool: name.clone(),
            content,
            is_error,
            at: parts.clock.now(),
        }
    }

    async fn dispatch(
        &self,
        parts: &TurnParts,
        ctx: &OpCtx,
        view: &LaneView,
        call: &StepCall,
    ) -> Result<Value, ToolError> {
        let name = &call.call.name;
        let tool = parts
            .tools
            .get(name)
            .filter(|_| self.prepared.allowed.contains(name))
            .ok_or_else(|| {
                let known: Vec<&str> = self.prepared.allowed.iter().map(String::as_str).collect();
                ToolError::new(format!("there is no tool {name:?} here"))
                    .hint(format!("tools: {}", known.join(", ")))
            })?;
        let args = match Arguments::parse(&call.call.arguments) {
            Arguments::Json(value) => value,
            Arguments::Malformed { reason, .. } => {
                return Err(ToolError::new(format!(
                    "the arguments of {name} are not JSON: {reason}"
                )));
            }
        };
        let op = OpCtx::new(ctx.tenant.clone(), Actor::User(view.spec.user.clone()))
            .within(Duration::from_secs(TOOL_TIME_MAX_S));
        let caller = Caller {
            op: op.clone(),
            project: view.spec.project.clone(),
            session: view.spec.session.clone(),
            process: view.spec.name.clone(),
            recipe: view.spec.recipe.name.clone(),
            manuals: std::sync::Arc::clone(&self.prepared.manuals),
        };
        let stopped = |stop| ToolError::new(format!("{name} was stopped: {stop}"));
        op.bound(tool.call(&caller, args)).await.map_err(stopped)?
    }

    /// Results for calls that had begun when the service died.
    #[must_use]
    pub fn in_doubt(&self, turn: &Turn, calls: &[usize], at: Timestamp) -> Vec<Entry> {
        let entry = |index: &usize| {
            let call = &call(turn, *index).call;
            let content = json!({
                "ok": false,
                "error": "interrupted, outcome unknown: the service stopped while this call ran",
                "hint": "look whether it took effect before you call it again",
            });
            Entry::Result {
                call: call.id.clone(),
                tool: call.name.clone(),
                content: content.to_string(),
                is_error: true,
                at,
            }
        };
        calls.iter().map(entry).collect()
    }
}

fn call(turn: &Turn, index: usize) -> &StepCall {
    let last = turn.steps.last().expect("calls belong to a step");
    &last.calls[index]
}

fn text_of(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Cuts a result that is too large, and says so where the model reads it.
fn cut(mut text: String) -> String {
    if text.len() <= TOOL_RESULT_BYTES_MAX {
        return text;
    }
    let whole = text.len();
    let mut end = TOOL_RESULT_BYTES_MAX;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text.push_str(&format!(
        "\n[cut: {whole} bytes, the first {end} are shown; ask for a narrower range]"
    ));
    text
}
