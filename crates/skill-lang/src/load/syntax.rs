//! From bytes to the tree of the head.

use std::ops::Range;

use super::Report;
use crate::diagnostic::Code;
use crate::keys::{self, Key, Reading};
use crate::limits::{
    HEAD_BYTES_MAX, SKILL_BYTES_MAX, YAML_ALIASES_MAX, YAML_DEPTH_MAX, YAML_NODES_MAX,
};
use crate::split::{Parts, Problem, split};
use crate::text::{BYTE_ORDER_MARK, Line, Position, lines};
use crate::yaml::{self, Broken, Edit, Failure, FailureKind, Node, Style, Tree, Value};

/// Why bytes are no text.
pub(super) struct Undecodable {
    pub(super) code: Code,
    pub(super) position: Position,
    pub(super) message: String,
}

/// The bytes as text.
pub(super) fn decode(bytes: &[u8]) -> Result<&str, Undecodable> {
    if bytes.len() > SKILL_BYTES_MAX {
        return Err(Undecodable {
            code: Code::FileTooLarge,
            position: Position::START,
            message: format!(
                "the file has {} bytes, at most {SKILL_BYTES_MAX} are read; move parts of it to \
                 reference documents",
                bytes.len()
            ),
        });
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let valid = &bytes[..error.valid_up_to()];
        let valid = std::str::from_utf8(valid).unwrap_or_default();
        let utf16 = matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
        let byte = bytes.get(valid.len()).copied().unwrap_or_default();
        let found =
            if utf16 { "it is UTF-16".to_owned() } else { format!("byte 0x{byte:02x} is here") };
        Undecodable {
            code: Code::NotUtf8,
            position: Position::of(valid, valid.len()),
            message: format!("the file is not UTF-8: {found}; save it as UTF-8"),
        }
    })
}

/// A head that was read.
pub(crate) struct Source<'a> {
    pub(crate) parts: Parts,
    /// Start of the opening fence, the place of what is missing.
    pub(crate) fence: usize,
    /// Keys and values; empty for an empty head.
    pub(crate) root: Option<Node<'a>>,
}

/// Finds and reads the head; `None` when that fails, and the report says why.
pub(super) fn read<'a>(report: &mut Report<'a>) -> Option<Source<'a>> {
    let text = report.text();
    if text.starts_with(BYTE_ORDER_MARK) {
        report.warn(
            Code::ByteOrderMark,
            0,
            "the file starts with a byte order mark; save it as UTF-8 without one",
        );
    }
    let parts = match split(text) {
        Ok(parts) => parts,
        Err(problem) => {
            no_head(report, &problem);
            return None;
        }
    };
    check_surroundings(report, &parts);
    let fence = parts.before.end;
    if parts.head.len() > HEAD_BYTES_MAX {
        let length = parts.head.len();
        report.error(
            Code::HeadTooLarge,
            fence,
            format!("the head has {length} bytes, at most {HEAD_BYTES_MAX} are read"),
        );
        return None;
    }
    if let Some(at) = text[parts.head.clone()].find('\0') {
        let message = "the head contains a NUL character; remove it";
        report.error(Code::ControlCharacter, parts.head.start + at, message);
        return None;
    }
    if let Some(line) = document_end(text, parts.head.clone()) {
        let message = "`...` ends the YAML here, before the head's end; remove the line, or make \
                       it the closing `---`";
        report.error(Code::InvalidYaml, line.start, message);
        return None;
    }
    let root = tree(report, parts.head.clone())?;
    Some(Source { parts, fence, root })
}

/// A line `...`, which ends a YAML document.
fn document_end(text: &str, head: Range<usize>) -> Option<Line> {
    if !text[head.clone()].contains("...") {
        return None;
    }
    let ends = |line: &Line| {
        line.of(text).strip_prefix("...").is_some_and(|rest| rest.trim_start().is_empty())
    };
    lines(text, head).find(ends)
}

