//! The static prefix of the system prompt: the engine's own prompt and what the recipe makes of it.
//!
//! Skills are not in it, so it stays byte for byte the same while they come and go, and a provider can cache it.

use serde_json::{Map, Value};

use crate::recipe::PromptMode;
use crate::template::{self, Context, Template};

/// Between the engine's prompt and the recipe's.
const EXTENSION: &str = "--- recipe extension ---";
/// The profile's part, for prompts that want it in a place of their choice.
const PROFILE_APPEND: &str = "profileAppend";
/// Sections of add-ons, for engine prompts that want them in a place of their choice.
const ADDON_SECTIONS: &str = "addonSections";

/// What the prefix is made of.
#[derive(Debug, Clone, Copy)]
pub struct SystemPrompt<'a> {
    /// The engine's own prompt.
    pub engine: &'a Template,
    /// Sections of add-ons, rendered already.
    pub addons: Option<&'a str>,
    /// The recipe's prompt.
    pub prefix: Option<&'a Template>,
    /// What the recipe adds for the kind of client.
    pub append: Option<&'a Template>,
    /// What the recipe's prompt does to the engine's.
    pub mode: PromptMode,
}

/// Which prompt could not be rendered. A turn cannot go on without it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    /// The engine's own.
    #[error("the engine's prompt could not be rendered: {0}")]
    Engine(#[source] template::Error),
    /// The recipe's.
    #[error("`promptPrefix` of the recipe could not be rendered: {0}")]
    Prefix(#[source] template::Error),
    /// The one for the kind of client.
    #[error("`promptPrefixAppend` of the recipe could not be rendered: {0}")]
    Append(#[source] template::Error),
}

/// Composes the prefix with the variables of the turn.
///
/// # Errors
/// One of the prompts could not be rendered.
pub fn system_prompt(
    prompt: &SystemPrompt,
    variables: &Map<String, Value>,
) -> Result<String, PromptError> {
    let context = super::without_args(variables);
    let append = rendered(prompt.append, &context).map_err(PromptError::Append)?;
    let context = match &append {
        Some(append) => context.with(PROFILE_APPEND, append),
        None => context,
    };
    let prefix = rendered(prompt.prefix, &context).map_err(PromptError::Prefix)?;
    let is_placed = prompt.prefix.is_some_and(|prefix| prefix.mentions(PROFILE_APPEND));
    let extension = match (prefix, append) {
        (Some(prefix), Some(append)) if !is_placed => Some(format!("{prefix}\n\n{append}")),
        (Some(prefix), _) => Some(prefix),
        (None, append) => append.filter(|_| !prompt.engine.mentions(PROFILE_APPEND)),
    };
    if prompt.mode == PromptMode::Overwrite && prompt.prefix.is_some() {
        return Ok(extension.unwrap_or_default());
    }
    let base = base(prompt, &context)?;
    Ok(match extension {
        Some(extension) => format!("{base}\n\n{EXTENSION}\n\n{extension}"),
        None => base,
    })
}

fn base(prompt: &SystemPrompt, context: &Context) -> Result<String, PromptError> {
    let addons = prompt.addons.map(str::trim).filter(|addons| !addons.is_empty());
    let Some(addons) = addons else {
        return Ok(rendered(Some(prompt.engine), context)
            .map_err(PromptError::Engine)?
            .unwrap_or_default());
    };
    let context = context.with(ADDON_SECTIONS, addons);
    let base =
        rendered(Some(prompt.engine), &context).map_err(PromptError::Engine)?.unwrap_or_default();
    Ok(if prompt.engine.mentions(ADDON_SECTIONS) { base } else { format!("{base}\n\n{addons}") })
}

/// The text between its edges; `None` if it is blank.
fn rendered(
    template: Option<&Template>,
    context: &Context,
) -> Result<Option<String>, template::Error> {
    let Some(template) = template else { return Ok(None) };
    let text = template.render_in(context)?;
    Ok(Some(super::edges(&text)).filter(|text| !text.is_empty()).map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(prompts: [&str; 4], mode: PromptMode, expected: &str) {
        let [engine, addons, prefix, append] = prompts;
        let compile = |source: &str| Template::compile(source).expect("a template");
        let (engine, prefix, append) = (compile(engine), compile(prefix), compile(append));
        let given = |template: &Template| template.source_bytes() > 0;
        let prompt = SystemPrompt {
            engine: &engine,
            addons: Some(addons),
            prefix: Some(&prefix).filter(|prefix| given(prefix)),
            append: Some(&append).filter(|append| given(append)),
            mode,
        };
        let mut variables = Map::new();
        variables.insert("tier".to_owned(), Value::from("small"));
        assert_eq!(system_prompt(&prompt, &variables).as_deref(), Ok(expected));
    }

    #[test]
    fn parts_follow_each_other_in_their_order() {
        let append = PromptMode::Append;
        check(["E {{ tier }}\n", "", "", ""], append, "E small");
        check(["E", "", "P {{ tier }}\n", ""], append, "E\n\n--- recipe extension ---\n\nP small");
        check(["E", "", "P", "A\n"], append, "E\n\n--- recipe extension ---\n\nP\n\nA");
        check(["E", "", "", "A"], append, "E\n\n--- recipe extension ---\n\nA");
        check(["E", "X\n", "P", ""], append, "E\n\nX\n\n--- recipe extension ---\n\nP");
        check(["E", "", "{% if tier == 'large' %}P{% endif %}", ""], append, "E");
    }

    #[test]
    fn prompts_may_place_the_other_parts_themselves() {
        let append = PromptMode::Append;
        check(
            ["E", "", "P [{{ profileAppend }}]", "A"],
            append,
            "E\n\n--- recipe extension ---\n\nP [A]",
        );
        check(["E [{{ profileAppend }}]", "", "", "A"], append, "E [A]");
        check(["E [{{ addonSections }}]", "X", "", ""], append, "E [X]");
    }

    #[test]
    fn an_overwriting_recipe_stands_alone() {
        check(["E", "X", "P", "A"], PromptMode::Overwrite, "P\n\nA");
        check(["E", "", "", "A"], PromptMode::Overwrite, "E\n\n--- recipe extension ---\n\nA");
    }

    #[test]
    fn a_failing_prompt_is_named() {
        let (good, bad) =
            (Template::compile("x").unwrap(), Template::compile("{{ 1 / 0 }}").unwrap());
        let prompt = SystemPrompt {
            engine: &good,
            addons: None,
            prefix: None,
            append: Some(&bad),
            mode: PromptMode::Append,
        };
        let error = system_prompt(&prompt, &Map::new()).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("`promptPrefixAppend` of the recipe could not be rendered"),
            "{error}"
        );
    }
}
