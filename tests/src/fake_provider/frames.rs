//! A reply as the events of its dialect.

use serde_json::{Value, json};

use super::incoming::Incoming;
use super::script::{Call, Reply, Tokens};

/// Events of an answer. Faults count and strike at `chunks`.
#[derive(Debug, Default)]
pub(super) struct Frames {
    pub(super) head: String,
    pub(super) chunks: Vec<String>,
    pub(super) tail: String,
}

/// A reply with all its blanks filled.
#[derive(Debug)]
pub(super) struct Filled<'a> {
    pub(super) id: u64,
    pub(super) model: &'a str,
    pub(super) text: String,
    pub(super) thinking: &'a str,
    pub(super) calls: Vec<(String, &'a Call)>,
    pub(super) tokens: Tokens,
    pub(super) reply: &'a Reply,
}

impl<'a> Filled<'a> {
    pub(super) fn new(reply: &'a Reply, request: &'a Incoming, id: u64) -> Self {
        let text = match &reply.text {
            Some(text) => text.clone(),
            None if reply.calls.is_empty() => format!("ok: {}", request.last_user),
            None => String::new(),
        };
        let name =
            |at: usize, call: &Call| call.id.clone().unwrap_or_else(|| format!("call_{id}_{at}"));
        let calls = reply.calls.iter().enumerate().map(|(at, c)| (name(at, c), c)).collect();
        let tokens = reply.usage.unwrap_or_else(|| Tokens {
            input: (request.bytes as u64).div_ceil(4),
            output: (text.len() as u64).div_ceil(4),
            ..Tokens::default()
        });
        let thinking = reply.thinking.as_deref().unwrap_or_default();
        Self { id, model: &request.model, text, thinking, calls, tokens, reply }
    }

    /// Text in pieces as the reply wants them.
    pub(super) fn pieces<'t>(&self, text: &'t str) -> Vec<&'t str> {
        pieces(text, self.reply.chunk_chars)
    }
}

fn pieces(text: &str, chars: usize) -> Vec<&str> {
    if text.is_empty() {
        return Vec::new();
    }
    if chars == 0 {
        return vec![text];
    }
    let mut starts: Vec<_> = text.char_indices().step_by(chars).map(|(at, _)| at).collect();
    starts.push(text.len());
    starts.windows(2).map(|ends| &text[ends[0]..ends[1]]).collect()
}

/// Events of Anthropic Messages.
pub(super) mod anthropic {
    use super::{Filled, Frames, Value, json};

    /// One event.
    pub(in crate::fake_provider) fn event(kind: &str, data: &Value) -> String {
        format!("event: {kind}\ndata: {data}\n\n")
    }

    /// A whole answer.
    pub(in crate::fake_provider) fn frames(a: &Filled<'_>) -> Frames {
        let mut chunks = Vec::new();
        let mut index = 0;
        for (kind, field, text) in
            [("thinking", "thinking", a.thinking), ("text", "text", a.text.as_str())]
        {
            if !text.is_empty() {
                let start = json!({"type": kind, field: ""});
                let delta = |piece: &str| json!({"type": format!("{kind}_delta"), field: piece});
                let signature = json!({"type": "signature_delta", "signature": signature(text)});
                let signed = (kind == "thinking").then_some(signature);
                let deltas = a.pieces(text).into_iter().map(delta).chain(signed);
                block(&mut chunks, index, &start, deltas);
                index += 1;
            }
        }
        for (id, call) in &a.calls {
            let start = json!({"type": "tool_use", "id": id, "name": call.name, "input": {}});
            let written = call.written();
            let delta = |piece: &str| json!({"type": "input_json_delta", "partial_json": piece});
            block(&mut chunks, index, &start, a.pieces(&written).into_iter().map(delta));
            index += 1;
        }
        Frames { head: head(a), chunks, tail: tail(a) }
    }

    /// What the fake signs its reasoning with.
    fn signature(text: &str) -> String {
        format!("signed:{}", text.len())
    }

    fn block(
        chunks: &mut Vec<String>,
        index: usize,
        start: &Value,
        deltas: impl Iterator<Item = Value>,
    ) {
        let mut chunk = event(
            "content_block_start",
            &json!({"type": "content_block_start", "index": index, "content_block": start}),
        );
        for delta in deltas {
            chunk += &event(
                "content_block_delta",
                &json!({"type": "content_block_delta", "index": index, "delta": delta}),
            );
            chunks.push(std::mem::take(&mut chunk));
        }
        chunk +=
            &event("content_block_stop", &json!({"type": "content_block_stop", "index": index}));
        chunks.push(chunk);
    }

    fn head(a: &Filled<'_>) -> String {
        let usage = json!({
            "input_tokens": a.tokens.input,
            "cache_read_input_tokens": a.tokens.cache_read,
            "cache_creation_input_tokens": a.tokens.cache_write,
            "output_tokens": 1,
        });
        let message = json!({
            "id": format!("msg_{}", a.id), "type": "message", "role": "assistant",
            "model": a.model, "content": [], "stop_reason": null, "stop_sequence": null,
            "usage": usage,
        });
        event("message_start", &json!({"type": "message_start", "message": message}))
            + &event("ping", &json!({"type": "ping"}))
    }

