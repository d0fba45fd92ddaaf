//! `doc_write` and `doc_edit`.

use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{failed, path, text_of};
use crate::documents::{Documents, Expected};
use crate::models::ToolSpec;
use crate::tools::{Caller, Effect, Tool, ToolError, parse, spec};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct WriteArgs {
    /// The document's path.
    path: String,
    /// The whole text.
    content: String,
    /// Only if the document is at this revision, from doc_read.
    #[serde(default)]
    revision: Option<u64>,
}

pub(super) struct Write(pub(super) Arc<Documents>);

#[async_trait]
impl Tool for Write {
    fn spec(&self) -> ToolSpec {
        spec::<WriteArgs>(
            "doc_write",
            "Creates a document, or replaces its whole text. Older versions stay in its history.",
        )
    }

    fn effect(&self) -> Effect {
        Effect::Writes
    }

    async fn call(&self, caller: &Caller, args: Value) -> Result<Value, ToolError> {
        let args: WriteArgs = parse("doc_write", args)?;
        let path = path(&args.path)?;
        let expected = args
            .revision
            .map_or(Expected::Any, |r| Expected::Revision(api_types::ids::Revision(r)));
        let row =
            self.0.put(&caller.op, &caller.project, &path, args.content.into(), expected).await;
        let row = row.map_err(failed)?;
        Ok(json!({ "ok": true, "path": row.path, "revision": row.revision, "bytes": row.size }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EditArgs {
    /// The document's path.
    path: String,
    /// The text to be replaced, exactly as it stands.
    old_text: String,
    /// What comes in its place.
    new_text: String,
    /// Replace every occurrence; otherwise there must be exactly one.
    #[serde(default)]
    replace_all: bool,
}

pub(super) struct Edit(pub(super) Arc<Documents>);

#[async_trait]
impl Tool for Edit {
    fn spec(&self) -> ToolSpec {
        spec::<EditArgs>("doc_edit", "Replaces a piece of a document's text.")
    }

    fn effect(&self) -> Effect {
        Effect::Writes
    }

    async fn call(&self, caller: &Caller, args: Value) -> Result<Value, ToolError> {
        let args: EditArgs = parse("doc_edit", args)?;
        let path = path(&args.path)?;
        if args.old_text.is_empty() {
            return Err(ToolError::new("oldText is empty")
                .hint("doc_write creates or replaces a whole document"));
        }
        let document = self.0.get(&caller.op, &caller.project, &path).await.map_err(failed)?;
        let text = text_of(&path, &document.body)?;
        let found = text.matches(&args.old_text).count();
        match found {
            0 => {
                return Err(ToolError::new(format!("oldText does not occur in {path}"))
                    .hint("doc_read shows the text as it is"));
            }
            1 => {}
            n if args.replace_all => tracing::debug!(occurrences = n, "doc_edit replaces all"),
            n => {
                return Err(ToolError::new(format!("oldText occurs {n} times in {path}"))
                    .hint("give more of the text around it, or replaceAll"));
            }
        }
        let text = text.replace(&args.old_text, &args.new_text);
        let expected = Expected::Revision(document.row.revision);
        let row = self
            .0
            .put(&caller.op, &caller.project, &path, text.into(), expected)
            .await
            .map_err(failed)?;
        Ok(json!({ "ok": true, "path": row.path, "revision": row.revision, "replaced": found }))
    }
}
