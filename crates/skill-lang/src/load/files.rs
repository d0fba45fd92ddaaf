//! Tools, manuals, and the files of the skill's folder.

use super::Report;
use super::arguments;
use super::head::{Fields, unknown};
use super::lists::Split;
use super::text::{Entry, Hash, text};
use crate::diagnostic::Code;
use crate::keys::{Key, closest};
use crate::limits::{REFERENCE_DOCS_MAX, SCRIPTS_MAX, TOOL_NAME_CHARS_MAX};
use crate::skill::{LoadMode, ReferenceDoc, Script, ScriptTarget};
use crate::yaml::{Node, Value};

type Files<'f> = Option<&'f dyn Fn(&str) -> bool>;

const DOC_KEYS: [&str; 4] = ["title", "file", "summary", "loadMode"];
const SCRIPT_KEYS: [&str; 5] = ["name", "target", "file", "description", "params"];

pub(super) fn tools(report: &mut Report<'_>, fields: &Fields<'_, '_>) -> Vec<String> {
    let Some(entry) = fields.get(Key::Tools) else { return Vec::new() };
    let tools = fields.texts(report, Key::Tools, Split::Commas);
    for tool in tools.iter().filter(|tool| !is_tool_name(tool.trim_start_matches('@'))) {
        let shown: String = tool.chars().take(TOOL_NAME_CHARS_MAX).collect();
        let message = format!("{shown:?} can't be the name of a tool; {TOOL_NAME_RULE}");
        report.warn(Code::InvalidToolName, entry.at(), message);
    }
    tools
}

const TOOL_NAME_RULE: &str = "use at most 64 of the letters a-z, A-Z, digits, `_` and `-`";

/// What model providers accept.
fn is_tool_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= TOOL_NAME_CHARS_MAX
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

pub(super) fn manual_paths(report: &mut Report<'_>, fields: &Fields<'_, '_>) -> Vec<String> {
    let Some(entry) = fields.get(Key::ManualPaths) else { return Vec::new() };
    let paths = fields.texts(report, Key::ManualPaths, Split::Commas);
    let cleaned = paths.into_iter().filter_map(|path| {
        let path = path.replace('\\', "/");
        if path.starts_with('/') || path.contains("..") {
            let message = format!(
                "the manual folder {path:?} is ignored: it must be relative to the project and \
                 without `..`"
            );
            report.warn(Code::UnknownValue, entry.at(), message);
            return None;
        }
        Some(path)
    });
    cleaned.collect()
}

pub(super) fn reference_docs(
    report: &mut Report<'_>,
    fields: &Fields<'_, '_>,
    files: Files<'_>,
) -> Vec<ReferenceDoc> {
    let Some(entry) = fields.get(Key::ReferenceDocs) else { return Vec::new() };
    let items = match &entry.value.value {
        _ if entry.value.is_null() => return Vec::new(),
        Value::List(items) => items,
        _ => {
            let message = "`referenceDocs` should be a list of `title`, `file`, `summary`, \
                           `loadMode`; it is ignored";
            report.warn(Code::InvalidReferenceDoc, entry.at(), message);
            return Vec::new();
        }
    };
    limit(report, "referenceDocs", items, REFERENCE_DOCS_MAX);
    let items = items.iter().take(REFERENCE_DOCS_MAX);
    items.filter_map(|item| reference_doc(report, item, files)).collect()
}

fn reference_doc(
    report: &mut Report<'_>,
    item: &Node<'_>,
    files: Files<'_>,
) -> Option<ReferenceDoc> {
    let (mut title, mut path, mut summary, mut load_mode) = (None, None, None, LoadMode::Inline);
    for (key, value) in item.entries().unwrap_or_default() {
        let name = key.text().unwrap_or_default();
        let entry = Entry { what: &format!("referenceDocs[].{name}"), key, value };
        match name {
            "title" => title = text(report, entry, Hash::Text),
            "file" => path = Some(file(report, entry, files)),
            "summary" => summary = text(report, entry, Hash::Text),
            "loadMode" => load_mode = mode(report, entry),
            _ => unknown(report, key, name, closest(name, DOC_KEYS.into_iter())),
        }
    }
    match (title, path) {
        (Some(title), Some(Some(file))) => Some(ReferenceDoc { title, file, summary, load_mode }),
        // The file's own problem is reported already.
        (_, Some(None)) => None,
        _ => {
            let message = "a reference document needs `title` and `file`; it is ignored";
            report.warn(Code::InvalidReferenceDoc, item.span.start, message);
            None
        }
    }
}

