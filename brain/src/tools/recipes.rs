//! Tools that show recipes.

use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Caller, Effect, Tool, ToolError, parse, spec};
use crate::models::ToolSpec;
use crate::recipes::Recipes;

pub(super) fn tools(recipes: &Arc<Recipes>) -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(List(Arc::clone(recipes))), Arc::new(Describe(Arc::clone(recipes)))]
}

/// No parameters.
#[derive(Deserialize, JsonSchema)]
struct NoArgs {}

struct List(Arc<Recipes>);

#[async_trait]
impl Tool for List {
    fn spec(&self) -> ToolSpec {
        spec::<NoArgs>(
            "recipe_list",
            "All recipes of this project: name, description, engine and where it comes from.",
        )
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    async fn call(&self, caller: &Caller, _: Value) -> Result<Value, ToolError> {
        let listing = self
            .0
            .list(&caller.op, &caller.project)
            .await
            .map_err(|e| ToolError::new(e.to_string()))?;
        let recipes: Vec<Value> = listing
            .recipes
            .iter()
            .filter(|found| !found.recipe.internal)
            .map(|found| {
                json!({
                    "name": found.name,
                    "description": found.recipe.description,
                    "engine": found.recipe.engine,
                    "source": found.scope,
                    "tags": found.recipe.tags,
                    "locked": found.recipe.locked,
                })
            })
            .collect();
        Ok(json!({ "count": recipes.len(), "recipes": recipes }))
    }
}

/// Which recipe.
#[derive(Deserialize, JsonSchema)]
struct DescribeArgs {
    /// The recipe's name, from `recipe_list`.
    name: String,
}

struct Describe(Arc<Recipes>);

#[async_trait]
impl Tool for Describe {
    fn spec(&self) -> ToolSpec {
        spec::<DescribeArgs>("recipe_describe", "One recipe in full, as its author wrote it.")
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    async fn call(&self, caller: &Caller, args: Value) -> Result<Value, ToolError> {
        let args: DescribeArgs = parse("recipe_describe", args)?;
        let name = args
            .name
            .parse()
            .map_err(|e: api_types::ids::InvalidName| ToolError::new(e.to_string()))?;
        let shown = self.0.show(&caller.op, &caller.project, &name).await;
        let shown =
            shown.map_err(|e| ToolError::new(e.to_string()).hint("recipe_list shows all names"))?;
        Ok(json!({ "name": name, "source": shown.scope, "text": shown.text }))
    }
}
