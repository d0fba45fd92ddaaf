//! What the fake is told to answer.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Body of `POST /_script`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// Forget earlier rules and replies first.
    pub replace: bool,
    /// Asked in order; the first that matches and has a reply left answers.
    pub rules: Vec<Rule>,
    /// Answer requests that no rule took, first come first served.
    pub queue: VecDeque<Reply>,
}

impl Script {
    /// A script whose replies answer the requests whose last user message contains `text`.
    #[must_use]
    pub fn on(text: &str, replies: impl IntoIterator<Item = Reply>) -> Self {
        Self { rules: vec![Rule::on(text, replies)], ..Self::default() }
    }
}

/// Replies for the requests that match.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rule {
    /// Which requests.
    pub when: Match,
    /// Answers, used up in order.
    pub replies: VecDeque<Reply>,
    /// The replies go round for ever.
    pub repeat: bool,
}

impl Rule {
    /// Replies for requests whose last user message contains `text`.
    #[must_use]
    pub fn on(text: &str, replies: impl IntoIterator<Item = Reply>) -> Self {
        Self {
            when: Match { last_user: Some(text.to_owned()), ..Match::default() },
            replies: replies.into_iter().collect(),
            repeat: false,
        }
    }

    /// The same, answering again and again.
    #[must_use]
    pub fn repeated(mut self) -> Self {
        self.repeat = true;
        self
    }

    pub(super) fn next(&mut self) -> Option<Reply> {
        let reply = self.replies.pop_front()?;
        if self.repeat {
            self.replies.push_back(reply.clone());
        }
        Some(reply)
    }
}

/// All that is given must hold.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Match {
    /// The last user message contains this.
    pub last_user: Option<String>,
    /// The raw body contains this.
    pub body: Option<String>,
    /// The model is named so.
    pub model: Option<String>,
    /// So many messages with tool outcomes stand after the last user message.
    pub tool_rounds: Option<usize>,
}

impl Match {
    pub(super) fn needs_whole_body(&self) -> bool {
        self.body.is_some() || self.tool_rounds.is_some()
    }
}

/// One answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reply {
    /// The visible answer. Absent: nothing if there are calls, else `ok: ` and the last user message.
    pub text: Option<String>,
    /// Reasoning before it.
    pub thinking: Option<String>,
    /// Tool calls after it.
    pub calls: Vec<Call>,
    /// Characters of a chunk; 0 = all in one.
    pub chunk_chars: usize,
    /// Wait before the first byte of the answer, in milliseconds.
    pub first_delay_ms: u64,
    /// Wait before each chunk, in milliseconds. Absent: the server's own delay.
    pub delay_ms: Option<u64>,
    /// Token counts. Absent: a quarter of the lengths.
    pub usage: Option<Tokens>,
    /// Stop reason as it goes over the wire. Absent: what fits the answer.
    pub stop: Option<String>,
    /// What goes wrong.
    pub fault: Option<Fault>,
    /// How the wire differs from the book.
    pub quirks: Quirks,
}

impl Reply {
    /// Says `text`.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self { text: Some(text.to_owned()), chunk_chars: 8, ..Self::default() }
    }

    /// Asks for one tool.
    #[must_use]
    pub fn call(name: &str, arguments: Value) -> Self {
        Self { calls: vec![Call::new(name, arguments)], ..Self::default() }
    }

    /// Goes wrong.
    #[must_use]
    pub fn fault(fault: Fault) -> Self {
        Self { fault: Some(fault), chunk_chars: 8, ..Self::default() }
    }

    /// Goes wrong while saying `text`.
    #[must_use]
    pub fn with_fault(mut self, fault: Fault) -> Self {
        self.fault = Some(fault);
        self
    }
}

/// A tool call.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Call {
    /// Absent: made up, unique.
    pub id: Option<String>,
    /// Name of the tool.
    pub name: String,
    /// Arguments; any JSON value.
    pub arguments: Value,
    /// Instead of `arguments`: this text, valid or not.
    pub raw: Option<String>,
}

impl Call {
    /// A call with a made-up id.
    #[must_use]
    pub fn new(name: &str, arguments: Value) -> Self {
        Self { name: name.to_owned(), arguments, ..Self::default() }
    }

    pub(super) fn written(&self) -> String {
        self.raw.clone().unwrap_or_else(|| match &self.arguments {
            Value::Null => "{}".to_owned(),
            arguments => arguments.to_string(),
        })
    }
}

/// Token counts of a reply.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tokens {
    /// Input at full price.
    pub input: u64,
    /// Output.
    pub output: u64,
    /// Input from the cache.
    pub cache_read: u64,
    /// Input put into the cache.
    pub cache_write: u64,
}

/// What can go wrong.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Fault {
    /// An answer with this status instead of a stream.
    Status {
        /// Status code.
        status: u16,
        /// Value of `retry-after`.
        #[serde(default)]
        retry_after: Option<String>,
        /// Body; absent: an error in the words of the dialect.
        #[serde(default)]
        body: Option<String>,
    },
    /// Silence until the client leaves: before the headers, or after so many chunks.
    Hang {
        /// Chunks before the silence.
        #[serde(default)]
        after_chunks: Option<usize>,
    },
    /// The connection breaks after so many chunks.
    Cut {
        /// Chunks before the break.
        after_chunks: usize,
    },
    /// The stream ends properly as HTTP, too early as an answer.
    EndEarly {
        /// Chunks before the end.
        after_chunks: usize,
    },
    /// An error event inside the stream.
    ErrorEvent {
        /// Chunks before it.
        after_chunks: usize,
        /// Its type, for instance `overloaded_error`.
        error: String,
    },
    /// An event whose data is not JSON, after so many chunks.
    BrokenJson {
        /// Chunks before it.
        after_chunks: usize,
    },
    /// Bytes that are no event stream, sent as one.
    BrokenStream,
    /// A line that does not end within so many bytes.
    EndlessLine {
        /// Length of the line.
        bytes: usize,
    },
    /// Status 200, this content type, this body.
    ContentType {
        /// Value of `content-type`.
        content_type: String,
        /// The body.
        body: String,
    },
    /// Status 200 and not one byte.
    Empty,
}

/// How the wire differs from the book. The first four concern chat completions only.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Quirks {
    /// Tool calls come without an id.
    pub no_ids: bool,
    /// Each tool call comes in one chunk.
    pub whole_calls: bool,
    /// All tool calls have index 0.
    pub same_index: bool,
    /// No `[DONE]`.
    pub no_done: bool,
    /// No token counts.
    pub no_usage: bool,
    /// Lines end with CR LF.
    pub crlf: bool,
    /// The stream is written in pieces of so many bytes, wherever they fall.
    pub split_bytes: usize,
}
