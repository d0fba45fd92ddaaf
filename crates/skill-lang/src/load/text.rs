//! Reading single values: texts and truth values.

use super::Report;
use crate::diagnostic::Code;
use crate::text::BLANKS;
use crate::yaml::{Node, Style, Value, double_quoted, quote_scalar};

/// A key, as messages call it, with its value.
#[derive(Clone, Copy)]
pub(super) struct Entry<'n, 'a> {
    /// `description`, or `triggers[2].pattern`.
    pub(super) what: &'n str,
    pub(super) key: &'n Node<'a>,
    pub(super) value: &'n Node<'a>,
}

impl Entry<'_, '_> {
    /// Where messages about the value point; a block scalar has no better place than its key.
    pub(super) fn at(&self) -> usize {
        if self.is_block() {
            self.key.span.start
        } else {
            self.value.span.start.max(self.key.span.start)
        }
    }

    fn is_block(&self) -> bool {
        matches!(self.value.value, Value::Scalar { style: Style::Block, .. })
    }

    /// A warning that proposes another value.
    pub(super) fn propose(&self, report: &mut Report<'_>, code: Code, message: &str, new: String) {
        if self.is_block() || self.value.decorated {
            return report.warn(code, self.at(), message);
        }
        let range = self.value.written(report.text());
        report.warn_fix(code, self.at(), message, (range, new));
    }

    /// The value as it stands in the file, from behind the key's colon: with tag and anchor.
    fn written<'t>(&self, text: &'t str) -> &'t str {
        let start = self.key.span.end.min(self.value.span.end);
        let raw = &text[start..self.value.span.end];
        raw.trim_start_matches(BLANKS).strip_prefix(':').unwrap_or(raw).trim_matches(BLANKS)
    }
}

/// Whether ` #` and what follows belongs to a text. YAML says it never does; people who write a
/// sentence don't know that.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Hash {
    Text,
    Comment,
}

/// A text, trimmed; `None` when there is none, or when the report says why not.
pub(super) fn text(report: &mut Report<'_>, entry: Entry<'_, '_>, hash: Hash) -> Option<String> {
    let Entry { what, value, .. } = entry;
    if value.is_null() && !value.decorated {
        return None;
    }
    match &value.value {
        Value::Scalar { text, style: Style::Plain } if value.decorated => {
            Some(undecorated(report, entry, text))
        }
        Value::Scalar { text, style: Style::Plain } => {
            let text = match hash {
                Hash::Text => with_hash(report, value, text),
                Hash::Comment => text.trim().to_owned(),
            };
            check_stray_quote(report, value, &text);
            non_blank(text)
        }
        Value::Scalar { text, .. } => non_blank(text.trim().to_owned()),
        Value::List(_) | Value::Map(_) => bracketed(report, entry).or_else(|| {
            let message = format!("`{what}` should be a text and is {}", value.kind());
            report.warn(Code::WrongType, entry.at(), message);
            None
        }),
    }
}

fn non_blank(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// A tag or anchor in front of a bare text was meant as part of it: `!important`, `&c`.
fn undecorated(report: &mut Report<'_>, entry: Entry<'_, '_>, text: &str) -> String {
    let written = entry.written(report.text()).to_owned();
    if !written.starts_with(['!', '&', '*']) || written.starts_with("!!") {
        return text.trim().to_owned();
    }
    let message = format!(
        "`{}` starts with a character that has a meaning in YAML; read as plain text, put it in quotes",
        entry.what
    );
    let end = entry.value.span.end;
    let fix = (end - written.len()..end, double_quoted(&written));
    report.warn_fix(Code::UnquotedValue, end - written.len(), message, fix);
    written
}

/// The text with what YAML takes for a comment behind it.
fn with_hash(report: &mut Report<'_>, value: &Node<'_>, text: &str) -> String {
    let source = report.text();
    let end = value.span.end;
    let rest = source[end..].split(['\n', '\r']).next().unwrap_or_default();
    let comment = rest.trim_start_matches(BLANKS);
    if !comment.starts_with('#') || comment.len() == rest.len() {
        return text.trim().to_owned();
    }
    let whole = format!("{} {}", text.trim(), comment.trim_end_matches(BLANKS));
    let at = end + (rest.len() - comment.len());
    let message = "` #` starts a comment in YAML; read as part of the text, put the text in quotes";
    let fix = (value.span.start..end + rest.trim_end_matches(BLANKS).len(), double_quoted(&whole));
    report.warn_fix(Code::UnquotedValue, at, message, fix);
    whole
}

/// A bare text that ends with a quote it never opened is a slip, or wants quoting.
fn check_stray_quote(report: &mut Report<'_>, value: &Node<'_>, text: &str) {
    let Some(quote) = text.chars().next_back().filter(|c| matches!(c, '"' | '\'')) else { return };
    let unbalanced = text.matches(quote).count() % 2 == 1;
    if unbalanced && report.text()[value.span.clone()].ends_with(quote) {
        let message = format!("the text ends with {quote} but none opens; put the text in quotes");
        let fix = (value.written(report.text()), quote_scalar(text));
        report.warn_fix(Code::UnquotedValue, value.span.end - 1, message, fix);
    }
}

/// `[like this]` on one line, which people write for a hint or a placeholder.
fn bracketed(report: &mut Report<'_>, entry: Entry<'_, '_>) -> Option<String> {
    let written = entry.written(report.text());
    if !written.starts_with(['[', '{']) || written.contains('\n') {
        return None;
    }
    let written = written.to_owned();
    // The public format's own documentation writes hints like this.
    if entry.what != "argument-hint" {
        let end = entry.value.span.end;
        let message = format!(
            "`{}` should be a text; brackets have a meaning in YAML, put the text in quotes",
            entry.what
        );
        let fix = (end - written.len()..end, double_quoted(&written));
        report.warn_fix(Code::UnquotedValue, entry.at(), message, fix);
    }
    Some(written)
}

/// A truth value; `None` when there is none, or when the report says why not.
pub(super) fn flag(report: &mut Report<'_>, entry: Entry<'_, '_>) -> Option<bool> {
    let Entry { what, value, .. } = entry;
    if value.is_null() {
        return None;
    }
    let written = value.text().unwrap_or_default().trim_matches(BLANKS);
    let plain = matches!(value.value, Value::Scalar { style: Style::Plain, .. });
    let read = match written.to_lowercase().as_str() {
        "true" if plain => return Some(true),
        "false" if plain => return Some(false),
        "true" | "yes" | "on" | "y" | "1" => true,
        "false" | "no" | "off" | "n" | "0" => false,
        _ => {
            let message = format!("`{what}` should be `true` or `false`; it is ignored");
            report.warn(Code::WrongType, entry.at(), message);
            return None;
        }
    };
    let message = format!("`{what}` should be `true` or `false`; read as `{read}`");
    entry.propose(report, Code::LooseBoolean, &message, read.to_string());
    Some(read)
}
