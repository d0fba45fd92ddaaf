//! Changes to the active skills of a process. Decides; the lane persists.

use api_types::events::SkillOutcome;
use api_types::frames::SkillCommand;
use api_types::ids::SkillName;
use api_types::skills::SkillRef;
use skill_lang::compose::{self, ArgsView, Body};
use skill_lang::skill::{Lifecycle, Run};

use super::parts::{TurnParts, scope};
use super::prompt::process_variables;
use crate::ctx::OpCtx;
use crate::lanes::head::{ACTIVE_ARGS_BYTES_MAX, ACTIVE_SKILLS_MAX, ActiveSkill, LaneView};
use crate::runtime::Timestamp;
use crate::skills::LoadedSkill;

/// Sender of messages that a skill brings along.
const SKILL_SENDER: &str = "_skill";

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// What to do; `List` changes nothing.
    pub command: SkillCommand,
    /// The skill; `None` for `ClearAll`.
    pub skill: Option<&'a SkillRef>,
    /// For one turn.
    pub one_shot: bool,
    /// The rest of the line, untouched.
    pub args: Option<&'a str>,
}

/// A message that a change adds to the chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The text.
    pub text: String,
    /// Who says it.
    pub sender: String,
}

/// What is decided.
#[derive(Clone, Debug)]
pub struct Change {
    /// What becomes of the request.
    pub outcome: SkillOutcome,
    /// In words.
    pub message: String,
    /// Machine-readable reason of a failure.
    pub reason: Option<String>,
    /// The active skills after it.
    pub active: Vec<ActiveSkill>,
    /// Messages, in this order.
    pub prompts: Vec<Prompt>,
}

/// Why an activation is refused. It has no effect at all then.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("name the skill")]
    NoName,
    #[error("skill {skill} is not allowed by recipe {recipe}")]
    NotAllowed { skill: SkillName, recipe: String },
    #[error("{skill} came with recipe {recipe}, which is locked: it stays active")]
    Locked { skill: SkillName, recipe: String },
    #[error("{0} skills are active already; clear one first", ACTIVE_SKILLS_MAX)]
    TooMany,
    #[error(
        "the arguments of all active skills have {bytes} bytes, more than {ACTIVE_ARGS_BYTES_MAX}: put long text into a document"
    )]
    TooLong { bytes: usize },
    #[error("skill {0} runs in a worker of its own (`run: spawn`), which this version can't start")]
    Spawns(SkillName),
    #[error(transparent)]
    Skill(#[from] crate::skills::Error),
    #[error("the turn prompt of {skill} can't be used: {source}")]
    Prompt { skill: SkillName, source: compose::Error },
}

impl Refusal {
    fn reason(&self) -> String {
        match self {
            Self::NoName => "missing_skill_name",
            Self::NotAllowed { .. } => "skill_not_allowed",
            Self::Locked { .. } => "skill_locked",
            Self::TooMany => "too_many_skills",
            Self::TooLong { .. } => "arguments_too_long",
            Self::Spawns(_) => "spawn_unsupported",
            Self::Skill(error) => error.reason(),
            Self::Prompt { .. } => "bad_turn_prompt",
        }
        .to_owned()
    }
}

/// Decides a request against the process as it is.
pub async fn decide(
    parts: &TurnParts,
    ctx: &OpCtx,
    view: &LaneView,
    request: &Request<'_>,
    now: Timestamp,
) -> Change {
    let decided = match (request.command, request.skill) {
        (SkillCommand::Activate, Some(skill)) => {
            activate(parts, ctx, view, skill, request, now).await
        }
        (SkillCommand::Clear, Some(skill)) => clear(view, &skill.name),
        (SkillCommand::ClearAll, _) => Ok(clear_all(view)),
        (SkillCommand::Activate | SkillCommand::Clear, None) => Err(Refusal::NoName),
        (SkillCommand::List, _) => {
            Ok(change(view, SkillOutcome::Unchanged, "nothing to change".to_owned()))
        }
    };
    decided.unwrap_or_else(|refusal| Change {
        outcome: SkillOutcome::Failed,
        message: refusal.to_string(),
        reason: Some(refusal.reason()),
        active: view.head.active_skills.clone(),
        prompts: Vec::new(),
    })
}

fn change(view: &LaneView, outcome: SkillOutcome, message: String) -> Change {
    Change {
        outcome,
        message,
        reason: None,
        active: view.head.active_skills.clone(),
        prompts: Vec::new(),
    }
}

async fn activate(
    parts: &TurnParts,
    ctx: &OpCtx,
    view: &LaneView,
    wanted: &SkillRef,
    request: &Request<'_>,
    now: Timestamp,
) -> Result<Change, Refusal> {
    let (recipe, name) = (&view.spec.recipe, &wanted.name);
    if recipe.allowed_skills.as_ref().is_some_and(|allowed| !allowed.contains(name)) {
        return Err(Refusal::NotAllowed { skill: name.clone(), recipe: recipe.name.to_string() });
    }
    let skill = parts.skills.load_from(ctx, &scope(view), name, wanted.layer).await?;
    if matches!(skill.head.run, Run::Spawn { .. }) {
        return Err(Refusal::Spawns(name.clone()));
    }
    let args = skill.consumes_args().then(|| request.args.unwrap_or_default());
    // Byte for byte: indentation and line ends may matter to the message.
    let rest = request.args.filter(|rest| args.is_none() && !rest.trim().is_empty());
    let mut decided = if view.head.active_skills.iter().any(|active| &active.name == name) {
        reactivate(view, name, request, args)
    } else {
        fresh(view, &skill, request, args, now)?
    };
    let bytes = decided.active.iter().filter_map(|a| a.args.as_ref()).map(String::len).sum();
    if bytes > ACTIVE_ARGS_BYTES_MAX {
        return Err(Refusal::TooLong { bytes });
    }
    decided
        .prompts
        .extend(rest.map(|text| Prompt { text: text.to_owned(), sender: ctx.actor.sender() }));
    note_missing_tools(parts, &skill, &mut decided);
    Ok(decided)
}

