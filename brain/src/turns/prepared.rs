//! What the model of one turn reads besides the chat: composed once, at the turn's beginning.

use std::collections::BTreeSet;
use std::sync::Arc;

use api_types::ids::SkillName;
use serde_json::{Map, Value};
use skill_lang::compose::{self, ActiveSkillView, Body};

use super::parts::TurnParts;
use super::prompt;
use crate::ctx::OpCtx;
use crate::engines::{self, Engine};
use crate::lanes::entry::PinnedSkill;
use crate::lanes::head::LaneView;
use crate::manuals::Folders;
use crate::models::request::InvalidModelSpec;
use crate::models::{ModelSpec, SystemBlock, ToolSet};
use crate::skills::LoadedSkill;

/// Answer tokens, unless the recipe's `maxTokens` says otherwise.
const ANSWER_TOKENS: u32 = 8_192;
/// Most answer tokens that a recipe may ask for.
const ANSWER_TOKENS_MAX: u64 = 128_000;

/// A turn's surroundings.
#[derive(Debug)]
pub struct Prepared {
    pub(super) system: Vec<SystemBlock>,
    pub(super) tools: Arc<ToolSet>,
    pub(super) allowed: BTreeSet<String>,
    pub(super) model: ModelSpec,
    pub(super) max_tokens: u32,
    pub(super) temperature: Option<f32>,
    pub(super) steps_max: usize,
    pub(super) skills: Vec<Arc<LoadedSkill>>,
    pub(super) manuals: Arc<Folders>,
    /// Why the model can't be asked.
    pub(super) problem: Option<String>,
    left_out: Vec<(SkillName, String)>,
}

impl Prepared {
    pub(super) async fn compose(
        parts: &TurnParts,
        ctx: &OpCtx,
        view: &LaneView,
        skills: Vec<Arc<LoadedSkill>>,
        mut left_out: Vec<(SkillName, String)>,
    ) -> Self {
        let recipe = &view.spec.recipe;
        let mut problem = None;
        let engine = engines::by_name(&recipe.engine).unwrap_or(&engines::Ford);
        let model = choose_model(parts, &recipe.params).unwrap_or_else(|error| {
            problem = Some(format!("recipe {}: {error}", recipe.name));
            ModelSpec::echo()
        });
        let variables = prompt::variables(view, engine, &model);
        let mut system = Vec::new();
        match parts.prompts.base(ctx, view, engine, &variables).await {
            Ok(text) => system.push(SystemBlock { text, cache: true }),
            Err(error) => problem = Some(error.to_string()),
        }
        let (section, dropped) = skill_section(parts, view, &skills, &variables);
        left_out.extend(dropped);
        system.extend(section.map(|text| SystemBlock { text: text.into(), cache: false }));
        let skills: Vec<_> = skills
            .into_iter()
            .filter(|s| !left_out.iter().any(|(name, _)| name == &s.name))
            .collect();
        let allowed = allowed_tools(parts, engine, view, &skills);
        let max_tokens = number(&recipe.params, "maxTokens").map_or(ANSWER_TOKENS, |n| {
            u32::try_from(n.clamp(1, ANSWER_TOKENS_MAX)).unwrap_or(ANSWER_TOKENS)
        });
        Self {
            system,
            tools: parts.tools.set(&allowed),
            allowed,
            model,
            max_tokens,
            temperature: temperature(&recipe.params),
            steps_max: engine.steps_max(&recipe.params),
            manuals: Arc::new(Folders::of(view, &skills)),
            skills,
            problem,
            left_out,
        }
    }

    /// Revisions of the skills, for the turn's first entry.
    #[must_use]
    pub fn pinned(&self) -> Vec<PinnedSkill> {
        let pin = |s: &Arc<LoadedSkill>| PinnedSkill {
            name: s.name.clone(),
            scope: s.scope,
            revision: s.revision,
        };
        self.skills.iter().map(pin).collect()
    }

    /// `provider/name`.
    #[must_use]
    pub fn model_name(&self) -> String {
        self.model.to_string()
    }

    /// Active skills that the model does not read, with the reason.
    #[must_use]
    pub fn left_out(&self) -> &[(SkillName, String)] {
        &self.left_out
    }
}

