//! Language models behind one port.
//!
//! A [`Provider`] takes a [`Request`], streams [`Delta`]s into a [`Sink`] and returns the complete [`Answer`]. What a
//! caller stores is the answer; deltas are for people who watch. Wire formats, retries, deadlines and cancellation stay
//! behind the port.

pub mod message;
pub mod request;
pub mod segment;

pub mod error;
pub mod providers;
pub mod retry;

mod adjust;
mod anthropic;
mod draft;
mod echo;
mod openai;
mod remote;
mod sse;
mod wire;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

pub use self::error::Error;
pub use self::message::{Arguments, Carry, Message, ToolCall, ToolOutcome};
pub use self::providers::{ApiKey, Config, Providers};
pub use self::remote::Timeouts;
pub use self::request::{ModelSpec, ProviderName, Request, SystemBlock};
pub use self::segment::{Dialect, Segment, ToolSet, ToolSpec};

/// What a watcher of a running call sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delta {
    /// A piece of the visible answer.
    Text(String),
    /// A piece of the model's reasoning.
    Thinking(String),
    /// The call was cut and is made again: all deltas before this one are void.
    Restarted {
        /// Number of the attempt that starts now; the first was 1.
        attempt: u32,
        /// What happened to the one before.
        reason: String,
    },
    /// The model began to write a call of this tool.
    ToolCall {
        /// The tool.
        name: String,
    },
}

/// Where deltas go. Must not block.
pub trait Sink: Send + Sync {
    /// Takes the next delta.
    fn delta(&self, delta: Delta);
}

/// A sink for callers without watchers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Discard;

impl Sink for Discard {
    fn delta(&self, _: Delta) {}
}

/// What a model answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The visible answer.
    pub text: String,
    /// The model's reasoning, if it shows it.
    pub thinking: String,
    /// The tools that it asks for, in its order.
    pub calls: Vec<ToolCall>,
    /// What it cost.
    pub usage: Usage,
    /// Why it stopped.
    pub stop: Stop,
    /// The model that answered, in the provider's words.
    pub model: String,
    /// What goes back to the model with the outcomes of its calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carry: Option<Carry>,
}

/// Tokens of a call. Input is counted without what the cache served or stored: the four add up to the whole.
/// Where a server counts nothing, input and output are estimated from lengths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Read at full price.
    pub input: u64,
    /// Written by the model.
    pub output: u64,
    /// Read from the prompt cache.
    pub cache_read: u64,
    /// Stored in the prompt cache.
    pub cache_write: u64,
}

/// Why a model stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stop {
    /// It had said all.
    EndTurn,
    /// It waits for the outcomes of its calls.
    ToolUse,
    /// It reached [`Request::max_tokens`].
    MaxTokens,
    /// It, or a filter of its provider, declined.
    Refusal,
    /// Another reason, in the provider's words.
    Other(String),
}

/// The port.
#[async_trait]
pub trait Provider: Send + Sync {
    /// Asks a model, streams what it says into `sink` and returns its complete answer.
    ///
    /// Failed attempts are made again as [`retry::RetryPolicy`] allows; a watcher learns by [`Delta::Restarted`] that what
    /// it saw is void. When the caller cancels or its deadline passes, the connection is closed at once.
    ///
    /// # Errors
    /// [`Error`]; [`Error::Busy`] asks the caller to come back later.
    async fn call(
        &self,
        ctx: &crate::ctx::OpCtx,
        request: &Request,
        sink: &dyn Sink,
    ) -> Result<Answer, Error>;
}

#[cfg(test)]
mod tests;
