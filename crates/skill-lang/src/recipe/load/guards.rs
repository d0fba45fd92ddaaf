//! Guard entries, which are data here: they are run elsewhere.

use super::fields::Fields;
use crate::diagnostic::Code;
use crate::load::Report;
use crate::recipe::{
    GUARD_ROUNDS_DEFAULT, GUARD_ROUNDS_MAX, GUARDS_MAX, Guard, GuardScript, GuardTrigger,
};
use crate::yaml::{Node, Value};

const GUARD_KEYS: [&str; 6] =
    ["script", "scriptBody", "params", "trigger", "maxRounds", "allowTools"];

const TRIGGERS: [(&str, GuardTrigger); 5] = [
    ("stop", GuardTrigger::Stop),
    ("naturalstop", GuardTrigger::Stop),
    ("natural_stop", GuardTrigger::Stop),
    ("terminate", GuardTrigger::Terminate),
    ("both", GuardTrigger::Both),
];

pub(super) fn read(report: &mut Report<'_>, fields: &Fields<'_, '_>) -> Vec<Guard> {
    let Some(value) = fields.get("guard") else { return Vec::new() };
    let Value::List(entries) = &value.value else {
        let message = format!("`guard` should be a list of maps and is {}", value.kind());
        report.error(Code::WrongType, value.span.start, message);
        return Vec::new();
    };
    if entries.len() > GUARDS_MAX {
        let message =
            format!("the recipe has {} guards, at most {GUARDS_MAX} are allowed", entries.len());
        report.error(Code::TooMany, value.span.start, message);
        return Vec::new();
    }
    let guards = entries.iter().enumerate().filter_map(|(index, node)| guard(report, index, node));
    guards.collect()
}

fn guard(report: &mut Report<'_>, index: usize, node: &Node<'_>) -> Option<Guard> {
    let prefix = format!("guard[{}].", index + 1);
    let fields = Fields::of(report, node, &prefix)?;
    fields.warn_unknown(report, &GUARD_KEYS);
    Some(Guard {
        script: script(report, &fields)?,
        params: fields.params(report, "params"),
        trigger: fields.choice(report, "trigger", &TRIGGERS).unwrap_or_default(),
        max_rounds: rounds(report, &fields),
        allow_tools: fields.flag(report, "allowTools"),
    })
}

fn script(report: &mut Report<'_>, fields: &Fields<'_, '_>) -> Option<GuardScript> {
    let (path, body) = (fields.text(report, "script"), fields.text(report, "scriptBody"));
    match (path, body) {
        (Some(path), None) => Some(GuardScript::Script(path.trim().to_owned())),
        (None, Some(body)) => Some(GuardScript::ScriptBody(body)),
        (given, _) => {
            let found = if given.is_some() { "both" } else { "neither" };
            let message =
                format!("a guard has either `script` or `scriptBody`; this one has {found}");
            report.error(Code::InvalidGuard, fields.at(), message);
            None
        }
    }
}

fn rounds(report: &mut Report<'_>, fields: &Fields<'_, '_>) -> u32 {
    let Some(rounds) = fields.number(report, "maxRounds") else { return GUARD_ROUNDS_DEFAULT };
    match u32::try_from(rounds).ok().filter(|rounds| *rounds <= GUARD_ROUNDS_MAX) {
        Some(rounds) => rounds,
        None => {
            let at = fields.get("maxRounds").map_or(fields.at(), |value| value.span.start);
            let message =
                format!("`maxRounds` is {rounds}, at most {GUARD_ROUNDS_MAX} are allowed");
            report.error(Code::InvalidGuard, at, message);
            GUARD_ROUNDS_DEFAULT
        }
    }
}
