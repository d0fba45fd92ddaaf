//! From the tree of a head to what it says.

use super::body;
use super::lists::{Split, texts};
use super::syntax::Source;
use super::text::{Entry, Hash, flag, text};
use super::{Input, Report, arguments, commands, files, prose, run, triggers};
use crate::diagnostic::Code;
use crate::keys::{self, Key, Reading};
use crate::name::Mapped;
use crate::skill::{Dialect, Head};
use crate::yaml::{Node, Style, Value};

/// The entries of a head by key.
pub(super) struct Fields<'n, 'a> {
    entries: Vec<(Key, Entry<'n, 'a>)>,
    /// Where to point for what is missing.
    pub(super) fence: usize,
    /// Where a new first key goes, and its indentation; `None` for a head in braces.
    start: Option<(usize, usize)>,
    /// Line end of the head.
    line_end: &'static str,
}

impl<'n, 'a> Fields<'n, 'a> {
    /// Native by a key that only our skills have. `version` and `tags` are ours too, but many
    /// public skills carry them beside their `name`; a body of theirs must not become a template.
    fn dialect(&self) -> Dialect {
        let has = |key| self.get(key).is_some();
        let ours = self.entries.iter().any(|(key, _)| key.is_native());
        if ours || (!has(Key::Name) && (has(Key::Version) || has(Key::Tags))) {
            Dialect::Native
        } else {
            Dialect::Portable
        }
    }

    pub(super) fn get(&self, key: Key) -> Option<Entry<'n, 'a>> {
        self.entries.iter().find(|(known, _)| *known == key).map(|(_, entry)| *entry)
    }

    /// A text of which ` #` is part.
    pub(super) fn text(&self, report: &mut Report<'_>, key: Key) -> Option<String> {
        self.get(key).and_then(|entry| text(report, entry, Hash::Text))
    }

    pub(super) fn flag(&self, report: &mut Report<'_>, key: Key) -> Option<bool> {
        self.get(key).and_then(|entry| flag(report, entry))
    }

    pub(super) fn texts(&self, report: &mut Report<'_>, key: Key, split: Split) -> Vec<String> {
        self.get(key).map_or_else(Vec::new, |entry| texts(report, entry, split))
    }

    /// A warning about a missing key, with a fix that puts it first.
    pub(super) fn missing(&self, report: &mut Report<'_>, code: Code, message: &str, line: &str) {
        match self.start {
            Some((at, indent)) => {
                let line = format!("{}{line}{}", " ".repeat(indent), self.line_end);
                report.warn_fix(code, self.fence, message, (at..at, line));
            }
            None => report.warn(code, self.fence, message),
        }
    }
}

/// Reads all that the head says.
pub(super) fn read(
    report: &mut Report<'_>,
    source: &Source<'_>,
    input: &Input<'_>,
    title: String,
    name: &Result<Mapped, api_types::ids::InvalidSkillName>,
) -> Head {
    let fields = fields(report, source);
    let dialect = fields.dialect();
    let native = dialect == Dialect::Native;
    prose::name(report, &fields, dialect, name);
    let mut head = Head::empty(String::new());
    head.dialect = dialect;
    head.title = prose::title(report, &fields, dialect, title);
    head.description = prose::description(report, &fields);
    head.version = prose::version(report, &fields, dialect);
    head.tags = fields.texts(report, Key::Tags, Split::Commas);
    head.enabled = fields.flag(report, Key::Enabled).unwrap_or(true);
    head.pin = fields.flag(report, Key::Pin).unwrap_or(false);
    head.template = fields.flag(report, Key::Template).unwrap_or(native);
    portable(report, &fields, &mut head);
    capabilities(report, &fields, &mut head, input);
    run::read(report, &fields, &mut head);
    body::check(report, source, &fields, &mut head);
    head
}

fn portable(report: &mut Report<'_>, fields: &Fields<'_, '_>, head: &mut Head) {
    head.license = fields.text(report, Key::License);
    head.compatibility = fields.text(report, Key::Compatibility);
    head.argument_hint = fields.text(report, Key::ArgumentHint);
    head.when_to_use =
        fields.text(report, Key::WhenToUse).or_else(|| fields.text(report, Key::WhenToUseCamel));
    head.serves = fields.texts(report, Key::Serves, Split::Plain);
    head.allowed_tools = fields.texts(report, Key::AllowedTools, Split::Tools);
    head.disallowed_tools = fields.texts(report, Key::DisallowedTools, Split::Tools);
    head.disable_model_invocation =
        fields.flag(report, Key::DisableModelInvocation).unwrap_or(false);
    head.user_invocable = fields.flag(report, Key::UserInvocable).unwrap_or(true);
    if let Some(entry) = fields.get(Key::Metadata) {
        match json(entry.value) {
            serde_json::Value::Object(map) => head.metadata = map,
            serde_json::Value::Null => {}
            _ => report.warn(
                Code::WrongType,
                entry.at(),
                "`metadata` should be a map; it is ignored",
            ),
        }
    }
}

