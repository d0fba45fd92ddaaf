//! Tools that read manuals, and the reference documents of active skills.

use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Caller, Effect, Tool, ToolError, parse, spec};
use crate::manuals::Manuals;
use crate::models::ToolSpec;

pub(super) fn tools(manuals: &Arc<Manuals>) -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(List(Arc::clone(manuals))), Arc::new(Read(Arc::clone(manuals)))]
}

/// No parameters.
#[derive(Deserialize, JsonSchema)]
struct NoArgs {}

struct List(Arc<Manuals>);

#[async_trait]
impl Tool for List {
    fn spec(&self) -> ToolSpec {
        spec::<NoArgs>(
            "manual_list",
            "Manuals that can be read with manual_read, and references of the active skills.",
        )
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    async fn call(&self, caller: &Caller, _: Value) -> Result<Value, ToolError> {
        let listing = self.0.list(&caller.op, &caller.project, &caller.manuals).await;
        let manuals = listing.map_err(|e| ToolError::new(e.to_string()))?;
        Ok(json!({ "count": manuals.len(), "manuals": manuals }))
    }
}

/// Which manual, and which part of it.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReadArgs {
    /// Name of the manual without `.md`, or the title of a reference of an active skill.
    name: String,
    /// First line, from 1.
    #[serde(default)]
    start_line: Option<u32>,
    /// At most so many lines.
    #[serde(default)]
    max_lines: Option<u32>,
}

struct Read(Arc<Manuals>);

#[async_trait]
impl Tool for Read {
    fn spec(&self) -> ToolSpec {
        spec::<ReadArgs>(
            "manual_read",
            "Reads a manual, or an on-demand reference of an active skill by its title.",
        )
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    async fn call(&self, caller: &Caller, args: Value) -> Result<Value, ToolError> {
        let args: ReadArgs = parse("manual_read", args)?;
        let range = (args.start_line, args.max_lines);
        let page =
            self.0.read(&caller.op, &caller.project, &caller.manuals, &args.name, range).await;
        let page =
            page.map_err(|e| ToolError::new(e.to_string()).hint("manual_list shows all names"))?;
        serde_json::to_value(page).map_err(|e| ToolError::new(e.to_string()))
    }
}
