//! The fields of a recipe itself.

use api_types::ids::RecipeName;
use serde_json::{Map, Value};

use super::fields::Fields;
use super::{block, guards, skills, templates};
use crate::diagnostic::Code;
use crate::load::Report;
use crate::recipe::{PromptMode, Recipe};
use crate::yaml::Node;

/// Every key of a recipe.
const KEYS: [&str; 22] = [
    "name",
    "title",
    "description",
    "engine",
    "params",
    "promptPrefix",
    "promptMode",
    "dataRelayCorrection",
    "allowedToolsAdd",
    "allowedToolsRemove",
    "allowedToolsDefer",
    "allowedToolsKeep",
    "allowedToolsDropFirst",
    "modes",
    "profiles",
    "defaultActiveSkills",
    "allowedSkills",
    "triggers",
    "locked",
    "internal",
    "listed",
    "tags",
];
/// The key that needs no mention among the parameters, which guards have as well.
const GUARD: &str = "guard";

pub(super) fn read(report: &mut Report<'_>, root: &Node<'_>, name: RecipeName) -> Option<Recipe> {
    let fields = Fields::of(report, root, "")?;
    let known: Vec<&str> = KEYS.into_iter().chain([GUARD]).collect();
    fields.warn_unknown(report, &known);
    let description = required(report, &fields, "description", Code::MissingDescription);
    let engine = required(report, &fields, "engine", Code::MissingEngine);
    let allowed_skills = skills::allowed(report, &fields);
    let modes = [("APPEND", PromptMode::Append), ("OVERWRITE", PromptMode::Overwrite)];
    Some(Recipe {
        name,
        title: fields.text(report, "title").map(trimmed),
        description: description?,
        engine: engine?,
        params: params(report, &fields),
        prompt_prefix: templates::prompt(report, &fields, "promptPrefix"),
        prompt_mode: fields.choice(report, "promptMode", &modes).unwrap_or_default(),
        data_relay_correction: fields.text(report, "dataRelayCorrection"),
        tools: block::tools(report, &fields),
        modes: block::modes(report, &fields),
        profiles: block::profiles(report, &fields),
        default_active_skills: skills::defaults(report, &fields, allowed_skills.as_deref()),
        allowed_skills,
        trigger_keywords: keywords(report, &fields),
        locked: fields.flag(report, "locked"),
        internal: fields.flag(report, "internal"),
        listed: fields.flag(report, "listed"),
        tags: fields.texts(report, "tags"),
        guards: guards::read(report, &fields),
    })
}

fn trimmed(text: String) -> String {
    text.trim().to_owned()
}

fn required(
    report: &mut Report<'_>,
    fields: &Fields<'_, '_>,
    key: &str,
    code: Code,
) -> Option<String> {
    let text = fields.text(report, key).map(trimmed);
    if text.is_none() {
        let at = fields.present(key).map_or(fields.at(), |value| value.span.start);
        report.error(code, at, format!("a recipe needs `{key}`; add `{key}: …`"));
    }
    text
}

/// Parameters. One with the name of a field was meant to be that field, and would be lost in silence.
pub(super) fn params(report: &mut Report<'_>, fields: &Fields<'_, '_>) -> Map<String, Value> {
    let entries = fields.get("params").and_then(Node::entries).unwrap_or_default();
    for (key, _) in entries {
        let Some(name) = key.text() else { continue };
        if KEYS.contains(&name) || name == GUARD {
            let path = fields.path("params");
            let message = format!(
                "`{name}` is a field of the recipe and has no effect inside `{path}`; move it out"
            );
            report.error(Code::MisplacedKey, key.span.start, message);
        }
    }
    fields.params(report, "params")
}

/// Words that select the recipe, in lower case, each once.
fn keywords(report: &mut Report<'_>, fields: &Fields<'_, '_>) -> Vec<String> {
    let Some(value) = fields.get("triggers") else { return Vec::new() };
    let Some(triggers) = Fields::of(report, value, "triggers.") else { return Vec::new() };
    triggers.warn_unknown(report, &["keywords"]);
    let mut keywords: Vec<String> = Vec::new();
    for keyword in triggers.texts(report, "keywords") {
        let keyword = keyword.to_lowercase();
        if !keywords.contains(&keyword) {
            keywords.push(keyword);
        }
    }
    keywords
}
