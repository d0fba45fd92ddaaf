//! The blocks of an answer as they came, to be sent back untouched.

use std::collections::BTreeMap;

use serde_json::Value;

/// Blocks by their index.
#[derive(Debug, Default)]
pub(super) struct Parts {
    blocks: BTreeMap<u64, Part>,
    has_reasoning: bool,
}

#[derive(Debug)]
struct Part {
    block: Value,
    /// Arguments of a call as they stream; they replace the block's own.
    input: String,
}

impl Parts {
    /// A block begins.
    pub(super) fn open(&mut self, index: u64, block: Value) {
        let kind = block["type"].as_str().unwrap_or_default();
        self.has_reasoning |= matches!(kind, "thinking" | "redacted_thinking");
        self.blocks.insert(index, Part { block, input: String::new() });
    }

    /// A text field of a block grows.
    pub(super) fn append(&mut self, index: u64, field: &str, piece: &str) {
        let Some(part) = self.blocks.get_mut(&index) else { return };
        let Some(object) = part.block.as_object_mut() else { return };
        match object.get_mut(field) {
            Some(Value::String(text)) => text.push_str(piece),
            _ => {
                object.insert(field.to_owned(), Value::String(piece.to_owned()));
            }
        }
    }

    /// The arguments of a call grow.
    pub(super) fn append_input(&mut self, index: u64, piece: &str) {
        if let Some(part) = self.blocks.get_mut(&index) {
            part.input.push_str(piece);
        }
    }

    /// All blocks, or none if the answer can do without: then it is built from its text and calls like any other. So it
    /// is when arguments can't be read, since no provider takes those back.
    pub(super) fn finish(self) -> Vec<Value> {
        if !self.has_reasoning {
            return Vec::new();
        }
        let whole = |mut part: Part| {
            if !part.input.is_empty() {
                part.block["input"] = serde_json::from_str(&part.input).ok()?;
            }
            // An empty text is refused, though the provider may have sent one.
            let is_blank = part.block["type"] == "text" && part.block["text"] == "";
            Some((!is_blank).then_some(part.block))
        };
        let blocks: Option<Vec<_>> = self.blocks.into_values().map(whole).collect();
        blocks.unwrap_or_default().into_iter().flatten().collect()
    }
}
