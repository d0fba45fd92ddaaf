//! Recipes as clients see them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::RecipeName;
use crate::skills::SkillScope;

/// One recipe of a listing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct RecipeSummaryDto {
    /// Its name.
    pub name: RecipeName,
    /// Label for pickers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is for.
    pub description: String,
    /// The engine that runs it.
    pub engine: String,
    /// The layer that it was found in.
    pub source: SkillScope,
    /// Discovery hints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Callers can't change its parameters.
    pub locked: bool,
}

/// All recipes of a scope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct RecipeListResponse {
    /// The winner of each name, by name.
    pub recipes: Vec<RecipeSummaryDto>,
    /// Files that could not be read, each with its reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<String>,
}
