//! Reading lists of texts.

use super::Report;
use super::text::{Entry, Hash, text};
use crate::diagnostic::Code;
use crate::yaml::{Node, Value, double_quoted, in_flow};

/// How one text is split where a list is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Split {
    /// At commas, with a warning.
    Commas,
    /// At commas or, without any, at blanks; both outside parentheses. That is the format's own
    /// notation.
    Tools,
    /// At commas; that is the format's own notation.
    Plain,
    /// Not at all: the text is the only entry, with a warning.
    Whole,
}

/// Texts, trimmed and not empty.
pub(super) fn texts(report: &mut Report<'_>, entry: Entry<'_, '_>, split: Split) -> Vec<String> {
    let Entry { what, value, .. } = entry;
    match &value.value {
        _ if value.is_null() => Vec::new(),
        Value::List(items) => {
            items.iter().filter_map(|item| item_text(report, what, item)).collect()
        }
        Value::Scalar { .. } => {
            let Some(whole) = text(report, entry, Hash::Comment) else { return Vec::new() };
            let parts = split_text(&whole, split);
            if matches!(split, Split::Commas | Split::Whole) {
                let written: Vec<String> = parts.iter().map(|part| in_flow(part)).collect();
                let message = format!("`{what}` should be a list");
                let list = format!("[{}]", written.join(", "));
                entry.propose(report, Code::WrongType, &message, list);
            }
            parts
        }
        Value::Map(_) => {
            let message = format!("`{what}` should be a list of texts; it is ignored");
            report.warn(Code::WrongType, entry.at(), message);
            Vec::new()
        }
    }
}

fn item_text(report: &mut Report<'_>, what: &str, item: &Node<'_>) -> Option<String> {
    if item.is_null() {
        let message = format!("`{what}` has an empty entry; it is ignored");
        report.warn(Code::WrongType, item.span.start, message);
        return None;
    }
    if let Some(text) = item.text() {
        let text = text.trim();
        if text.is_empty() {
            let message = format!("`{what}` has a blank entry; it is ignored");
            report.warn(Code::WrongType, item.span.start, message);
        }
        return (!text.is_empty()).then(|| text.to_owned());
    }
    let range = item.written(report.text());
    let written = &report.text()[range.clone()];
    let one_line = written.split(['\n', '\r']).next().unwrap_or_default() == written;
    if item.entries().is_some_and(|entries| entries.len() == 1) && one_line {
        let written = written.to_owned();
        let message = "a colon inside the entry is read as a key by YAML; read as plain text, put \
                       it in quotes";
        let fix = (range, double_quoted(&written));
        report.warn_fix(Code::UnquotedValue, item.span.start, message, fix);
        return Some(written);
    }
    let message =
        format!("an entry of `{what}` should be a text and is {}; it is ignored", item.kind());
    report.warn(Code::WrongType, item.span.start, message);
    None
}

fn split_text(whole: &str, split: Split) -> Vec<String> {
    let parts = match split {
        Split::Whole => return vec![whole.to_owned()],
        // An unclosed bracket was quoted by the repair.
        Split::Commas | Split::Plain => {
            split_outside(whole.trim_start_matches('[').trim_end_matches(']'), |c| c == ',')
        }
        Split::Tools => {
            let parts = split_outside(whole, |c| c == ',');
            if parts.len() > 1 { parts } else { split_outside(whole, char::is_whitespace) }
        }
    };
    let parts = parts.into_iter().map(|part| part.trim().to_owned());
    parts.filter(|part| !part.is_empty()).collect()
}

/// Splits outside parentheses: `Bash(git add, git commit), Read` is two tools.
fn split_outside(whole: &str, at: impl Fn(char) -> bool) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (offset, c) in whole.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if depth == 0 && at(c) => {
                parts.push(&whole[start..offset]);
                start = offset + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&whole[start..]);
    parts
}
