//! What stands below the head, as far as loading looks at it.

use super::Report;
use super::head::Fields;
use super::syntax::Source;
use crate::diagnostic::Code;
use crate::keys::Key;
use crate::skill::{Arguments, Head};
use crate::template;
use crate::text::Position;

/// The placeholder of the public format for the rest of the line.
pub(crate) const ARGUMENTS_PLACEHOLDER: &str = "$ARGUMENTS";

pub(super) fn check(
    report: &mut Report<'_>,
    source: &Source<'_>,
    fields: &Fields<'_, '_>,
    head: &mut Head,
) {
    let text = report.text();
    let start = source.parts.body.start;
    let body = &text[source.parts.body.clone()];
    if !head.template {
        if head.arguments == Arguments::None && has_placeholder(body) {
            head.arguments = Arguments::Raw;
        }
        if let Some(at) = unrendered(body) {
            let message = "the body is text, so this is not rendered; if it should be, say \
                           `template: true` or give the skill a `title`";
            report.warn(Code::TemplateLint, start + at, message);
        }
        return;
    }
    for lint in template::lints(body) {
        let at = place(lint.line, lint.column).offset_in(body).unwrap_or_default();
        report.warn(Code::TemplateLint, start + at, lint.message);
    }
    if let Err(error) = template::check(body) {
        let message = format!(
            "the body is not a valid template: {}; if it is plain text, say `template: false`",
            error.message
        );
        let place = place(error.line, error.column).offset_in(body).unwrap_or_default();
        report.error(Code::InvalidTemplate, start + place, message);
    }
    let action = head.action.as_deref().zip(fields.get(Key::Action));
    if let Some((action, entry)) = action
        && let Err(error) = template::check(action)
    {
        let message = format!(
            "line {}, column {} of `action`: not a valid template: {}",
            error.line, error.column, error.message
        );
        report.error(Code::InvalidTemplate, entry.at(), message);
    }
}

fn place(line: usize, column: usize) -> Position {
    let number = |n: usize| u32::try_from(n.max(1)).unwrap_or(u32::MAX);
    Position { line: number(line), column: number(column) }
}

/// A use of our own arguments in a body that is not a template.
fn unrendered(body: &str) -> Option<usize> {
    let uses = ["{{ args.", "{{args.", "{% if args."];
    uses.iter().filter_map(|text| body.find(text)).min()
}

/// `$ARGUMENTS` as a word of its own.
fn has_placeholder(body: &str) -> bool {
    body.match_indices(ARGUMENTS_PLACEHOLDER).any(|(at, found)| {
        let next = body[at + found.len()..].chars().next();
        next.is_none_or(|c| !(c.is_alphanumeric() || c == '_'))
    })
}
