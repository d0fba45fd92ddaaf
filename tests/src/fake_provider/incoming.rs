//! Reading just enough of a request.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;

/// What the fake wants to know of a request.
#[derive(Debug, Default)]
pub(super) struct Incoming {
    pub(super) model: String,
    pub(super) stream: bool,
    pub(super) last_user: String,
    pub(super) tool_rounds: usize,
    pub(super) bytes: usize,
}

#[derive(Deserialize)]
struct Body {
    #[serde(default)]
    model: String,
    #[serde(default)]
    stream: bool,
    #[serde(default)]
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    role: String,
    #[serde(default)]
    content: Value,
}

impl Incoming {
    /// Reads the whole body.
    pub(super) fn parse(bytes: &Bytes) -> Result<Self, serde_json::Error> {
        let body: Body = serde_json::from_slice(bytes)?;
        let said = body.messages.iter().rposition(|m| user_text(m).is_some());
        let after = said.map_or(0, |at| at + 1);
        Ok(Self {
            tool_rounds: tool_rounds(&body.messages[after..]),
            last_user: said.and_then(|at| user_text(&body.messages[at])).unwrap_or_default(),
            model: body.model,
            stream: body.stream,
            bytes: bytes.len(),
        })
    }

    /// Reads the head and the last user message only, so that the length of a conversation costs a benchmark nothing.
    /// `None` where the body is written in a way that this does not expect.
    pub(super) fn skim(bytes: &Bytes) -> Option<Self> {
        let head = &bytes[..bytes.len().min(512)];
        let model: String = value_after(head, b"\"model\":")?;
        let stream = find(head, b"\"stream\":true").is_some();
        let mut end = bytes.len();
        loop {
            // A quote inside a JSON string is escaped, so these bytes can only be a message's own key.
            let at = rfind(&bytes[..end], b"{\"role\":\"user\"")?;
            let mut values = serde_json::Deserializer::from_slice(&bytes[at..]).into_iter();
            let message: Message = values.next()?.ok()?;
            if let Some(last_user) = user_text(&message) {
                return Some(Self { model, stream, last_user, tool_rounds: 0, bytes: bytes.len() });
            }
            end = at;
        }
    }
}

fn value_after<'a, T: Deserialize<'a>>(bytes: &'a [u8], key: &[u8]) -> Option<T> {
    let at = find(bytes, key)? + key.len();
    serde_json::Deserializer::from_slice(&bytes[at..]).into_iter().next()?.ok()
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

fn rfind(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).rposition(|window| window == what)
}

/// The text that a person said. Tool outcomes are user messages too in one of the dialects; they have none.
fn user_text(message: &Message) -> Option<String> {
    if message.role != "user" {
        return None;
    }
    match &message.content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let texts: Vec<_> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            (!texts.is_empty()).then(|| texts.concat())
        }
        _ => None,
    }
}

/// Outcomes of one step are one user message in one dialect, several `tool` messages in the other.
fn tool_rounds(messages: &[Message]) -> usize {
    let is_outcome = |m: &Message| m.role == "tool" || m.role == "user";
    let mut rounds = 0;
    let mut inside = false;
    for message in messages {
        let outcome = is_outcome(message);
        rounds += usize::from(outcome && !inside);
        inside = outcome;
    }
    rounds
}