fn check_surroundings(report: &mut Report<'_>, parts: &Parts) {
    let text = report.text();
    if !parts.before.is_empty() {
        let blank = text[parts.before.clone()].trim().is_empty();
        let message = "the opening `---` should be the first line";
        if blank {
            let fix = (parts.before.clone(), String::new());
            report.warn_fix(Code::TextBeforeHead, parts.before.start, message, fix);
        } else {
            report.warn(Code::TextBeforeHead, parts.before.start, message);
        }
    }
    let head = &text[parts.head.clone()];
    if let Some(at) = head.find('\r') {
        let message = "the head's lines end with carriage return and line feed; save the file \
                       with line feeds";
        report.warn(Code::CarriageReturn, parts.head.start + at, message);
    }
    let odd = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\0');
    if let Some(at) = head.find(odd) {
        let message = "the head contains a control character; remove it";
        report.warn(Code::ControlCharacter, parts.head.start + at, message);
    }
    if text.as_bytes()[parts.body.clone()].contains(&0) {
        let at = text[parts.body.clone()].find('\0').unwrap_or_default();
        let message = "the body contains a NUL character; remove it";
        report.warn(Code::ControlCharacter, parts.body.start + at, message);
    }
}

fn no_head(report: &mut Report<'_>, problem: &Problem) {
    let text = report.text();
    match problem {
        Problem::Missing { line: None } => {
            report.error(Code::MissingHead, 0, "the file is empty; a skill needs a head between two lines `---` with at least `description:`");
        }
        Problem::Missing { line: Some(line) } => missing_head(report, text, *line),
        Problem::Unclosed { looks_like: Some(line), .. } => {
            let message = "the head has no end; this line was perhaps meant to be it, but the end \
                           is a line of exactly three dashes";
            let fix = (line.range(), "---".to_owned());
            report.error_fix(Code::UnclosedHead, line.start, message, fix);
        }
        Problem::Unclosed { opening, guess, .. } => {
            let message =
                "the head that starts here has no end; put a line `---` below its last key";
            match guess {
                Some(at) => {
                    let fix = (*at..*at, "---\n\n".to_owned());
                    report.error_fix(Code::UnclosedHead, opening.start, message, fix);
                }
                None => report.error(Code::UnclosedHead, opening.start, message),
            }
        }
    }
}

fn missing_head(report: &mut Report<'_>, text: &str, line: Line) {
    let content = line.of(text).trim();
    let dashes = content.len() >= 2 && content.chars().all(|c| matches!(c, '-' | '—' | '–'));
    let start = line.end - line.of(text).trim_start().len();
    if dashes {
        let message = "a head starts with a line of exactly three dashes at the left edge";
        let fix = (line.range(), "---".to_owned());
        report.error_fix(Code::MissingHead, start, message, fix);
    } else if content.split_once(':').is_some_and(|(key, _)| keys::is_known(key.trim())) {
        let message = "the head starts here, but without the line `---` above it";
        let fix = (line.start..line.start, "---\n".to_owned());
        report.error_fix(Code::MissingHead, start, message, fix);
    } else {
        let message = "the file has no head; a skill starts with a line `---`, then at least \
                       `description: …`, then another line `---`";
        report.error(Code::MissingHead, start, message);
    }
}

/// Parses the head, repaired if it has to be. The outer `None`: beyond repair.
#[expect(clippy::option_option, reason = "an empty head is not an unreadable one")]
fn tree<'a>(report: &mut Report<'a>, head: Range<usize>) -> Option<Option<Node<'a>>> {
    let text = report.text();
    let first = yaml::parse(text, head.clone(), &[]);
    let tree = match first {
        Ok(tree) if is_map_or_empty(&tree) => tree,
        Err(failure) if !matches!(failure.kind, FailureKind::Syntax(_)) => {
            refuse(report, &failure);
            return None;
        }
        broken => repaired_tree(report, head, broken)?,
    };
    for duplicate in &tree.duplicates {
        let first = Position::of(text, duplicate.first);
        let message = format!(
            "`{}` stands already in line {}; remove one of them",
            duplicate.key, first.line
        );
        report.error(Code::DuplicateKey, duplicate.span.start, message);
    }
    Some(tree.root.filter(|root| !root.is_null()))
}