/// Already active: new arguments replace the old, a sticky request makes a one-shot sticky; nothing else happens.
fn reactivate(
    view: &LaneView,
    name: &SkillName,
    request: &Request<'_>,
    args: Option<&str>,
) -> Change {
    let mut decided = change(view, SkillOutcome::Updated, format!("{name} was active already"));
    for active in decided.active.iter_mut().filter(|active| &active.name == name) {
        if args.is_some() && request.args.is_some() {
            active.args = args.map(str::to_owned);
        }
        active.one_shot &= request.one_shot;
        active.layer = request.skill.and_then(|skill| skill.layer).or(active.layer);
    }
    decided
}

fn fresh(
    view: &LaneView,
    skill: &LoadedSkill,
    request: &Request<'_>,
    args: Option<&str>,
    now: Timestamp,
) -> Result<Change, Refusal> {
    let name = &skill.name;
    let shot = skill.head.lifecycle == Lifecycle::Shot;
    let prompt = turn_prompt(view, skill, shot, args)?;
    let how = if shot {
        "was used once"
    } else if request.one_shot {
        "is active for the next turn"
    } else {
        "is active"
    };
    let mut decided = change(view, SkillOutcome::Activated, format!("{name} {how}"));
    if !skill.head.activate.is_empty() {
        let count = skill.head.activate.len();
        decided.message.push_str(&format!(
            "; its {count} `activate:` commands were not run: this version has no engine commands"
        ));
    }
    decided.prompts.extend(prompt.map(|text| Prompt { text, sender: SKILL_SENDER.to_owned() }));
    if shot {
        return Ok(decided);
    }
    if decided.active.len() >= ACTIVE_SKILLS_MAX {
        return Err(Refusal::TooMany);
    }
    decided.active.push(ActiveSkill {
        name: name.clone(),
        resolved_from_scope: skill.scope,
        one_shot: request.one_shot,
        from_recipe: false,
        activated_at: now,
        args: args.map(str::to_owned),
        layer: request.skill.and_then(|skill| skill.layer),
    });
    Ok(decided)
}

/// The message that a fresh activation sends: `action`, or the body of a `shot` skill.
fn turn_prompt(
    view: &LaneView,
    skill: &LoadedSkill,
    shot: bool,
    args: Option<&str>,
) -> Result<Option<String>, Refusal> {
    let source = match &skill.head.action {
        Some(action) => Body::Source(action),
        None if shot => Body::new(&skill.body, skill.head.template),
        None => return Ok(None),
    };
    let args = args.map(ArgsView::raw);
    compose::turn_prompt(source, args.as_ref(), &process_variables(view))
        .map_err(|source| Refusal::Prompt { skill: skill.name.clone(), source })
}

fn note_missing_tools(parts: &TurnParts, skill: &LoadedSkill, decided: &mut Change) {
    let missing: Vec<&str> = skill
        .head
        .tools
        .iter()
        .map(String::as_str)
        .filter(|tool| parts.tools.get(tool).is_none())
        .collect();
    if !missing.is_empty() {
        decided
            .message
            .push_str(&format!("; tools that it names and nobody offers: {}", missing.join(", ")));
    }
}

fn clear(view: &LaneView, name: &SkillName) -> Result<Change, Refusal> {
    let Some(active) = view.head.active_skills.iter().find(|active| &active.name == name) else {
        return Ok(change(view, SkillOutcome::Unchanged, format!("{name} is not active")));
    };
    if is_locked(view, active) {
        return Err(Refusal::Locked {
            skill: name.clone(),
            recipe: view.spec.recipe.name.to_string(),
        });
    }
    let mut decided = change(view, SkillOutcome::Cleared, format!("{name} is no longer active"));
    decided.active.retain(|active| &active.name != name);
    Ok(decided)
}

fn clear_all(view: &LaneView) -> Change {
    let before = view.head.active_skills.len();
    let mut decided = change(view, SkillOutcome::Cleared, String::new());
    decided.active.retain(|active| is_locked(view, active));
    let (kept, cleared) = (decided.active.len(), before - decided.active.len());
    decided.message = match (cleared, kept) {
        (0, 0) => "no skill is active".to_owned(),
        (_, 0) => format!("{cleared} skills cleared"),
        _ => format!("{cleared} skills cleared; {kept} came with the locked recipe and stay"),
    };
    if cleared == 0 {
        decided.outcome = SkillOutcome::Unchanged;
    }
    decided
}

fn is_locked(view: &LaneView, active: &ActiveSkill) -> bool {
    active.from_recipe && view.spec.recipe.locked
}
