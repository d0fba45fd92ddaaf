//! `/recipes`: what processes are made from.

use api_types::ids::RecipeName;
use api_types::recipes::RecipeListResponse;
use api_types::skills::SkillScope;
use schemars::JsonSchema;
use serde::Serialize;

use super::call::Call;
use super::reply::Reply;
use super::route::{Access, Gives, Param, Route, Takes, Verb, schema, shared};
use crate::api::dto;
use crate::api::error::Result;

/// A recipe as it is stored.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShownRecipe {
    /// Its name.
    name: RecipeName,
    /// The layer that it was found in.
    source: SkillScope,
    /// Its file.
    text: String,
}

pub(super) const ROUTES: &[Route] = &[
    Route {
        verb: Verb::Get,
        path: "/brain/{tenant}/recipes",
        name: "listRecipes",
        summary: "The winning copy of each recipe's name.",
        access: Access::Tenant,
        params: &[shared::PROJECT, shared::AT_LEAST],
        takes: Takes::Nothing,
        gives: Gives::Json(schema::<RecipeListResponse>),
        handler: |call| Box::pin(list(call)),
    },
    Route {
        verb: Verb::Get,
        path: "/brain/{tenant}/recipes/show",
        name: "showRecipe",
        summary: "The winning copy of a recipe, as it is stored.",
        access: Access::Tenant,
        params: &[
            shared::PROJECT,
            Param::query("name", schema::<RecipeName>, "The recipe."),
            shared::AT_LEAST,
        ],
        takes: Takes::Nothing,
        gives: Gives::Json(schema::<ShownRecipe>),
        handler: |call| Box::pin(show(call)),
    },
];

async fn list(call: Call) -> Result<Reply> {
    let project = call.project().await?;
    let listing = call.services.recipes.list(&call.ctx, &project).await?;
    Reply::json(&dto::recipes(&listing))
}

async fn show(call: Call) -> Result<Reply> {
    let project = call.project().await?;
    let name: RecipeName = call.required("name")?;
    let shown = call.services.recipes.show(&call.ctx, &project, &name).await?;
    Reply::json(&ShownRecipe { name: shown.name, source: shown.scope, text: shown.text })
}
