//! The chat completions format of `OpenAI` and its imitators: what is sent.

mod read;

pub(crate) use self::read::Reader;

use std::borrow::Cow;

use bytes::Bytes;
use serde::Serialize;
use serde_json::Value;

use super::adjust::Adjust;
use super::message::{Message, ToolCall, ToolOutcome};
use super::request::Request;
use super::segment::{Dialect, ToolSpec};
use super::wire::{self, Body, wire_id};

/// What the limit of an answer is called: `OpenAI`'s newer models refuse the old name, other servers know no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitField {
    /// `max_tokens`.
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum WireMessage<'a> {
    System {
        content: &'a str,
    },
    User {
        content: &'a str,
    },
    Assistant {
        content: &'a str,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<WireCall>,
        /// An object whose only field is named as the server named it.
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        reasoning: Option<&'a Value>,
    },
    Tool {
        tool_call_id: &'a str,
        content: Cow<'a, str>,
    },
}

#[derive(Serialize)]
struct WireCall {
    id: String,
    r#type: &'static str,
    function: WireFunction,
}

#[derive(Serialize)]
struct WireFunction {
    name: String,
    arguments: String,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    function: ToolFunction<'a>,
}

#[derive(Serialize)]
struct ToolFunction<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
}

/// A message as elements of `messages`: outcomes are one message each.
pub(crate) fn message_bytes(message: &Message) -> Bytes {
    match message {
        Message::User { text } => wire::json(&WireMessage::User { content: text }),
        Message::Assistant { text, calls, .. } if text.is_empty() && calls.is_empty() => {
            Bytes::new()
        }
        Message::Assistant { text, calls, .. } => wire::json(&answer(text, calls, None)),
        Message::Results(outcomes) => wire::joined(outcomes.iter().map(|outcome| {
            WireMessage::Tool { tool_call_id: &outcome.call, content: content(outcome) }
        })),
    }
}

/// An answer with the reasoning that came with it, for the model that gave it.
pub(crate) fn carrying_bytes(text: &str, calls: &[ToolCall], parts: &[Value]) -> Bytes {
    wire::json(&answer(text, calls, parts.first()))
}

fn answer<'a>(text: &'a str, calls: &[ToolCall], reasoning: Option<&'a Value>) -> WireMessage<'a> {
    let tool_calls = calls.iter().map(wire_call).collect();
    WireMessage::Assistant { content: text, tool_calls, reasoning }
}

fn wire_call(call: &ToolCall) -> WireCall {
    WireCall {
        id: call.id.clone(),
        r#type: "function",
        function: WireFunction {
            name: wire_id(&call.name).into_owned(),
            arguments: call.arguments.to_wire().to_string(),
        },
    }
}

/// The format has no mark for failures, so the text must show it.
fn content(outcome: &ToolOutcome) -> Cow<'_, str> {
    let says_so = outcome.content.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("error"));
    if outcome.is_error && !says_so {
        Cow::Owned(format!("Error: {}", outcome.content))
    } else {
        Cow::Borrowed(&outcome.content)
    }
}

/// The tools as the `tools` array.
pub(crate) fn tool_bytes(specs: &[ToolSpec]) -> Bytes {
    let tools: Vec<_> = specs
        .iter()
        .map(|spec| Tool {
            r#type: "function",
            function: ToolFunction {
                name: &spec.name,
                description: &spec.description,
                parameters: &spec.schema,
            },
        })
        .collect();
    wire::json(&tools)
}

/// The whole request body, tools before messages as in the other dialect.
pub(crate) fn body(
    request: &Request,
    model: &str,
    usual_limit: LimitField,
    adjust: Adjust,
) -> Bytes {
    let mut body = Body::with_room_for(request, Dialect::OpenAi);
    body.raw(b"{\"model\":").json(model);
    body.raw(b",\"stream\":true");
    if !adjust.no_counts {
        body.raw(b",\"stream_options\":{\"include_usage\":true}");
    }
    if adjust.no_reasoning {
        body.raw(b",\"reasoning_effort\":\"none\"");
    }
    body.raw(match adjust.limit.unwrap_or(usual_limit) {
        LimitField::MaxTokens => b",\"max_tokens\":".as_slice(),
        LimitField::MaxCompletionTokens => b",\"max_completion_tokens\":",
    });
    body.json(&request.max_tokens);
    if let Some(temperature) = request.temperature.filter(|_| !adjust.no_temperature) {
        body.raw(b",\"temperature\":").json(&temperature);
    }
    let tools = request.tools.wire(Dialect::OpenAi);
    if !tools.is_empty() {
        body.raw(b",\"tools\":").raw(tools);
    }
    body.raw(b",\"messages\":[");
    messages(&mut body, request, adjust);
    body.raw(b"]}").finish()
}

fn messages(body: &mut Body, request: &Request, adjust: Adjust) {
    let mut first = true;
    let mut separate = |body: &mut Body| {
        if !std::mem::take(&mut first) {
            body.raw(b",");
        }
    };
    for block in request.system.iter().filter(|block| !block.text.trim().is_empty()) {
        separate(body);
        body.json(&WireMessage::System { content: &block.text });
    }
    for segment in &request.messages {
        let bytes = wire::of(segment, Dialect::OpenAi, &request.model, adjust);
        if !bytes.is_empty() {
            separate(body);
            body.raw(bytes);
        }
    }
}
