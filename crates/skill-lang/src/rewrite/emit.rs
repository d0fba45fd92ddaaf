//! Writing a key and its value.

use serde_json::Value as Json;

use crate::split::Parts;
use crate::yaml::{Node, double_quoted, quote_scalar};

/// How the lines of a head are written.
pub(super) struct Style {
    indent: usize,
    line_end: &'static str,
}

impl Style {
    pub(super) fn plain() -> Self {
        Self { indent: 0, line_end: "\n" }
    }

    /// As the head's own lines are.
    pub(super) fn of(text: &str, parts: &Parts, first: Option<&Node<'_>>) -> Self {
        let windows = text[..parts.head.end].contains("\r\n");
        let indent = first.map_or(0, |key| {
            let before = &text[parts.head.start..key.span.start];
            before.len() - before.rfind('\n').map_or(0, |newline| newline + 1)
        });
        Self { indent, line_end: if windows { "\r\n" } else { "\n" } }
    }
}

/// The lines of an entry, `comment` behind the first if the value is on it.
pub(super) fn entry(key: &str, value: &Json, style: &Style, comment: &str) -> String {
    let mut lines = Vec::new();
    pair(key, value, style.indent, &mut lines);
    if let [line] = lines.as_mut_slice() {
        line.push_str(comment);
    }
    lines.into_iter().map(|line| line + style.line_end).collect()
}

fn pair(key: &str, value: &Json, indent: usize, lines: &mut Vec<String>) {
    let start = format!("{}{}:", " ".repeat(indent), quote_scalar(key));
    below(start, value, indent + 2, lines);
}

/// A value behind `start`: on its line if it fits there, else on lines below.
fn below(start: String, value: &Json, indent: usize, lines: &mut Vec<String>) {
    match value {
        Json::Array(items) if !items.is_empty() => {
            lines.push(start);
            for item in items {
                below(format!("{}-", " ".repeat(indent)), item, indent + 2, lines);
            }
        }
        Json::Object(entries) if !entries.is_empty() => {
            lines.push(start);
            for (key, value) in entries {
                pair(key, value, indent, lines);
            }
        }
        Json::String(text) if is_readable_block(text) => {
            let keep = if text.ends_with('\n') { "|" } else { "|-" };
            lines.push(format!("{start} {keep}"));
            let blanks = " ".repeat(indent);
            lines.extend(text.lines().map(|line| match line {
                "" => String::new(),
                line => format!("{blanks}{line}"),
            }));
        }
        value => lines.push(format!("{start} {}", on_one_line(value))),
    }
}

fn on_one_line(value: &Json) -> String {
    match value {
        Json::Null => "null".to_owned(),
        Json::Bool(value) => value.to_string(),
        Json::Number(value) => value.to_string(),
        Json::String(text) => quote_scalar(text),
        Json::Array(_) => "[]".to_owned(),
        Json::Object(_) => "{}".to_owned(),
    }
}

/// Whether a text of several lines can stand below its key as it is. Not so if a careless
/// reader could take one of its lines for a fence.
fn is_readable_block(text: &str) -> bool {
    let content = text.strip_suffix('\n').unwrap_or(text);
    let plain = |line: &str| {
        let fence_like =
            line.trim_start().starts_with("---") || line.trim_start().starts_with("...");
        !fence_like && line.trim_end() == line && !line.starts_with('\t')
    };
    content.contains('\n')
        && !content.starts_with([' ', '\t', '\n'])
        && !content.ends_with('\n')
        && content.split('\n').all(plain)
        && double_quoted(&content.replace(['\n', '"', '\\'], "")).len()
            == content.replace(['\n', '"', '\\'], "").len() + 2
}
