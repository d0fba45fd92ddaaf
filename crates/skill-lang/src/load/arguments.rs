//! Declared arguments of a skill and parameters of a script: one schema.

use super::Report;
use super::head::{Fields, unknown};
use super::text::{Entry, Hash, flag, text};
use crate::diagnostic::Code;
use crate::keys::{Key, closest};
use crate::limits::{ARGUMENTS_MAX, TOOL_NAME_CHARS_MAX};
use crate::skill::{Argument, ArgumentType, Arguments};
use crate::yaml::{Node, Value};

/// Names of the raw view of the arguments.
const RESERVED: [&str; 2] = ["text", "words"];
const KEYS: [&str; 4] = ["name", "type", "description", "required"];

pub(super) fn read(report: &mut Report<'_>, fields: &Fields<'_, '_>) -> Arguments {
    let Some(entry) = fields.get(Key::Arguments) else { return Arguments::None };
    match &entry.value.value {
        _ if entry.value.is_null() => Arguments::None,
        Value::List(items) => {
            let arguments = list(report, "arguments", items);
            check(report, &arguments);
            let arguments: Vec<Argument> = arguments.into_iter().map(|(_, a)| a).collect();
            // An empty list still says that the skill takes the line.
            if arguments.is_empty() { Arguments::Raw } else { Arguments::Declared(arguments) }
        }
        Value::Scalar { text, .. } if is_flag(text) => match flag(report, entry) {
            Some(true) => Arguments::Raw,
            _ => Arguments::None,
        },
        _ => {
            let message = "`arguments` is `true` or a list of `name`, `type`, `description`, \
                           `required`";
            report.error(Code::InvalidArguments, entry.at(), message);
            Arguments::None
        }
    }
}

fn is_flag(text: &str) -> bool {
    let word = text.trim().to_lowercase();
    matches!(word.as_str(), "true" | "false" | "yes" | "no" | "on" | "off")
}

/// Parameters of a script; anything wrong with them is an error, as with arguments.
pub(super) fn params(report: &mut Report<'_>, entry: Entry<'_, '_>) -> Vec<Argument> {
    match &entry.value.value {
        _ if entry.value.is_null() => Vec::new(),
        Value::List(items) => {
            let params = list(report, entry.what, items);
            duplicates(report, &params);
            params.into_iter().map(|(_, param)| param).collect()
        }
        _ => {
            let message = format!("`{}` should be a list", entry.what);
            report.error(Code::InvalidArguments, entry.at(), message);
            Vec::new()
        }
    }
}

/// Each with the byte of its entry.
fn list(report: &mut Report<'_>, what: &str, items: &[Node<'_>]) -> Vec<(usize, Argument)> {
    if let Some(extra) = items.get(ARGUMENTS_MAX) {
        let message = format!("`{what}` has more than {ARGUMENTS_MAX} entries");
        report.error(Code::TooMany, extra.span.start, message);
    }
    let items = items.iter().take(ARGUMENTS_MAX);
    items.filter_map(|item| Some((item.span.start, argument(report, what, item)?))).collect()
}

fn argument(report: &mut Report<'_>, what: &str, item: &Node<'_>) -> Option<Argument> {
    let at = item.span.start;
    let Some(entries) = item.entries() else {
        let message = format!("an entry of `{what}` should be a map with `name`");
        report.error(Code::InvalidArguments, at, message);
        return None;
    };
    let mut argument = Argument {
        name: String::new(),
        kind: ArgumentType::String,
        description: None,
        required: false,
    };
    for (key, value) in entries {
        let name = key.text().unwrap_or_default();
        let entry = Entry { what: &format!("{what}[].{name}"), key, value };
        match name {
            "name" => argument.name = text(report, entry, Hash::Comment).unwrap_or_default(),
            "type" => argument.kind = kind(report, entry),
            "description" => argument.description = text(report, entry, Hash::Text),
            "required" => argument.required = flag(report, entry).unwrap_or(false),
            _ => unknown(report, key, name, closest(name, KEYS.into_iter())),
        }
    }
    if argument.name.is_empty() {
        let message = format!("an entry of `{what}` has no `name`");
        report.error(Code::InvalidArguments, at, message);
        return None;
    }
    check_name(report, at, &argument.name);
    Some(argument)
}

fn kind(report: &mut Report<'_>, entry: Entry<'_, '_>) -> ArgumentType {
    let Some(written) = text(report, entry, Hash::Comment) else { return ArgumentType::String };
    ArgumentType::from_name(&written).unwrap_or_else(|| {
        let names = ArgumentType::NAMES.join("`, `");
        let message = format!("a type is one of `{names}`, not {written:?}");
        report.error(Code::InvalidArguments, entry.at(), message);
        ArgumentType::String
    })
}

/// A name has to be a word of the template language to be of use there.
fn check_name(report: &mut Report<'_>, at: usize, name: &str) {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let starts = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    if !starts || !name.chars().all(word) || name.chars().count() > TOOL_NAME_CHARS_MAX {
        let shown: String = name.chars().take(TOOL_NAME_CHARS_MAX).collect();
        let message = format!(
            "`{shown}` can't be written as `args.{shown}`; use at most {TOOL_NAME_CHARS_MAX} \
             letters, digits and `_`"
        );
        report.warn(Code::InvalidArguments, at, message);
    }
}

fn check(report: &mut Report<'_>, arguments: &[(usize, Argument)]) {
    duplicates(report, arguments);
    let mut optional: Option<&str> = None;
    for (at, argument) in arguments {
        let name = argument.name.as_str();
        if RESERVED.contains(&name) {
            let message = format!("`{name}` is taken: `args.{name}` is the whole line; rename it");
            report.error(Code::ReservedArgument, *at, message);
        }
        match (argument.required, optional) {
            (true, Some(earlier)) => {
                let message = format!(
                    "`{name}` is required, but `{earlier}` before it is optional; swap them"
                );
                report.error(Code::RequiredAfterOptional, *at, message);
            }
            (true, None) => {}
            (false, _) => optional = optional.or(Some(name)),
        }
    }
}

fn duplicates(report: &mut Report<'_>, arguments: &[(usize, Argument)]) {
    for (index, (at, argument)) in arguments.iter().enumerate() {
        if arguments[..index].iter().any(|(_, earlier)| earlier.name == argument.name) {
            let message = format!("`{}` is declared twice; rename one of them", argument.name);
            report.error(Code::DuplicateArgument, *at, message);
        }
    }
}