fn mode(report: &mut Report<'_>, entry: Entry<'_, '_>) -> LoadMode {
    let Some(written) = text(report, entry, Hash::Comment) else { return LoadMode::Inline };
    match written.to_uppercase().as_str() {
        "INLINE" => LoadMode::Inline,
        "ON_DEMAND" => LoadMode::OnDemand,
        _ => {
            let message =
                format!("`loadMode` is `INLINE` or `ON_DEMAND`, not {written:?}; read as `INLINE`");
            report.warn(Code::UnknownValue, entry.at(), message);
            LoadMode::Inline
        }
    }
}

pub(super) fn scripts(
    report: &mut Report<'_>,
    fields: &Fields<'_, '_>,
    files: Files<'_>,
) -> Vec<Script> {
    let Some(entry) = fields.get(Key::Scripts) else { return Vec::new() };
    let items = match &entry.value.value {
        _ if entry.value.is_null() => return Vec::new(),
        Value::List(items) => items,
        _ => {
            let message = "`scripts` should be a list of `name`, `target`, `file`";
            report.error(Code::InvalidScript, entry.at(), message);
            return Vec::new();
        }
    };
    limit(report, "scripts", items, SCRIPTS_MAX);
    let mut scripts: Vec<Script> = Vec::new();
    for item in items.iter().take(SCRIPTS_MAX) {
        let Some(script) = script(report, item, files) else { continue };
        if scripts.iter().any(|earlier| earlier.name == script.name) {
            let message = format!("a script `{}` stands already above; it is ignored", script.name);
            report.warn(Code::InvalidScript, item.span.start, message);
        } else {
            scripts.push(script);
        }
    }
    scripts
}

fn script(report: &mut Report<'_>, item: &Node<'_>, files: Files<'_>) -> Option<Script> {
    let at = item.span.start;
    let (mut name, mut target, mut path) = (None, None, None);
    let (mut description, mut params) = (None, Vec::new());
    for (key, value) in item.entries().unwrap_or_default() {
        let field = key.text().unwrap_or_default();
        let entry = Entry { what: &format!("scripts[].{field}"), key, value };
        match field {
            "name" => name = text(report, entry, Hash::Comment),
            "target" => target = text(report, entry, Hash::Comment),
            "file" => path = Some(file(report, entry, files)),
            "description" => description = text(report, entry, Hash::Text),
            "params" => params = arguments::params(report, entry),
            _ => unknown(report, key, field, closest(field, SCRIPT_KEYS.into_iter())),
        }
    }
    let target = match target.as_deref().map(str::to_uppercase).as_deref() {
        Some("BRAIN") => Some(ScriptTarget::Brain),
        Some("FOOT") => Some(ScriptTarget::Foot),
        _ => None,
    };
    match (name, target, path) {
        (Some(name), Some(target), Some(path)) => {
            if !is_tool_name(&name) {
                let message = format!("{name:?} can't be part of a tool's name; {TOOL_NAME_RULE}");
                report.warn(Code::InvalidToolName, at, message);
            }
            Some(Script { name, target, file: path?, description, params })
        }
        _ => {
            let message = "a script needs `name`, `file` and `target: BRAIN` or `target: FOOT`";
            report.error(Code::InvalidScript, at, message);
            None
        }
    }
}

fn limit(report: &mut Report<'_>, what: &str, items: &[Node<'_>], max: usize) {
    if let Some(extra) = items.get(max) {
        let message = format!("`{what}` has more than {max} entries; the rest is ignored");
        report.warn(Code::TooMany, extra.span.start, message);
    }
}

/// A path in the skill's folder; `None` when the report says why it is none.
fn file(report: &mut Report<'_>, entry: Entry<'_, '_>, files: Files<'_>) -> Option<String> {
    let written = text(report, entry, Hash::Comment).unwrap_or_default();
    match inside(&written) {
        Err(problem) => {
            let message = format!("the file {written:?} {problem}");
            report.error(Code::FileOutsideFolder, entry.at(), message);
            None
        }
        Ok(path) => {
            if files.is_some_and(|exists| !exists(&path)) {
                let message = format!("the file `{path}` is not in the skill's folder");
                report.error(Code::FileNotFound, entry.at(), message);
                return None;
            }
            Some(path)
        }
    }
}

/// The path without `.`, `..`, doubled and backward slashes.
fn inside(written: &str) -> Result<String, &'static str> {
    let path = written.replace('\\', "/");
    let drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    if path.starts_with('/') || path.starts_with('~') || drive {
        return Err("is absolute; give its path inside the skill's folder");
    }
    if path.contains('\0') {
        return Err("contains a NUL character");
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return Err("leaves the skill's folder; put a copy into it");
                }
            }
            part => parts.push(part),
        }
    }
    if parts.is_empty() || path.ends_with('/') {
        return Err("names no file");
    }
    Ok(parts.join("/"))
}
