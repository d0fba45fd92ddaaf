//! The chat completions format: what comes back. Each leniency names who needs it.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::models::draft::{Draft, Trouble};
use crate::models::remote::Read;
use crate::models::sse::Event;
use crate::models::{Sink, Stop, Usage};

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    #[serde(default)]
    usage: Option<Counts>,
    #[serde(default)]
    error: Option<Value>,
    /// `error`, with `message` and `code` beside it, from older vLLM.
    #[serde(default)]
    object: Option<String>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    index: u64,
    /// Servers that ignore `stream` for some models send a whole `message`.
    #[serde(default, alias = "message")]
    delta: Option<Content>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    content: Option<Text>,
    #[serde(default)]
    refusal: Option<String>,
    /// vLLM, llama.cpp, DeepSeek.
    #[serde(default)]
    reasoning_content: Option<String>,
    /// Ollama, newer vLLM, gateways.
    #[serde(default)]
    reasoning: Option<Value>,
    #[serde(default)]
    tool_calls: Option<Vec<CallDelta>>,
}

/// Text, or parts of it as some gateways send.
#[derive(Deserialize)]
#[serde(untagged)]
enum Text {
    Plain(String),
    Parts(Vec<Value>),
}

#[derive(Deserialize)]
struct CallDelta {
    #[serde(default)]
    index: Option<u64>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: Option<FunctionDelta>,
}

#[derive(Deserialize)]
struct FunctionDelta {
    #[serde(default)]
    name: Option<String>,
    /// A string; an object from servers that take the name literally.
    #[serde(default)]
    arguments: Option<Value>,
}

#[derive(Clone, Copy, Deserialize)]
struct Counts {
    #[serde(default)]
    prompt_tokens: Option<u64>,
    #[serde(default)]
    completion_tokens: Option<u64>,
    #[serde(default)]
    prompt_tokens_details: Option<PromptCounts>,
}

#[derive(Clone, Copy, Deserialize)]
struct PromptCounts {
    #[serde(default)]
    cached_tokens: Option<u64>,
    #[serde(default)]
    cache_write_tokens: Option<u64>,
}

/// Reads one answer.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    draft: Draft,
    /// Places of calls by their index on the wire.
    calls: HashMap<u64, usize>,
    newest: Option<usize>,
    chunks: usize,
    refused: bool,
    /// What this server calls its reasoning.
    reasoning_name: &'static str,
}

impl Read for Reader {
    fn event(&mut self, event: &Event, sink: &dyn Sink) -> Result<bool, Trouble> {
        if event.data.trim() == "[DONE]" {
            return Ok(true);
        }
        let chunk: Chunk = serde_json::from_str(&event.data)
            .map_err(|error| Trouble::Nonsense(format!("a chunk can't be read: {error}")))?;
        if let Some(error) = chunk.error.filter(|error| !error.is_null()) {
            return Err(reported(&error));
        }
        if chunk.object.as_deref() == Some("error") {
            return Err(reported(&serde_json::from_str(&event.data).unwrap_or_default()));
        }
        self.chunks += 1;
        if let Some(model) = chunk.model.filter(|model| !model.is_empty()) {
            self.draft.model = model;
        }
        if let Some(counts) = chunk.usage {
            self.draft.usage = usage(counts).or(self.draft.usage);
        }
        // Only one choice is asked for.
        for choice in chunk.choices.unwrap_or_default().into_iter().filter(|c| c.index == 0) {
            self.choice(choice, sink)?;
        }
        Ok(false)
    }

    fn finish(mut self: Box<Self>, done: bool) -> Result<Draft, Trouble> {
        if self.chunks == 0 {
            return Err(Trouble::Nonsense("the stream holds no answer".to_owned()));
        }
        if !done && self.draft.stop.is_none() {
            return Err(Trouble::Early);
        }
        if self.refused {
            self.draft.stop = Some(Stop::Refusal);
        }
        if !self.draft.reasoning().is_empty() {
            self.draft.parts = vec![json!({ self.reasoning_name: self.draft.reasoning() })];
        }
        Ok(self.draft)
    }
}

