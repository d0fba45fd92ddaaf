//! The Anthropic Messages format: what comes back.

mod parts;

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

use self::parts::Parts;
use crate::models::draft::{Draft, Trouble};
use crate::models::remote::Read;
use crate::models::sse::Event;
use crate::models::{Sink, Stop};

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Wire {
    MessageStart {
        message: Message,
    },
    ContentBlockStart {
        index: u64,
        content_block: Value,
    },
    ContentBlockDelta {
        index: u64,
        delta: BlockDelta,
    },
    MessageDelta {
        delta: MessageDelta,
        usage: Option<Counts>,
    },
    MessageStop,
    Error {
        error: Reported,
    },
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    model: String,
    usage: Option<Counts>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        #[serde(default)]
        text: String,
    },
    Thinking {
        #[serde(default)]
        thinking: String,
    },
    ToolUse {
        #[serde(default)]
        id: String,
        name: String,
        #[serde(default)]
        input: serde_json::Value,
    },
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum BlockDelta {
    TextDelta {
        text: String,
    },
    ThinkingDelta {
        thinking: String,
    },
    InputJsonDelta {
        partial_json: String,
    },
    SignatureDelta {
        signature: String,
    },
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
struct MessageDelta {
    stop_reason: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
struct Counts {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct Reported {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    message: String,
}

/// Reads one answer.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    draft: Draft,
    /// Places of calls by the index of their block.
    calls: HashMap<u64, usize>,
    parts: Parts,
    started: bool,
}

impl Read for Reader {
    fn event(&mut self, event: &Event, sink: &dyn Sink) -> Result<bool, Trouble> {
        let wire: Wire = serde_json::from_str(&event.data).map_err(|error| {
            let kind = if event.kind.is_empty() { "unnamed" } else { &event.kind };
            Trouble::Nonsense(format!("an event ({kind}) can't be read: {error}"))
        })?;
        match wire {
            Wire::MessageStart { message } => {
                self.started = true;
                self.draft.model = message.model;
                self.count(message.usage);
            }
            Wire::ContentBlockStart { index, content_block } => {
                let block = Block::deserialize(&content_block).map_err(|error| {
                    Trouble::Nonsense(format!("block {index} can't be read: {error}"))
                })?;
                self.parts.open(index, content_block);
                self.open(index, block, sink)?;
            }
            Wire::ContentBlockDelta { index, delta } => self.more(index, delta, sink)?,
            Wire::MessageDelta { delta, usage } => {
                self.draft.stop = delta.stop_reason.map(stop).or(self.draft.stop.take());
                self.count(usage);
            }
            Wire::MessageStop => return Ok(true),
            Wire::Error { error } => {
                return Err(Trouble::Reported { kind: error.kind, message: error.message });
            }
            // Pings, ends of blocks, and what the format will grow.
            Wire::Unknown => {}
        }
        Ok(false)
    }

    fn finish(mut self: Box<Self>, done: bool) -> Result<Draft, Trouble> {
        if !self.started {
            return Err(Trouble::Nonsense("the stream holds no message".to_owned()));
        }
        if !done && self.draft.stop.is_none() {
            return Err(Trouble::Early);
        }
        self.draft.parts = self.parts.finish();
        Ok(self.draft)
    }
}

impl Reader {
    fn open(&mut self, index: u64, block: Block, sink: &dyn Sink) -> Result<(), Trouble> {
        match block {
            Block::Text { text } => self.draft.text(text, sink),
            Block::Thinking { thinking } => self.draft.thinking(thinking, sink),
            Block::ToolUse { id, name, input } => {
                let at = self.draft.open_call(id, name, sink)?;
                self.calls.insert(index, at);
                // Gateways that don't stream arguments put all of them here.
                match input.as_object() {
                    Some(object) if !object.is_empty() => {
                        self.draft.arguments(at, &input.to_string())
                    }
                    _ => Ok(()),
                }
            }
            Block::Unknown => Ok(()),
        }
    }

    fn more(&mut self, index: u64, delta: BlockDelta, sink: &dyn Sink) -> Result<(), Trouble> {
        match delta {
            BlockDelta::TextDelta { text } => {
                self.parts.append(index, "text", &text);
                self.draft.text(text, sink)
            }
            BlockDelta::ThinkingDelta { thinking } => {
                self.parts.append(index, "thinking", &thinking);
                self.draft.thinking(thinking, sink)
            }
            BlockDelta::SignatureDelta { signature } => {
                self.parts.append(index, "signature", &signature);
                self.draft.count(signature.len())
            }
            BlockDelta::InputJsonDelta { partial_json } => match self.calls.get(&index) {
                Some(&at) => {
                    self.parts.append_input(index, &partial_json);
                    self.draft.arguments(at, &partial_json)
                }
                // Arguments of a server-side tool, whose block we don't read.
                None => Ok(()),
            },
            BlockDelta::Unknown => Ok(()),
        }
    }

    /// Counts come twice, and the later ones are complete.
    fn count(&mut self, counts: Option<Counts>) {
        let Some(counts) = counts else { return };
        let usage = self.draft.usage.get_or_insert_default();
        let take = |field: &mut u64, counted: Option<u64>| *field = counted.unwrap_or(*field);
        take(&mut usage.input, counts.input_tokens);
        take(&mut usage.output, counts.output_tokens);
        take(&mut usage.cache_read, counts.cache_read_input_tokens);
        take(&mut usage.cache_write, counts.cache_creation_input_tokens);
    }
}

fn stop(reason: String) -> Stop {
    match reason.as_str() {
        "end_turn" | "stop_sequence" => Stop::EndTurn,
        "tool_use" => Stop::ToolUse,
        "max_tokens" | "model_context_window_exceeded" => Stop::MaxTokens,
        "refusal" => Stop::Refusal,
        _ => Stop::Other(reason),
    }
}
