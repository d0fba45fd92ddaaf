//! The head of a lane: what a process is right now.

use std::collections::BTreeSet;

use api_types::ids::{
    LaneId, ProcessName, Profile, ProjectId, RecipeName, Seq, SessionId, SkillName, UserLogin,
};
use api_types::sessions::{CloseReason, ThinkProcessStatus};
use api_types::skills::SkillScope;
use serde::{Deserialize, Serialize};

use super::usage::Usage;
use crate::runtime::Timestamp;

/// Largest head, in bytes of its JSON.
pub const HEAD_BYTES_MAX: usize = 64 * 1024;
/// Most skills active on one process.
pub const ACTIVE_SKILLS_MAX: usize = 32;

/// Most bytes of arguments that the active skills of one process keep.
pub const ACTIVE_ARGS_BYTES_MAX: usize = 24 * 1024;

/// What a process was made from. Written once, at its creation: later edits of the recipe don't reach it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Spec {
    /// The session.
    pub session: SessionId,
    /// The session's project.
    pub project: ProjectId,
    /// The session's owner.
    pub user: UserLogin,
    /// Unique in the session.
    pub name: ProcessName,
    /// The client kind that it was made for.
    pub profile: Profile,
    /// When it was made.
    pub created_at: Timestamp,
    /// The recipe as it was applied.
    pub recipe: RecipeSnapshot,
}

/// A recipe, applied to a profile and a caller's parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecipeSnapshot {
    /// Its name.
    pub name: RecipeName,
    /// The engine.
    pub engine: String,
    /// Parameters after all overlays.
    pub params: serde_json::Map<String, serde_json::Value>,
    /// Template of the recipe's prompt.
    pub prompt_prefix: Option<String>,
    /// Template that the profile appends to it.
    pub prompt_append: Option<String>,
    /// The recipe's prompt replaces the engine's instead of following it.
    pub prompt_overwrite: bool,
    /// Tools added to the engine's own.
    pub tools_add: BTreeSet<String>,
    /// Tools taken away; what active skills add comes after.
    pub tools_remove: BTreeSet<String>,
    /// Only these skills may ever be active; `None` = all.
    pub allowed_skills: Option<Vec<SkillName>>,
    /// Callers can't change parameters, nor clear the recipe's skills.
    pub locked: bool,
}

/// A skill that is active.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActiveSkill {
    /// The skill.
    pub name: SkillName,
    /// Where it was found at its activation.
    pub resolved_from_scope: SkillScope,
    /// Ends after the next turn.
    pub one_shot: bool,
    /// Came with the recipe.
    pub from_recipe: bool,
    /// When.
    pub activated_at: Timestamp,
    /// Raw arguments, where the skill consumes any.
    pub args: Option<String>,
    /// The layer whose copy was asked for by `name@layer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<SkillScope>,
}

/// Something that a turn waits for, which someone else answers through the inbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Await {
    /// Names it in the answer.
    pub id: String,
    /// What it is: `tool`, `approval`, `child`, `back-off`.
    pub kind: String,
    /// When the wait ends without an answer.
    pub due_at: Timestamp,
}

/// What a process is right now.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Head {
    /// Its state.
    pub status: ThinkProcessStatus,
    /// Why it ended.
    pub close_reason: Option<CloseReason>,
    /// Active skills, in the order of their activation.
    pub active_skills: Vec<ActiveSkill>,
    /// The turn that is open: the place of its first entry.
    pub open_turn: Option<Seq>,
    /// What the open turn waits for.
    pub awaits: Vec<Await>,
    /// When the lane wants to be woken without a message.
    pub due_at: Option<Timestamp>,
    /// Entries before this one are gone.
    pub retained_from: Seq,
    /// Turns that ended.
    pub turns: u64,
    /// Tokens of all turns.
    pub usage: Usage,
}

impl Default for Head {
    fn default() -> Self {
        Self {
            status: ThinkProcessStatus::Init,
            close_reason: None,
            active_skills: Vec::new(),
            open_turn: None,
            awaits: Vec::new(),
            due_at: None,
            retained_from: Seq(1),
            turns: 0,
            usage: Usage::default(),
        }
    }
}

/// A lane as a reader sees it.
#[derive(Clone, Debug)]
pub struct LaneView {
    /// The lane.
    pub id: LaneId,
    /// What it was made from.
    pub spec: Spec,
    /// What it is.
    pub head: Head,
    /// Its last entry.
    pub tail: Seq,
}
