//! Messages and tool lists whose wire bytes are made once and shared by every later request.
//!
//! A turn sends the whole conversation again. Serialising it again would make the cost of a turn grow with the length
//! of its session, and a prefix that is re-made can differ from its last time, which a provider's prompt cache punishes.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use serde_json::Value;

use super::message::Message;
use super::request::ModelSpec;
use super::{anthropic, openai};

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI chat completions, and what imitates it.
    OpenAi,
}

#[derive(Debug, Default)]
struct Wire {
    anthropic: OnceLock<Bytes>,
    openai: OnceLock<Bytes>,
}

impl Wire {
    fn get(&self, dialect: Dialect, make: impl FnOnce() -> Bytes) -> &Bytes {
        match dialect {
            Dialect::Anthropic => self.anthropic.get_or_init(make),
            Dialect::OpenAi => self.openai.get_or_init(make),
        }
    }
}

/// A message with its wire bytes, which are made at first use.
#[derive(Debug)]
pub struct Segment {
    message: Message,
    wire: Wire,
    /// The same with what is carried along.
    carrying: OnceLock<Bytes>,
}

impl Segment {
    /// Wraps a message, which can't change from here on.
    #[must_use]
    pub fn new(message: Message) -> Self {
        Self { message, wire: Wire::default(), carrying: OnceLock::new() }
    }

    /// The message.
    #[must_use]
    pub fn message(&self) -> &Message {
        &self.message
    }

    /// The message as elements of the request's `messages` array, joined by commas. Empty if the dialect has nothing to
    /// send for it (an assistant message without text and calls).
    #[must_use]
    pub fn wire(&self, dialect: Dialect) -> &Bytes {
        self.wire.get(dialect, || match dialect {
            Dialect::Anthropic => anthropic::message_bytes(&self.message),
            Dialect::OpenAi => openai::message_bytes(&self.message),
        })
    }

    /// The same, with what `model` wants back if this message is an answer of that model.
    pub(crate) fn wire_for(&self, dialect: Dialect, model: &ModelSpec) -> &Bytes {
        match &self.message {
            Message::Assistant { text, calls, carry: Some(carry) }
                if carry.model == model.to_string() =>
            {
                self.carrying.get_or_init(|| match dialect {
                    Dialect::Anthropic => anthropic::carrying_bytes(&carry.parts),
                    Dialect::OpenAi => openai::carrying_bytes(text, calls, &carry.parts),
                })
            }
            _ => self.wire(dialect),
        }
    }
}

/// A tool as the model is told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// Name by which the model calls it.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// JSON Schema of its arguments.
    pub schema: Value,
}

/// An immutable list of tools, sorted by name so that equal sets have equal bytes.
#[derive(Debug, Default)]
pub struct ToolSet {
    specs: Vec<ToolSpec>,
    wire: Wire,
}

impl ToolSet {
    /// Sorts the tools. Of several with one name the first stays.
    #[must_use]
    pub fn new(mut specs: Vec<ToolSpec>) -> Self {
        specs.sort_by(|a, b| a.name.cmp(&b.name));
        specs.dedup_by(|later, earlier| later.name == earlier.name);
        Self { specs, wire: Wire::default() }
    }

    /// No tools.
    #[must_use]
    pub fn empty() -> Arc<Self> {
        Arc::new(Self::default())
    }

    /// The tools, by name.
    #[must_use]
    pub fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    /// The tool of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&ToolSpec> {
        let at = self.specs.binary_search_by(|spec| spec.name.as_str().cmp(name)).ok()?;
        Some(&self.specs[at])
    }

    /// The tools as the request's `tools` array, brackets included; empty if there are none.
    #[must_use]
    pub fn wire(&self, dialect: Dialect) -> &Bytes {
        self.wire.get(dialect, || {
            if self.specs.is_empty() {
                return Bytes::new();
            }
            match dialect {
                Dialect::Anthropic => anthropic::tool_bytes(&self.specs),
                Dialect::OpenAi => openai::tool_bytes(&self.specs),
            }
        })
    }
}