/// The tree of a head that could not be read as it is.
fn repaired_tree<'a>(
    report: &mut Report<'a>,
    head: Range<usize>,
    broken: Result<Tree<'a>, Failure>,
) -> Option<Tree<'a>> {
    let text = report.text();
    let repairs = yaml::repair(text, head.clone());
    let edits: Vec<Edit> = repairs.iter().map(|repair| repair.edit.clone()).collect();
    let second = if edits.is_empty() { broken } else { yaml::parse(text, head.clone(), &edits) };
    let salvaged = match second {
        Ok(tree) if is_map_or_empty(&tree) => Some((tree, Vec::new())),
        Ok(tree) => {
            let at = tree.root.map_or(0, |root| root.span.start);
            let message = "the head is not a list of keys with values; write `description: …`";
            report.error(Code::HeadNotAMap, at, message);
            return None;
        }
        Err(failure) if !matches!(failure.kind, FailureKind::Syntax(_)) => {
            refuse(report, &failure);
            return None;
        }
        Err(failure) => {
            let salvaged = yaml::salvage(text, head, &edits);
            if salvaged.is_none() {
                refuse(report, &failure);
            }
            salvaged
        }
    };
    let (tree, broken) = salvaged?;
    for repair in repairs {
        let fix = (repair.edit.range, repair.edit.text);
        report.warn_fix(repair.code, repair.at, repair.message, fix);
    }
    for Broken { key, at, failure } in broken {
        unreadable_entry(report, &key, at, &failure);
    }
    Some(tree)
}

/// An entry that changes what the skill does can't be left out without asking.
fn unreadable_entry(report: &mut Report<'_>, key: &str, at: usize, failure: &Failure) {
    let (_, why) = explain(failure);
    let essential = match keys::read(key) {
        Reading::Known(key) | Reading::Respelt(key) => {
            key.is_native() || matches!(key, Key::Description | Key::Template)
        }
        Reading::Unknown { .. } => false,
    };
    let line = Position::of(report.text(), at).line;
    if essential {
        let message = format!("`{key}` of line {line} can't be read: {why}");
        report.error(Code::UnreadableEntry, failure.at, message);
    } else {
        let message = format!("`{key}` of line {line} can't be read and is ignored: {why}");
        report.warn(Code::UnreadableEntry, failure.at, message);
    }
}

fn is_map_or_empty(tree: &Tree<'_>) -> bool {
    let Some(root) = &tree.root else { return true };
    match &root.value {
        Value::Map(_) => true,
        Value::Scalar { text, style: Style::Plain } => text.is_empty() && !root.decorated,
        _ => false,
    }
}

fn refuse(report: &mut Report<'_>, failure: &Failure) {
    let (code, message) = explain(failure);
    report.error(code, failure.at, message);
}

fn explain(failure: &Failure) -> (Code, String) {
    match &failure.kind {
        FailureKind::Syntax(problem) => {
            (Code::InvalidYaml, format!("the head is not valid YAML: {problem}"))
        }
        FailureKind::TooDeep => (
            Code::YamlTooDeep,
            format!("values are nested more than {YAML_DEPTH_MAX} levels deep; flatten them"),
        ),
        FailureKind::TooManyNodes => (
            Code::YamlTooManyNodes,
            format!("the head has more than {YAML_NODES_MAX} values, aliases expanded"),
        ),
        FailureKind::TooManyAliases => (
            Code::YamlTooManyAliases,
            format!("the head has more than {YAML_ALIASES_MAX} aliases (`*name`); write them out"),
        ),
    }
}

/// The head of a text for rewriting: the parts, and the edits that make it readable. `None` when
/// there is no head or it is beyond repair.
pub(crate) fn readable_head(text: &str) -> Option<(Parts, Vec<Edit>)> {
    let parts = split(text).ok()?;
    if matches!(yaml::parse(text, parts.head.clone(), &[]), Ok(tree) if is_map_or_empty(&tree)) {
        return Some((parts, Vec::new()));
    }
    let repairs = yaml::repair(text, parts.head.clone());
    let edits: Vec<Edit> = repairs.into_iter().map(|repair| repair.edit).collect();
    let tree = yaml::parse(text, parts.head.clone(), &edits).ok()?;
    is_map_or_empty(&tree).then_some((parts, edits))
}
