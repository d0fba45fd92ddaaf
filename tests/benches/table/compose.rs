//! Composing the prompt section of five active skills.

use serde_json::{Map, Value};
use skill_lang::compose::{ActiveSkillView, Body, compose};
use skill_lang::template::Template;

use super::measure::{Row, Unit, repeat};
use super::written;

const SKILLS: usize = 5;
const ROUNDS: usize = 20_000;

/// Compiled templates, as a turn has them; and a compilation, as an edit costs it.
pub(crate) fn rows() -> anyhow::Result<Vec<Row>> {
    let sources: Vec<String> = (0..SKILLS).map(written::template).collect();
    let templates: Vec<Template> =
        sources.iter().map(|s| Template::compile(s)).collect::<Result<_, _>>()?;
    let names: Vec<String> = (0..SKILLS).map(written::name).collect();
    let views: Vec<ActiveSkillView<'_>> = names
        .iter()
        .zip(&templates)
        .map(|(name, template)| ActiveSkillView {
            name,
            description: "What this skill is about, in a sentence.",
            body: Body::Compiled(template),
            args: None,
            inline_docs: Vec::new(),
            on_demand: vec![("A reference", Some("Read it when in doubt."))],
        })
        .collect();
    let pairs = [("profile", "foot"), ("recipe", "default"), ("model", "fake")];
    let variables: Map<String, Value> =
        pairs.iter().map(|(key, value)| ((*key).to_owned(), Value::from(*value))).collect();
    let mut kib = 0;
    let times = repeat(ROUNDS, |_| {
        kib = compose(&views, &variables).text.map_or(0, |text| text.len() / 1024);
    });
    let compiling = repeat(ROUNDS / 20, |round| {
        drop(Template::compile(&sources[round % SKILLS]));
    });
    Ok(vec![
        Row::times(
            format!("compose {SKILLS} compiled skills into {kib} KiB"),
            Unit::Microseconds,
            &times,
        ),
        Row::times("compile one skill's template", Unit::Microseconds, &compiling),
    ])
}