    fn tail(a: &Filled<'_>) -> String {
        let delta = json!({"stop_reason": stop(a), "stop_sequence": null});
        let usage = json!({"output_tokens": a.tokens.output});
        event("message_delta", &json!({"type": "message_delta", "delta": delta, "usage": usage}))
            + &event("message_stop", &json!({"type": "message_stop"}))
    }

    fn stop(a: &Filled<'_>) -> String {
        let usual = if a.calls.is_empty() { "end_turn" } else { "tool_use" };
        a.reply.stop.clone().unwrap_or_else(|| usual.to_owned())
    }

    /// The answer without a stream.
    pub(in crate::fake_provider) fn whole(a: &Filled<'_>) -> Value {
        let mut content = Vec::new();
        if !a.text.is_empty() {
            content.push(json!({"type": "text", "text": a.text}));
        }
        for (id, call) in &a.calls {
            content.push(json!({
                "type": "tool_use", "id": id, "name": call.name, "input": call.arguments,
            }));
        }
        json!({
            "id": format!("msg_{}", a.id), "type": "message", "role": "assistant",
            "model": a.model, "content": content, "stop_reason": stop(a),
            "usage": {"input_tokens": a.tokens.input, "output_tokens": a.tokens.output},
        })
    }

    /// An error in the words of the dialect.
    pub(in crate::fake_provider) fn error(kind: &str, message: &str) -> Value {
        json!({"type": "error", "error": {"type": kind, "message": message}})
    }
}

/// Events of chat completions.
pub(super) mod openai {
    use super::{Call, Filled, Frames, Value, json};

    /// One event.
    pub(in crate::fake_provider) fn event(data: &Value) -> String {
        format!("data: {data}\n\n")
    }

    fn chunk(a: &Filled<'_>, delta: &Value, finish: Option<&str>) -> String {
        event(&json!({
            "id": format!("chatcmpl-{}", a.id), "object": "chat.completion.chunk",
            "model": a.model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }))
    }

    /// A whole answer.
    pub(in crate::fake_provider) fn frames(a: &Filled<'_>) -> Frames {
        let mut chunks = Vec::new();
        for (field, text) in [("reasoning_content", a.thinking), ("content", a.text.as_str())] {
            chunks.extend(a.pieces(text).iter().map(|p| chunk(a, &json!({field: p}), None)));
        }
        for (at, (id, call)) in a.calls.iter().enumerate() {
            calls(a, &mut chunks, at, id, call);
        }
        let head = chunk(a, &json!({"role": "assistant", "content": ""}), None);
        Frames { head, chunks, tail: tail(a) }
    }

    fn calls(a: &Filled<'_>, chunks: &mut Vec<String>, at: usize, id: &str, call: &Call) {
        let index = if a.reply.quirks.same_index { 0 } else { at };
        let written = call.written();
        let whole = a.reply.quirks.whole_calls;
        let mut start = json!({
            "index": index, "type": "function",
            "function": {"name": call.name, "arguments": if whole { written.as_str() } else { "" }},
        });
        if !a.reply.quirks.no_ids {
            start["id"] = json!(id);
        }
        chunks.push(chunk(a, &json!({"tool_calls": [start]}), None));
        if whole {
            return;
        }
        for piece in a.pieces(&written) {
            let delta = json!({"index": index, "function": {"arguments": piece}});
            chunks.push(chunk(a, &json!({"tool_calls": [delta]}), None));
        }
    }

    fn stop(a: &Filled<'_>) -> String {
        let usual = if a.calls.is_empty() { "stop" } else { "tool_calls" };
        a.reply.stop.clone().unwrap_or_else(|| usual.to_owned())
    }

    fn usage(a: &Filled<'_>) -> Value {
        let prompt = a.tokens.input + a.tokens.cache_read + a.tokens.cache_write;
        json!({
            "prompt_tokens": prompt, "completion_tokens": a.tokens.output,
            "total_tokens": prompt + a.tokens.output,
            "prompt_tokens_details": {
                "cached_tokens": a.tokens.cache_read, "cache_write_tokens": a.tokens.cache_write,
            },
        })
    }

    fn tail(a: &Filled<'_>) -> String {
        let mut tail = chunk(a, &json!({}), Some(&stop(a)));
        if !a.reply.quirks.no_usage {
            tail += &event(&json!({
                "id": format!("chatcmpl-{}", a.id), "object": "chat.completion.chunk",
                "model": a.model, "choices": [], "usage": usage(a),
            }));
        }
        if !a.reply.quirks.no_done {
            tail += "data: [DONE]\n\n";
        }
        tail
    }

    /// The answer without a stream.
    pub(in crate::fake_provider) fn whole(a: &Filled<'_>) -> Value {
        let call = |(id, call): &(String, &Call)| {
            json!({
                "id": id, "type": "function",
                "function": {"name": call.name, "arguments": call.written()},
            })
        };
        let mut message = json!({"role": "assistant", "content": a.text});
        if !a.calls.is_empty() {
            message["tool_calls"] = a.calls.iter().map(call).collect();
        }
        json!({
            "id": format!("chatcmpl-{}", a.id), "object": "chat.completion", "model": a.model,
            "choices": [{"index": 0, "message": message, "finish_reason": stop(a)}],
            "usage": usage(a),
        })
    }

    /// An error in the words of the dialect.
    pub(in crate::fake_provider) fn error(kind: &str, message: &str) -> Value {
        json!({"error": {"message": message, "type": kind, "param": null, "code": kind}})
    }
}
