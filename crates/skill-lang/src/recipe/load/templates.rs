//! Prompts are templates, compiled when the recipe is read.

use super::fields::Fields;
use crate::diagnostic::Code;
use crate::load::Report;
use crate::template::{self, SyntaxError};
use crate::yaml::Node;

/// A prompt; one that does not compile is an error at its place in the document.
pub(super) fn prompt(
    report: &mut Report<'_>,
    fields: &Fields<'_, '_>,
    key: &str,
) -> Option<String> {
    let source = fields.text(report, key)?;
    let value = fields.get(key)?;
    if let Err(error) = template::check(&source) {
        let (at, place) = locate(report.text(), value, &source, &error);
        let message =
            format!("`{}` is not a valid template{place}: {}", fields.path(key), error.message);
        report.error(Code::InvalidTemplate, at, message);
    } else {
        lint(report, value, &source);
    }
    Some(source)
}

fn lint(report: &mut Report<'_>, value: &Node<'_>, source: &str) {
    for lint in template::lints(source) {
        let place = SyntaxError { message: lint.message, line: lint.line, column: lint.column };
        let (at, _) = locate(report.text(), value, source, &place);
        report.warn(Code::TemplateLint, at, place.message);
    }
}

/// The byte of the document for a place in the template, if the template's line stands there as it is; else the start
/// of the value, and the place in words.
fn locate(text: &str, value: &Node<'_>, source: &str, place: &SyntaxError) -> (usize, String) {
    let found = line_in_document(text, value, source, place.line).and_then(|(at, line)| {
        let column =
            line.char_indices().map(|(at, _)| at).chain([line.len()]).nth(place.column - 1)?;
        Some(at + column)
    });
    match found {
        Some(at) => (at, String::new()),
        None => (value.span.start, format!(" (line {}, column {})", place.line, place.column)),
    }
}

fn line_in_document<'s>(
    text: &str,
    value: &Node<'_>,
    source: &'s str,
    line: usize,
) -> Option<(usize, &'s str)> {
    let wanted = source.split('\n').nth(line - 1)?;
    // A block begins with a line of its own; its content follows.
    let start = value.span.start;
    let header = usize::from(text[start..].starts_with(['|', '>']));
    let written = text[start..].split('\n').nth(line - 1 + header)?;
    let before: usize =
        text[start..].split('\n').take(line - 1 + header).map(|line| line.len() + 1).sum();
    let at = written.find(wanted.trim_end())?;
    (written[..at].trim_matches([' ', '"', '\'']).is_empty())
        .then_some((start + before + at, wanted))
}
