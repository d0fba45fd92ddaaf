//! What a conversation is made of, independent of any wire format.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Message {
    /// Said by the person, or by something that speaks in their place.
    User {
        /// What was said.
        text: String,
    },
    /// Said by the model.
    Assistant {
        /// The visible answer; may be empty when there are calls.
        text: String,
        /// The tools that the model asked for, in its order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
        /// What the provider wants back with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        carry: Option<Carry>,
    },
    /// The outcomes of the calls of the assistant message before it, in the same order.
    Results(Vec<ToolOutcome>),
}

/// Parts of an answer that only its model understands, reasoning above all. While the model waits for its tools they go
/// back to it untouched: without them it loses its thread, or its provider refuses the request. They hold for the model
/// that made them and for what stood before them, so they are of no use in a later turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Carry {
    /// The model, as [`ModelSpec`](super::ModelSpec) writes it.
    pub model: String,
    /// The parts, in the provider's own format.
    pub parts: Vec<Value>,
}

/// Most bytes of a [`Carry`]; a longer one is left out.
pub const CARRY_BYTES_MAX: usize = 128 * 1024;

/// A model's wish to have a tool run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Unique within the conversation; made up by the provider, or by us where the provider sent none.
    pub id: String,
    /// Name of the tool as the model wrote it: it may not exist.
    pub name: String,
    /// What to call it with.
    pub arguments: Arguments,
}

/// Arguments of a call as the model wrote them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Arguments {
    /// A JSON object.
    Json(Value),
    /// Not a JSON object. The engine answers the call with an error that lets the model repair it.
    Malformed {
        /// What the model wrote, cut at [`MALFORMED_ARGUMENTS_BYTES_MAX`].
        raw: String,
        /// Why it could not be read, with a position.
        reason: String,
    },
}

/// Longest raw text that is kept of arguments that could not be read, in bytes.
pub const MALFORMED_ARGUMENTS_BYTES_MAX: usize = 4096;

impl Arguments {
    /// Reads what a model wrote. Nothing at all counts as «no arguments».
    #[must_use]
    pub fn parse(raw: &str) -> Self {
        if raw.trim().is_empty() {
            return Self::Json(Value::Object(serde_json::Map::new()));
        }
        match serde_json::from_str(raw) {
            Ok(value @ Value::Object(_)) => Self::Json(value),
            // Some servers encode the object a second time, as a string.
            Ok(Value::String(inner)) => match serde_json::from_str(&inner) {
                Ok(value @ Value::Object(_)) => Self::Json(value),
                _ => Self::malformed(raw, "arguments are a string, not an object".to_owned()),
            },
            Ok(Value::Null) => Self::Json(Value::Object(serde_json::Map::new())),
            Ok(other) => {
                Self::malformed(raw, format!("arguments are {}, not an object", kind(&other)))
            }
            Err(error) => Self::malformed(raw, error.to_string()),
        }
    }

    fn malformed(raw: &str, reason: String) -> Self {
        Self::Malformed { raw: cut(raw, MALFORMED_ARGUMENTS_BYTES_MAX).to_owned(), reason }
    }

    /// The object that stands for these arguments when the call is shown to a model again. Providers accept objects
    /// only, so text that could not be read travels inside one.
    #[must_use]
    pub fn to_wire(&self) -> Value {
        match self {
            Self::Json(value @ Value::Object(_)) => value.clone(),
            Self::Json(other) => serde_json::json!({ "value": other }),
            Self::Malformed { raw, .. } => serde_json::json!({ "malformed_arguments": raw }),
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The longest prefix of `text` that has at most `bytes_max` bytes and ends between characters.
pub(crate) fn cut(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolOutcome {
    /// The [`ToolCall::id`] that this answers.
    pub call: String,
    /// The [`ToolCall::name`] that this answers.
    pub name: String,
    /// What the model is to read.
    pub content: String,
    /// The tool failed; `content` says how.
    pub is_error: bool,
}