fn capabilities(
    report: &mut Report<'_>,
    fields: &Fields<'_, '_>,
    head: &mut Head,
    input: &Input<'_>,
) {
    head.tools = files::tools(report, fields);
    head.manual_paths = files::manual_paths(report, fields);
    head.reference_docs = files::reference_docs(report, fields, input.files);
    head.scripts = files::scripts(report, fields, input.files);
    head.arguments = arguments::read(report, fields);
    head.triggers = triggers::read(report, fields);
    head.activate = commands::read(report, fields, Key::Activate);
    head.deactivate = commands::read(report, fields, Key::Deactivate);
    head.action = fields.text(report, Key::Action);
}

fn fields<'n, 'a>(report: &mut Report<'_>, source: &'n Source<'a>) -> Fields<'n, 'a> {
    let head = &report.text()[source.parts.head.clone()];
    let line_end = if head.contains("\r\n") { "\r\n" } else { "\n" };
    let entries = source.root.as_ref().and_then(Node::entries).unwrap_or_default();
    let start = first_key(report.text(), source.parts.head.start, entries);
    let mut fields = Fields { entries: Vec::new(), fence: source.fence, start, line_end };
    for (key, value) in entries {
        let Some(text) = key.text() else {
            report.warn(Code::UnknownKey, key.span.start, "a key should be a word; it is ignored");
            continue;
        };
        let known = match keys::read(text) {
            Reading::Known(known) => known,
            Reading::Respelt(known) => {
                respelt(report, key, known);
                known
            }
            Reading::Unknown { meant } => {
                unknown(report, key, text, meant);
                continue;
            }
        };
        if fields.get(known).is_some() {
            let message = format!("`{}` stands already in another spelling", known.as_str());
            report.error(Code::DuplicateKey, key.span.start, message);
            continue;
        }
        fields.entries.push((known, Entry { what: known.as_str(), key, value }));
    }
    fields
}

/// The line of the first key, and its indentation.
fn first_key(text: &str, head: usize, entries: &[(Node<'_>, Node<'_>)]) -> Option<(usize, usize)> {
    let Some((key, _)) = entries.first() else { return Some((head, 0)) };
    if key.span.is_empty() {
        return None;
    }
    let line = text[..key.span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let indentation = &text[line..key.span.start];
    indentation.bytes().all(|byte| byte == b' ').then_some((line, indentation.len()))
}

fn respelt(report: &mut Report<'_>, key: &Node<'_>, known: Key) {
    let message = format!("the key is written `{}`", known.as_str());
    let fix = (key.span.clone(), known.as_str().to_owned());
    report.warn_fix(Code::MisspeltKey, key.span.start, message, fix);
}

/// Warns of a key that nobody reads; also used for keys of nested maps.
pub(super) fn unknown(
    report: &mut Report<'_>,
    key: &Node<'_>,
    text: &str,
    meant: Option<&'static str>,
) {
    let shown: String = text.chars().take(60).collect();
    match meant {
        Some(meant) => {
            let message = format!("unknown key `{shown}`; did you mean `{meant}`?");
            report.warn(Code::UnknownKey, key.span.start, message);
        }
        None => {
            let message = format!("unknown key `{shown}` is ignored");
            report.warn(Code::UnknownKey, key.span.start, message);
        }
    }
}

/// A value as JSON, scalars as the texts that were written.
fn json(node: &Node<'_>) -> serde_json::Value {
    match &node.value {
        _ if node.is_null() => serde_json::Value::Null,
        Value::Scalar { text, style } => match (&**text, style) {
            ("true", Style::Plain) => true.into(),
            ("false", Style::Plain) => false.into(),
            (text, _) => text.into(),
        },
        Value::List(items) => items.iter().map(json).collect(),
        Value::Map(entries) => {
            let entries = entries
                .iter()
                .filter_map(|(key, value)| Some((key.text()?.to_owned(), json(value))));
            serde_json::Value::Object(entries.collect())
        }
    }
}
