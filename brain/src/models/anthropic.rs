//! The Anthropic Messages format: what is sent.

mod read;

pub(crate) use self::read::Reader;

use bytes::Bytes;
use serde::Serialize;
use serde_json::Value;

use super::adjust::Adjust;
use super::message::{Message, ToolCall, ToolOutcome};
use super::request::{Request, SystemBlock};
use super::segment::{Dialect, ToolSpec};
use super::wire::{self, Body, wire_id};

/// Most prompt-cache markers that the system prompt may carry. The format allows four; two are for the conversation.
const SYSTEM_MARKERS_MAX: usize = 2;

/// Appended inside the last block of a message: cache everything up to here.
const MARKER: &[u8] = br#","cache_control":{"type":"ephemeral"}"#;

/// How every message ends: its last block, the list of blocks, the message. The marker goes before it.
const MESSAGE_END: &[u8] = b"}]}";

/// How every answer of the model begins.
const ASSISTANT_START: &[u8] = br#"{"role":"assistant""#;

#[derive(Serialize)]
struct WireMessage<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block<'a> {
    Text {
        text: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    ToolUse {
        id: String,
        name: String,
        input: Value,
    },
    ToolResult {
        tool_use_id: String,
        #[serde(skip_serializing_if = "str::is_empty")]
        content: &'a str,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

#[derive(Serialize)]
struct CacheControl {
    r#type: &'static str,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a Value,
}

/// A message as an element of `messages`.
pub(crate) fn message_bytes(message: &Message) -> Bytes {
    let (role, content) = match message {
        Message::User { text } => ("user", vec![text_block(or_placeholder(text))]),
        Message::Assistant { text, calls, .. } => ("assistant", assistant_blocks(text, calls)),
        Message::Results(outcomes) => ("user", outcomes.iter().map(result_block).collect()),
    };
    if content.is_empty() {
        return Bytes::new();
    }
    wire::json(&WireMessage { role, content })
}

/// An answer as it came, for the model that gave it.
pub(crate) fn carrying_bytes(parts: &[Value]) -> Bytes {
    #[derive(Serialize)]
    struct Answer<'a> {
        role: &'static str,
        content: &'a [Value],
    }
    wire::json(&Answer { role: "assistant", content: parts })
}

fn text_block(text: &str) -> Block<'_> {
    Block::Text { text, cache_control: None }
}

/// The format refuses blank texts.
fn or_placeholder(text: &str) -> &str {
    if text.trim().is_empty() { "(empty message)" } else { text }
}

fn assistant_blocks<'a>(text: &'a str, calls: &'a [ToolCall]) -> Vec<Block<'a>> {
    let said = (!text.trim().is_empty()).then(|| text_block(text));
    said.into_iter().chain(calls.iter().map(call_block)).collect()
}

fn call_block(call: &ToolCall) -> Block<'_> {
    Block::ToolUse {
        id: wire_id(&call.id).into_owned(),
        name: wire_id(&call.name).into_owned(),
        input: call.arguments.to_wire(),
    }
}

fn result_block(outcome: &ToolOutcome) -> Block<'_> {
    Block::ToolResult {
        tool_use_id: wire_id(&outcome.call).into_owned(),
        content: &outcome.content,
        is_error: outcome.is_error,
    }
}

/// The tools as the `tools` array.
pub(crate) fn tool_bytes(specs: &[ToolSpec]) -> Bytes {
    let tools: Vec<_> = specs
        .iter()
        .map(|spec| Tool {
            name: &spec.name,
            description: &spec.description,
            input_schema: &spec.schema,
        })
        .collect();
    wire::json(&tools)
}

/// The whole request body. What changes least comes first, since a provider caches prefixes: tools, system, messages.
pub(crate) fn body(request: &Request, model: &str, adjust: Adjust) -> Bytes {
    let mut body = Body::with_room_for(request, Dialect::Anthropic);
    body.raw(b"{\"model\":").json(model);
    body.raw(b",\"max_tokens\":").json(&request.max_tokens).raw(b",\"stream\":true");
    if let Some(temperature) = request.temperature.filter(|_| !adjust.no_temperature) {
        body.raw(b",\"temperature\":").json(&temperature);
    }
    let tools = request.tools.wire(Dialect::Anthropic);
    if !tools.is_empty() {
        body.raw(b",\"tools\":").raw(tools);
    }
    let system = system_blocks(&request.system);
    if !system.is_empty() {
        body.raw(b",\"system\":").json(&system);
    }
    body.raw(b",\"messages\":[");
    messages(&mut body, request, adjust);
    body.raw(b"]}").finish()
}

/// Of too many markers the last count, since they cover the others.
fn system_blocks(system: &[SystemBlock]) -> Vec<Block<'_>> {
    let sent = || system.iter().filter(|block| !block.text.trim().is_empty());
    let asked = sent().filter(|block| block.cache).count();
    let mut unmarked = asked.saturating_sub(SYSTEM_MARKERS_MAX);
    sent()
        .map(|block| {
            let marked = block.cache && unmarked == 0;
            unmarked = unmarked.saturating_sub(usize::from(block.cache));
            Block::Text {
                text: &block.text,
                cache_control: marked.then_some(CacheControl { r#type: "ephemeral" }),
            }
        })
        .collect()
}

/// The conversation from its cached bytes. Two markers move along, cut into the bytes and not serialised: after the newest
/// message, so that the provider stores everything so far; and where the request before this one ended, because a
/// provider looks only some blocks back for what it has stored, and one step can add many.
fn messages(body: &mut Body, request: &Request, adjust: Adjust) {
    let bytes = |segment| wire::of(segment, Dialect::Anthropic, &request.model, adjust);
    let segments = request.messages.iter().map(bytes);
    let sent: Vec<_> = segments.filter(|bytes| !bytes.is_empty()).collect();
    let is_answer = |bytes: &&Bytes| bytes.starts_with(ASSISTANT_START);
    let before_answer = sent.iter().rposition(is_answer).and_then(|at| at.checked_sub(1));
    for (at, bytes) in sent.iter().enumerate() {
        if at > 0 {
            body.raw(b",");
        }
        let marked = at + 1 == sent.len() || Some(at) == before_answer;
        match bytes.strip_suffix(MESSAGE_END) {
            Some(open) if marked => body.raw(open).raw(MARKER).raw(MESSAGE_END),
            _ => body.raw(bytes),
        };
    }
}
