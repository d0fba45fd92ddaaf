//! What turns need, shared by all lanes of a node.

use std::sync::Arc;

use api_types::ids::SkillName;

use super::prepared::Prepared;
use super::prompt::Prompts;
use super::turn::Turn;
use crate::bus::Bus;
use crate::ctx::OpCtx;
use crate::lanes::head::LaneView;
use crate::models::Providers;
use crate::runtime::Clock;
use crate::skills::{LoadedSkill, Scope, Skills};
use crate::tools::Registry;

/// What turns need.
#[derive(Clone)]
pub struct TurnParts {
    /// Resolves and loads skills.
    pub skills: Arc<Skills>,
    /// Asks models.
    pub providers: Arc<Providers>,
    /// What models can call.
    pub tools: Arc<Registry>,
    /// Engine prompts, compiled.
    pub prompts: Arc<Prompts>,
    /// Tells watchers.
    pub bus: Arc<dyn Bus>,
    /// Time.
    pub clock: Arc<dyn Clock>,
}

impl TurnParts {
    /// Whether messages that arrive during a turn are read at its next step; recipe parameter `steer: interleave | queue`.
    #[must_use]
    pub fn steers(&self, view: &LaneView) -> bool {
        view.spec.recipe.params.get("steer").and_then(|v| v.as_str()) != Some("queue")
    }

    /// Loads the active skills of a process and composes what its model reads.
    ///
    /// With an open turn, its skills are read at the revisions that it pinned. Never fails: a skill
    /// that can't be used is left out with its reason; a prompt that can't be composed fails the turn.
    pub async fn prepare(&self, ctx: &OpCtx, view: &LaneView, open: Option<&Turn>) -> Prepared {
        let (skills, left_out) = self.active_skills(ctx, view, open).await;
        Prepared::compose(self, ctx, view, skills, left_out).await
    }

    async fn active_skills(
        &self,
        ctx: &OpCtx,
        view: &LaneView,
        open: Option<&Turn>,
    ) -> (Vec<Arc<LoadedSkill>>, Vec<(SkillName, String)>) {
        let scope = scope(view);
        let (mut skills, mut left_out) = (Vec::new(), Vec::new());
        for active in &view.head.active_skills {
            let pin = open.and_then(|turn| turn.skills.iter().find(|pin| pin.name == active.name));
            let loaded = match pin {
                Some(pin) => {
                    self.skills.load_pinned(ctx, &scope, &pin.name, pin.scope, pin.revision).await
                }
                None if open.is_some() => continue,
                None => self.skills.load_from(ctx, &scope, &active.name, active.layer).await,
            };
            match loaded {
                Ok(skill) => skills.push(skill),
                Err(error) => left_out.push((active.name.clone(), error.to_string())),
            }
        }
        (skills, left_out)
    }
}

/// Where a process looks for skills.
pub(super) fn scope(view: &LaneView) -> Scope {
    Scope { project: view.spec.project.clone(), user: Some(view.spec.user.clone()) }
}
