//! From the features' nouns to wire types.

pub(super) mod matches;
pub(super) mod skills;

use api_types::documents::{DocumentDto, DocumentVersionDto, ExpectedDto};
use api_types::events::UsageDto;
use api_types::ids::{ProcessName, ProjectId};
use api_types::recipes::{RecipeListResponse, RecipeSummaryDto};
use api_types::sessions::{ChatMessageDto, ProcessSummaryDto, SessionSummaryDto};
use api_types::skills::ActiveSkillRefDto;

use crate::documents::{Action, Expected, HeadRow, Version};
use crate::lanes::entry::{Entry, LogRow};
use crate::lanes::head::{ActiveSkill, LaneView};
use crate::lanes::usage::Usage;
use crate::recipes;
use crate::sessions::Session;

/// Name of a session's first process.
#[must_use]
pub(super) fn chat_name() -> ProcessName {
    "chat".parse().expect("`chat` is a name")
}

/// A document without its body.
#[must_use]
pub(super) fn document(project: &ProjectId, row: HeadRow) -> DocumentDto {
    DocumentDto {
        id: row.id,
        project_id: project.clone(),
        path: row.path,
        kind: row.kind,
        mime_type: row.mime,
        size: row.size,
        revision: row.revision,
        updated_by: row.updated_by,
        created_at: row.created_at.0,
        updated_at: row.updated_at.0,
        trashed_from: row.trashed_from,
    }
}

/// What a change expects.
#[must_use]
pub(super) fn expected(expected: ExpectedDto) -> Expected {
    match expected {
        ExpectedDto::Absent => Expected::Absent,
        ExpectedDto::Revision(revision) => Expected::Revision(revision),
        ExpectedDto::Any => Expected::Any,
    }
}

/// A past state of a document.
#[must_use]
pub(super) fn version(version: Version) -> DocumentVersionDto {
    let action = match version.action {
        Action::Put => "put",
        Action::Move => "move",
        Action::Trash => "trash",
        Action::Restore => "restore",
    };
    DocumentVersionDto {
        revision: version.revision,
        path: version.path,
        size: version.size,
        updated_by: version.by,
        updated_at: version.at.0,
        action: action.to_owned(),
    }
}

/// A session in a listing.
#[must_use]
pub(super) fn session(session: Session) -> SessionSummaryDto {
    SessionSummaryDto {
        session_id: session.id,
        project_id: session.project,
        status: session.status,
        profile: session.profile,
        title: session.title,
        created_at: session.created_at.0,
        last_activity_at: session.last_activity_at.0,
    }
}

/// A process in a listing.
#[must_use]
pub(super) fn process(lane: &LaneView) -> ProcessSummaryDto {
    ProcessSummaryDto {
        process_id: lane.id.clone(),
        name: lane.spec.name.clone(),
        recipe: lane.spec.recipe.name.clone(),
        engine: lane.spec.recipe.engine.clone(),
        status: lane.head.status,
        close_reason: lane.head.close_reason,
        active_skills: active_skills(&lane.head.active_skills),
    }
}

/// Active skills, in their order.
#[must_use]
pub(super) fn active_skills(active: &[ActiveSkill]) -> Vec<ActiveSkillRefDto> {
    active.iter().map(active_skill).collect()
}

fn active_skill(skill: &ActiveSkill) -> ActiveSkillRefDto {
    ActiveSkillRefDto {
        name: skill.name.clone(),
        resolved_from_scope: skill.resolved_from_scope,
        one_shot: skill.one_shot,
        from_recipe: skill.from_recipe,
        activated_at: skill.activated_at.0,
        args: skill.args.clone(),
    }
}

/// A chat message, if the row is one.
#[must_use]
pub(super) fn message(lane: &LaneView, row: &LogRow) -> Option<ChatMessageDto> {
    let Entry::Message { id, role, content, sender, at } = &row.entry else { return None };
    Some(ChatMessageDto {
        chat_message_id: id.clone(),
        think_process_id: lane.id.clone(),
        process_name: lane.spec.name.clone(),
        role: *role,
        content: content.clone(),
        created_at: at.0,
        sender: sender.clone(),
    })
}

/// Recipes in a listing: those that a person may choose, and the files that none can use.
#[must_use]
pub(super) fn recipes(listing: &recipes::Listing) -> RecipeListResponse {
    let shown = listing.recipes.iter().filter(|found| !found.recipe.internal);
    RecipeListResponse {
        recipes: shown.map(recipe).collect(),
        broken: listing.broken.iter().map(broken).collect(),
    }
}

fn recipe(found: &recipes::Found) -> RecipeSummaryDto {
    RecipeSummaryDto {
        name: found.name.clone(),
        title: found.recipe.title.clone(),
        description: found.recipe.description.clone(),
        engine: found.recipe.engine.clone(),
        source: found.scope,
        tags: found.recipe.tags.clone(),
        locked: found.recipe.locked,
    }
}

fn broken(broken: &recipes::Broken) -> String {
    let problems = broken.diagnostics.iter().filter(|problem| problem.is_error());
    let problems: Vec<String> = problems.map(ToString::to_string).collect();
    format!("{} layer: {}", broken.scope.cli_name(), problems.join("; "))
}

/// Tokens.
#[must_use]
pub(super) fn usage(usage: &Usage) -> UsageDto {
    UsageDto {
        tokens_in: usage.input,
        tokens_out: usage.output,
        cache_read: usage.cache_read,
        cache_write: usage.cache_write,
        llm_calls: usage.calls,
    }
}
