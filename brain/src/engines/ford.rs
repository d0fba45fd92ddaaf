//! Ford: a worker with one model and a tool loop. It ends when the model answers without a tool call.

use super::Engine;

/// The one-model worker.
#[derive(Debug)]
pub struct Ford;

impl Engine for Ford {
    fn name(&self) -> &'static str {
        "ford"
    }

    fn tools(&self) -> &'static [&'static str] {
        &[
            "current_time",
            "doc_edit",
            "doc_find",
            "doc_grep",
            "doc_list",
            "doc_read",
            "doc_write",
            "manual_list",
            "manual_read",
            "recipe_describe",
            "recipe_list",
            "whoami",
        ]
    }

    fn iterations(&self) -> usize {
        40
    }
}
