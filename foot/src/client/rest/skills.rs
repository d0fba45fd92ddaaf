//! Skills and recipes.

use api_types::ids::{ProjectId, RecipeName, SessionId, SkillName};
use api_types::recipes::RecipeListResponse;
use api_types::skills::{
    ActiveSkillsResponse, EffectiveSkillsResponse, ExplainSkillResponse, SkillMatchesResponse,
    SkillScope,
};
use serde::{Deserialize, Serialize};

use super::super::Error;
use super::Api;

/// A recipe as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecipeText {
    /// Its name.
    pub(crate) name: RecipeName,
    /// The layer that it was found in.
    pub(crate) source: SkillScope,
    /// The YAML.
    pub(crate) text: String,
}

impl Api {
    /// All skills of a project's scope.
    ///
    /// # Errors
    ///
    /// When the brain can't be reached or refuses.
    pub(crate) async fn effective_skills(
        &self,
        project: &ProjectId,
    ) -> Result<EffectiveSkillsResponse, Error> {
        self.get(&["skills", "effective"], &[("projectId", project.as_str())]).await
    }

    /// What the triggers of all skills make of a text.
    ///
    /// # Errors
    ///
    /// When the brain can't be reached or refuses.
    pub(crate) async fn skill_matches(
        &self,
        project: &ProjectId,
        text: &str,
    ) -> Result<SkillMatchesResponse, Error> {
        self.get(&["skills", "matches"], &[("projectId", project.as_str()), ("text", text)]).await
    }

    /// Skills active on a session's chat process.
    ///
    /// # Errors
    ///
    /// When the brain can't be reached or refuses.
    pub(crate) async fn active_skills(
        &self,
        session: &SessionId,
    ) -> Result<ActiveSkillsResponse, Error> {
        self.get(&["skills", "active"], &[("sessionId", session.as_str())]).await
    }

    /// How a name resolves.
    ///
    /// # Errors
    ///
    /// When the brain can't be reached or refuses.
    pub(crate) async fn explain_skill(
        &self,
        project: &ProjectId,
        name: &SkillName,
        layer: Option<SkillScope>,
    ) -> Result<ExplainSkillResponse, Error> {
        let mut query = vec![("projectId", project.as_str()), ("name", name.as_str())];
        query.extend(layer.map(|layer| ("layer", layer.cli_name())));
        self.get(&["skills", "explain"], &query).await
    }

    /// A file of a skill's folder.
    ///
    /// # Errors
    ///
    /// When the brain can't be reached or refuses.
    pub(crate) async fn skill_file(
        &self,
        project: &ProjectId,
        name: &SkillName,
        layer: Option<SkillScope>,
        path: &str,
    ) -> Result<Vec<u8>, Error> {
        let mut query =
            vec![("projectId", project.as_str()), ("name", name.as_str()), ("path", path)];
        query.extend(layer.map(|layer| ("layer", layer.cli_name())));
        self.get_bytes(&["skills", "file"], &query).await
    }

    /// All recipes of a project's scope.
    ///
    /// # Errors
    ///
    /// When the brain can't be reached or refuses.
    pub(crate) async fn recipes(&self, project: &ProjectId) -> Result<RecipeListResponse, Error> {
        self.get(&["recipes"], &[("projectId", project.as_str())]).await
    }

    /// A recipe as it is stored.
    ///
    /// # Errors
    ///
    /// When the brain can't be reached or refuses.
    pub(crate) async fn recipe(
        &self,
        project: &ProjectId,
        name: &RecipeName,
    ) -> Result<RecipeText, Error> {
        let query = [("projectId", project.as_str()), ("name", name.as_str())];
        self.get(&["recipes", "show"], &query).await
    }
}