impl Reader {
    fn choice(&mut self, choice: Choice, sink: &dyn Sink) -> Result<(), Trouble> {
        if let Some(content) = choice.delta {
            self.content(content, sink)?;
        }
        if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
            self.draft.stop = Some(stop(reason));
        }
        Ok(())
    }

    fn content(&mut self, content: Content, sink: &dyn Sink) -> Result<(), Trouble> {
        let reasoning = content.reasoning.and_then(|value| value.as_str().map(str::to_owned));
        let named = content.reasoning_content.map(|text| ("reasoning_content", text));
        if let Some((name, thinking)) = named.or(reasoning.map(|text| ("reasoning", text))) {
            self.reasoning_name = name;
            self.draft.thinking(thinking, sink)?;
        }
        match content.content {
            Some(Text::Plain(text)) => self.draft.text(text, sink)?,
            Some(Text::Parts(parts)) => {
                let texts = parts.iter().filter_map(|part| part["text"].as_str());
                self.draft.text(texts.collect(), sink)?;
            }
            None => {}
        }
        if let Some(refusal) = content.refusal {
            self.refused |= !refusal.is_empty();
            self.draft.text(refusal, sink)?;
        }
        for call in content.tool_calls.unwrap_or_default() {
            self.call(call, sink)?;
        }
        Ok(())
    }

    fn call(&mut self, call: CallDelta, sink: &dyn Sink) -> Result<(), Trouble> {
        let (name, arguments) = match call.function {
            Some(function) => (function.name.unwrap_or_default(), function.arguments),
            None => (String::new(), None),
        };
        let id = call.id.unwrap_or_default();
        let at = match self.continued(call.index, &id, &name) {
            Some(at) => at,
            None if name.is_empty() => {
                return Err(Trouble::Nonsense("a tool call has no name".to_owned()));
            }
            None => {
                let at = self.draft.open_call(id, name, sink)?;
                self.newest = Some(at);
                at
            }
        };
        if let Some(index) = call.index {
            self.calls.insert(index, at);
        }
        match arguments {
            None | Some(Value::Null) => Ok(()),
            Some(Value::String(piece)) => self.draft.arguments(at, &piece),
            Some(whole) => self.draft.arguments(at, &whole.to_string()),
        }
    }

    /// Where the call is that a delta goes on with; `None` if it begins one. By the book the index tells. Some servers
    /// send none, others give every call the index 0: then another id, or a name after complete arguments, begins one.
    fn continued(&self, index: Option<u64>, id: &str, name: &str) -> Option<usize> {
        let at = match index {
            Some(index) => *self.calls.get(&index)?,
            None => self.newest?,
        };
        let known = self.draft.id_of(at);
        let other_id = !id.is_empty() && !known.is_empty() && id != known;
        let begins =
            !name.is_empty() && (other_id || (id.is_empty() && self.draft.is_complete(at)));
        (!begins).then_some(at)
    }
}

/// An error inside a stream: an object by the book, a plain text from some.
fn reported(error: &Value) -> Trouble {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let message = if error.is_object() { text(&error["message"]) } else { text(error) };
    let kind = format!("{} {}", text(&error["type"]), text(&error["code"]));
    Trouble::Reported { kind: kind.trim().to_owned(), message }
}

/// Zero tokens on both sides is what servers send that do not count.
fn usage(counts: Counts) -> Option<Usage> {
    let prompt = counts.prompt_tokens.unwrap_or(0);
    let output = counts.completion_tokens.unwrap_or(0);
    let details = counts.prompt_tokens_details;
    let cache_read = details.and_then(|d| d.cached_tokens).unwrap_or(0);
    let cache_write = details.and_then(|d| d.cache_write_tokens).unwrap_or(0);
    let input = prompt.saturating_sub(cache_read).saturating_sub(cache_write);
    (prompt + output > 0).then_some(Usage { input, output, cache_read, cache_write })
}

fn stop(reason: String) -> Stop {
    match reason.as_str() {
        "stop" | "eos" | "eos_token" | "end_turn" | "stop_sequence" => Stop::EndTurn,
        "tool_calls" | "function_call" | "tool_use" => Stop::ToolUse,
        "length" | "max_tokens" => Stop::MaxTokens,
        "content_filter" | "refusal" | "safety" => Stop::Refusal,
        _ => Stop::Other(reason),
    }
}
