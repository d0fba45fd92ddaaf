//! Where and how long an activation takes effect, and what does not go together.

use api_types::ids::RecipeName;

use super::Report;
use super::head::{Fields, unknown};
use super::text::{Entry, Hash, text};
use crate::diagnostic::Code;
use crate::keys::{Key, closest};
use crate::skill::{Head, Lifecycle, Run};
use crate::yaml::{Value, in_flow};

const RUN_KEYS: [&str; 3] = ["target", "recipe", "inherit"];

pub(super) fn read(report: &mut Report<'_>, fields: &Fields<'_, '_>, head: &mut Head) {
    head.lifecycle = lifecycle(report, fields);
    if let Some(entry) = fields.get(Key::Run) {
        head.run = run(report, entry, head);
    }
    if head.lifecycle == Lifecycle::Shot {
        shot(report, fields, head);
    }
}

fn lifecycle(report: &mut Report<'_>, fields: &Fields<'_, '_>) -> Lifecycle {
    let Some(entry) = fields.get(Key::Lifecycle) else { return Lifecycle::Sticky };
    let Some(written) = text(report, entry, Hash::Comment) else { return Lifecycle::Sticky };
    match written.to_lowercase().as_str() {
        "sticky" => Lifecycle::Sticky,
        "shot" | "macro" => Lifecycle::Shot,
        _ => {
            let message =
                format!("`lifecycle` is `sticky` or `shot`, not {written:?}; read as `sticky`");
            report.warn(Code::UnknownValue, entry.at(), message);
            Lifecycle::Sticky
        }
    }
}

fn run(report: &mut Report<'_>, entry: Entry<'_, '_>, head: &Head) -> Run {
    let mut part = |key: &'static str| {
        let entries = entry.value.entries()?;
        let (key, value) = entries.iter().find(|(name, _)| name.text() == Some(key))?;
        let what = format!("run.{}", key.text()?);
        text(report, Entry { what: &what, key, value }, Hash::Comment)
    };
    let (recipe, inherit) = (part("recipe"), part("inherit"));
    let target = match &entry.value.value {
        Value::Map(_) => part("target"),
        _ if entry.value.is_null() => None,
        Value::Scalar { text, .. } => {
            let map = format!("{{target: {}}}", in_flow(text.trim()));
            entry.propose(report, Code::WrongType, "`run` should be a map with `target`", map);
            Some(text.trim().to_owned())
        }
        Value::List(_) => {
            report.warn(Code::WrongType, entry.at(), "`run` should be a map; it is ignored");
            return Run::Inline;
        }
    };
    for (key, _) in entry.value.entries().unwrap_or_default() {
        let name = key.text().unwrap_or_default();
        if !RUN_KEYS.contains(&name) {
            unknown(report, key, name, closest(name, RUN_KEYS.into_iter()));
        }
    }
    match target.map(|target| target.to_lowercase()).as_deref() {
        None | Some("inline") => {
            if recipe.is_some() || inherit.is_some() {
                let message = "`run.recipe` and `run.inherit` have no effect without \
                               `target: spawn`";
                report.warn(Code::IneffectiveKey, entry.at(), message);
            }
            Run::Inline
        }
        Some("spawn") => spawn(report, entry, head, recipe, inherit),
        Some(other) => {
            let message =
                format!("`run.target` is `inline` or `spawn`, not {other:?}; read as `inline`");
            report.warn(Code::UnknownValue, entry.at(), message);
            Run::Inline
        }
    }
}

fn spawn(
    report: &mut Report<'_>,
    entry: Entry<'_, '_>,
    head: &Head,
    recipe: Option<String>,
    inherit: Option<String>,
) -> Run {
    let at = entry.key.span.start;
    if recipe.is_none() {
        let message = "`target: spawn` needs `run.recipe`, the recipe of the worker";
        report.error(Code::InvalidRun, at, message);
    }
    if let Some(Err(error)) = recipe.as_deref().map(str::parse::<RecipeName>) {
        report.warn(Code::UnknownValue, at, format!("no recipe can have this name: {error}"));
    }
    if head.action.is_none() {
        let message = "`target: spawn` needs `action:`, the worker's first message; without it the \
                       worker would start and idle";
        report.error(Code::InvalidRun, at, message);
    }
    if head.lifecycle == Lifecycle::Shot {
        let message = "`target: spawn` and `lifecycle: shot` exclude each other: a worker's skill \
                       stays active in the worker";
        report.error(Code::InvalidRun, at, message);
    }
    if !head.triggers.is_empty() {
        let message = "`triggers` have no effect with `target: spawn`; only an explicit activation \
                       starts a worker";
        report.warn(Code::IdleTrigger, at, message);
    }
    let inherit = inherit.unwrap_or_else(|| "none".to_owned());
    Run::Spawn { recipe: recipe.unwrap_or_default(), inherit }
}

fn shot(report: &mut Report<'_>, fields: &Fields<'_, '_>, head: &Head) {
    if let Some(entry) = fields.get(Key::Triggers).filter(|_| !head.triggers.is_empty())
        && head.activate.is_empty()
    {
        let message = "`triggers` have no effect on a `shot` skill without `activate:`";
        report.warn(Code::IdleTrigger, entry.key.span.start, message);
    }
    let idle = [Key::Deactivate, Key::Tools, Key::ManualPaths, Key::ReferenceDocs, Key::Scripts];
    for entry in idle.into_iter().filter_map(|key| fields.get(key)) {
        if !entry.value.is_null() {
            let message = format!(
                "`{}` has no effect with `lifecycle: shot`, which never becomes active",
                entry.what
            );
            report.warn(Code::IneffectiveKey, entry.key.span.start, message);
        }
    }
}
