//! `doc_list` and `doc_read`.

use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{failed, path, text_of};
use crate::documents::Documents;
use crate::models::ToolSpec;
use crate::port::Page;
use crate::tools::{Caller, Effect, Tool, ToolError, parse, spec};

/// Most documents of one listing.
const LIST_ROWS_MAX: u32 = 500;
/// Most lines of one reading.
const LINES_MAX: usize = 2_000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ListArgs {
    /// Only documents below this folder, such as `documents/notes`.
    #[serde(default)]
    path_prefix: Option<String>,
    /// `next` of the page before.
    #[serde(default)]
    cursor: Option<String>,
}

pub(super) struct List(pub(super) Arc<Documents>);

#[async_trait]
impl Tool for List {
    fn spec(&self) -> ToolSpec {
        spec::<ListArgs>("doc_list", "Documents of the project by path, with kind and size.")
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    async fn call(&self, caller: &Caller, args: Value) -> Result<Value, ToolError> {
        let args: ListArgs = parse("doc_list", args)?;
        let under = args.path_prefix.unwrap_or_default();
        let page = Page { after: args.cursor, limit: LIST_ROWS_MAX };
        let under = under.trim_matches('/');
        let (slice, _) =
            self.0.list(&caller.op, &caller.project, under, page).await.map_err(failed)?;
        let rows: Vec<Value> = slice
            .rows
            .iter()
            .map(|row| json!({ "path": row.path, "kind": row.kind, "bytes": row.size, "revision": row.revision }))
            .collect();
        Ok(json!({ "count": rows.len(), "documents": rows, "next": slice.next }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReadArgs {
    /// The document's path.
    path: String,
    /// First line, from 1.
    #[serde(default)]
    start_line: Option<usize>,
    /// At most so many lines; 2,000 at most.
    #[serde(default)]
    max_lines: Option<usize>,
}

pub(super) struct Read(pub(super) Arc<Documents>);

#[async_trait]
impl Tool for Read {
    fn spec(&self) -> ToolSpec {
        spec::<ReadArgs>("doc_read", "Reads a document, or a range of its lines.")
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    async fn call(&self, caller: &Caller, args: Value) -> Result<Value, ToolError> {
        let args: ReadArgs = parse("doc_read", args)?;
        let path = path(&args.path)?;
        let document = self.0.get(&caller.op, &caller.project, &path).await.map_err(failed)?;
        let text = text_of(&path, &document.body)?;
        let total = text.lines().count();
        let start = args.start_line.unwrap_or(1).max(1);
        let count = args.max_lines.unwrap_or(LINES_MAX).min(LINES_MAX);
        let whole = start == 1 && total <= count;
        let content = if whole {
            text
        } else {
            text.split_inclusive('\n').skip(start - 1).take(count).collect()
        };
        let last = (start - 1 + count).min(total);
        Ok(json!({
            "path": path,
            "revision": document.row.revision,
            "content": content,
            "lines": { "from": start, "to": last, "of": total },
        }))
    }
}