/// The recipe's model. `default:…` and no model at all mean the node's.
fn choose_model(parts: &TurnParts, params: &Map<String, Value>) -> Result<ModelSpec, String> {
    let asked = params.get("model").and_then(Value::as_str).map(str::trim);
    let Some(asked) = asked.filter(|text| !text.is_empty() && !text.starts_with("default:")) else {
        return Ok(parts.providers.default_model().clone());
    };
    let model: ModelSpec = asked.parse().map_err(|error: InvalidModelSpec| error.to_string())?;
    parts.providers.check(&model).map_err(|error| error.to_string())?;
    Ok(model)
}

/// `((engine ∪ recipe's additions) ∖ recipe's removals) ∪ tools of the active skills`, as far as they exist.
fn allowed_tools(
    parts: &TurnParts,
    engine: &dyn Engine,
    view: &LaneView,
    skills: &[Arc<LoadedSkill>],
) -> BTreeSet<String> {
    let recipe = &view.spec.recipe;
    let own = engine.tools().iter().map(|name| (*name).to_owned());
    let mut names: BTreeSet<String> = own.chain(recipe.tools_add.iter().cloned()).collect();
    names.retain(|name| !recipe.tools_remove.contains(name));
    names.extend(skills.iter().flat_map(|skill| skill.head.tools.iter().cloned()));
    names.retain(|name| parts.tools.get(name).is_some());
    names
}

/// The section that the active skills write, and the skills that could not write theirs.
fn skill_section(
    parts: &TurnParts,
    view: &LaneView,
    skills: &[Arc<LoadedSkill>],
    variables: &Map<String, Value>,
) -> (Option<String>, Vec<(SkillName, String)>) {
    let mut left_out = Vec::new();
    let mut bodies = Vec::new();
    for skill in skills {
        let body = skill.body.as_ref();
        if !skill.head.template {
            bodies.push((skill, BodySource::Text(body)));
            continue;
        }
        match parts.prompts.skill_template(skill) {
            Ok(template) => bodies.push((skill, BodySource::Compiled(template))),
            Err(error) => left_out.push((skill.name.clone(), error.to_string())),
        }
    }
    let views: Vec<_> = bodies.iter().map(|(skill, body)| active_view(view, skill, body)).collect();
    let section = compose::compose(&views, variables);
    let dropped = section
        .dropped
        .into_iter()
        .filter_map(|d| Some((d.name.parse().ok()?, d.reason.to_string())));
    left_out.extend(dropped);
    (section.text, left_out)
}

enum BodySource<'a> {
    Text(&'a str),
    Compiled(Arc<skill_lang::template::Template>),
}

fn active_view<'a>(
    view: &LaneView,
    skill: &'a LoadedSkill,
    body: &'a BodySource<'a>,
) -> ActiveSkillView<'a> {
    let active = view.head.active_skills.iter().find(|active| active.name == skill.name);
    let args =
        skill.consumes_args().then(|| active.and_then(|a| a.args.as_deref()).unwrap_or_default());
    ActiveSkillView {
        name: skill.name.as_str(),
        description: &skill.head.description,
        body: match body {
            BodySource::Text(text) => Body::Text(text),
            BodySource::Compiled(template) => Body::Compiled(template),
        },
        args: args.map(compose::ArgsView::raw),
        inline_docs: skill
            .inline_docs
            .iter()
            .map(|doc| (doc.title.as_str(), doc.content.as_ref()))
            .collect(),
        on_demand: skill
            .on_demand()
            .map(|doc| (doc.title.as_str(), doc.summary.as_deref()))
            .collect(),
    }
}

/// A whole number of the parameters, written as a number or as text.
fn number(params: &Map<String, Value>, key: &str) -> Option<u64> {
    let value = params.get(key)?;
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn temperature(params: &Map<String, Value>) -> Option<f32> {
    let value = params.get("temperature")?;
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    #[expect(clippy::cast_possible_truncation, reason = "a temperature lies between 0 and 2")]
    (0.0..=2.0).contains(&number).then_some(number as f32)
}
