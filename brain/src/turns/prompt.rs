//! The static part of the system prompt: the engine's text, then the recipe's.

use std::sync::Arc;

use api_types::ids::{ProjectId, Revision, SkillName};
use api_types::skills::SkillScope;
use serde_json::{Map, Value};
use skill_lang::compose::{self, PromptError, SystemPrompt};
use skill_lang::recipe::PromptMode;
use skill_lang::template::{Cache, SyntaxError, Template};

use crate::ctx::OpCtx;
use crate::documents::Cascade;
use crate::engines::Engine;
use crate::lanes::head::LaneView;
use crate::models::ModelSpec;
use crate::skills::LoadedSkill;

/// Bytes that compiled templates may take.
const TEMPLATE_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Why a prompt can't be composed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The engine's prompt is nowhere.
    #[error("the prompt {path} is missing in project, tenant and bundle: {source}")]
    Missing {
        /// Its path.
        path: String,
        /// What the lookup said.
        source: crate::documents::Error,
    },
    /// The text is no template.
    #[error("{what} is no valid template: {source}")]
    Syntax {
        /// Which text.
        what: String,
        /// The place.
        source: SyntaxError,
    },
    /// A text could not be rendered.
    #[error(transparent)]
    Render(#[from] PromptError),
}

/// Names a template whose source never changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Skill {
        project: Option<ProjectId>,
        scope: SkillScope,
        name: SkillName,
        revision: Revision,
    },
    /// Digest of a text that has no revision of its own.
    Text([u8; 32]),
}

/// Finds and renders prompts; keeps compiled templates.
pub struct Prompts {
    cascade: Arc<Cascade>,
    templates: Cache<Key>,
}

impl Prompts {
    /// Prompts that are looked up through this cascade.
    #[must_use]
    pub fn new(cascade: Arc<Cascade>) -> Self {
        Self { cascade, templates: Cache::new(TEMPLATE_BYTES_MAX) }
    }

    /// The compiled body of a skill.
    ///
    /// # Errors
    /// The body is no template.
    pub fn skill_template(&self, skill: &LoadedSkill) -> Result<Arc<Template>, SyntaxError> {
        let (scope, name, revision) = (skill.scope, skill.name.clone(), skill.revision);
        let key = Key::Skill { project: skill.project.clone(), scope, name, revision };
        self.templates.get_or_compile(&key, &skill.body)
    }

    /// The engine's prompt with the recipe's, by the recipe's prompt mode.
    ///
    /// # Errors
    /// A text is missing, no template, or could not be rendered.
    pub async fn base(
        &self,
        ctx: &OpCtx,
        view: &LaneView,
        engine: &dyn Engine,
        variables: &Map<String, Value>,
    ) -> Result<Arc<str>, Error> {
        let recipe = &view.spec.recipe;
        let path = recipe.params.get("promptDocument").and_then(Value::as_str);
        let path = path.map_or_else(|| engine.prompt_path(), str::to_owned);
        let found = self.cascade.text(ctx, &view.spec.project, &path).await;
        let source = found.map_err(|source| Error::Missing { path: path.clone(), source })?;
        let own = |part: &str, text: &Option<String>| {
            let what = format!("{part} of recipe {}", recipe.name);
            text.as_deref().map(|text| self.compiled(&what, text)).transpose()
        };
        let (engine, prefix, append) = (
            self.compiled(&path, &source)?,
            own("`promptPrefix`", &recipe.prompt_prefix)?,
            own("`promptPrefixAppend`", &recipe.prompt_append)?,
        );
        let mode = if recipe.prompt_overwrite { PromptMode::Overwrite } else { PromptMode::Append };
        let prompt = SystemPrompt {
            engine: &engine,
            addons: None,
            prefix: prefix.as_deref(),
            append: append.as_deref(),
            mode,
        };
        Ok(compose::system_prompt(&prompt, variables)?.into())
    }

    fn compiled(&self, what: &str, source: &str) -> Result<Arc<Template>, Error> {
        let key = Key::Text(*blake3::hash(source.as_bytes()).as_bytes());
        let template = self.templates.get_or_compile(&key, source);
        template.map_err(|source| Error::Syntax { what: what.to_owned(), source })
    }
}

/// Variables of all templates of a turn.
pub(super) fn variables(
    view: &LaneView,
    engine: &dyn Engine,
    model: &ModelSpec,
) -> Map<String, Value> {
    let mut variables = process_variables(view);
    let small = view.spec.recipe.params.get("modelSize").and_then(Value::as_str);
    let tier = if small.is_some_and(|size| size.eq_ignore_ascii_case("small")) {
        "small"
    } else {
        "large"
    };
    let more = [
        ("tier", tier),
        ("model", model.name()),
        ("provider", model.provider().as_str()),
        ("engine", engine.name()),
    ];
    variables.extend(more.map(|(key, value)| (key.to_owned(), Value::from(value))));
    variables
}

/// Variables that don't depend on a model: all that a skill's turn prompt sees.
pub(super) fn process_variables(view: &LaneView) -> Map<String, Value> {
    let spec = &view.spec;
    let pairs = [
        ("mode", Value::from("NORMAL")),
        ("profile", Value::from(spec.profile.as_str())),
        ("recipe", Value::from(spec.recipe.name.as_str())),
        ("params", Value::Object(spec.recipe.params.clone())),
    ];
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
