//! A recipe applied: what a process is spawned with.

use api_types::ids::{Profile, ProjectId, RecipeName};
use serde_json::{Map, Value};
use skill_lang::recipe::{Applied, PromptMode};

use super::{Error, Recipes};
use crate::ctx::OpCtx;
use crate::lanes::head::{ActiveSkill, RecipeSnapshot};
use crate::runtime::Timestamp;
use crate::skills::{Scope, Skills};

/// What a process is spawned with. Later edits of the recipe don't reach it.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The recipe, applied.
    pub spec: RecipeSnapshot,
    /// Skills that are active from the start.
    pub active_skills: Vec<ActiveSkill>,
    /// Parameters of the caller that a locked recipe refused.
    pub refused: Vec<String>,
}

/// For whom a recipe is applied.
#[derive(Clone, Copy, Debug)]
pub struct Spawn<'a> {
    /// Whose skills the recipe's names mean.
    pub scope: &'a Scope,
    /// The kind of client.
    pub profile: &'a Profile,
    /// Parameters of whoever spawns the process.
    pub params: &'a Map<String, Value>,
    /// When.
    pub at: Timestamp,
}

impl Recipes {
    /// Applies the recipe for a process, and resolves the skills that it starts with.
    ///
    /// # Errors
    /// The recipe or one of its skills can't be used.
    pub async fn snapshot(
        &self,
        ctx: &OpCtx,
        skills: &Skills,
        name: &RecipeName,
        spawn: Spawn<'_>,
    ) -> Result<Snapshot, Error> {
        let project: &ProjectId = &spawn.scope.project;
        let found = self.resolve(ctx, project, name).await?;
        let applied = found.recipe.apply(spawn.profile.as_str(), spawn.params);
        let mut active_skills = Vec::with_capacity(applied.default_active_skills.len());
        if !applied.default_active_skills.is_empty() {
            let failed = |source| Error::Skill { recipe: applied.recipe.clone(), source };
            let visible = skills.visible(ctx, spawn.scope).await.map_err(failed)?;
            for name in &applied.default_active_skills {
                let (scope, _) = visible.usable(name, None).map_err(failed)?;
                active_skills.push(ActiveSkill {
                    name: name.clone(),
                    resolved_from_scope: scope,
                    one_shot: false,
                    from_recipe: true,
                    activated_at: spawn.at,
                    args: None,
                    layer: None,
                });
            }
        }
        let refused = applied.refused.clone();
        Ok(Snapshot { spec: spec(applied), active_skills, refused })
    }
}

fn spec(applied: Applied) -> RecipeSnapshot {
    RecipeSnapshot {
        name: applied.recipe,
        engine: applied.engine,
        params: applied.params,
        prompt_prefix: applied.prompt_prefix,
        prompt_append: applied.prompt_prefix_append,
        prompt_overwrite: applied.prompt_mode == PromptMode::Overwrite,
        tools_add: applied.tools.add.into_iter().collect(),
        tools_remove: applied.tools.remove.into_iter().collect(),
        allowed_skills: applied.allowed_skills,
        locked: applied.locked,
    }
}
