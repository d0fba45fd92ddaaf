//! Changing keys of a head and nothing else.
//!
//! Works on lines, so comments, unknown keys, their order and the body stay as they are. The
//! result is read again before it is handed out: every key has the value it had or was given,
//! and there is no other key.

mod emit;
mod verify;

use std::ops::Range;

use serde_json::Value as Json;

use self::emit::{Style, entry};
use crate::keys::{self, Reading};
use crate::load::readable_head;
use crate::split::{Parts, Problem, split};
use crate::text::{BYTE_ORDER_MARK, Position, lines};
use crate::yaml::{self, Edit, Node};

/// Why a head can't be changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The head has no end, or is not YAML and beyond repair.
    #[error("line {}: the head can't be read, so it can't be changed; repair it first", .at.line)]
    Unreadable {
        /// Where it starts.
        at: Position,
    },
    /// A key that no head can have.
    #[error("`{0}` can't be a key of a head; use letters, digits, `-` and `_`")]
    InvalidKey(String),
    /// Another value refers to the one that should change, or the like.
    #[error("the head can't be changed without changing more than was asked for; edit it by hand")]
    Entangled,
}

/// A key and its new value; `None` removes the key. Texts may be any texts.
pub type Change<'c> = (&'c str, Option<Json>);

/// The text of a new `SKILL.md`.
///
/// # Errors
/// A key can't be one.
pub fn create(head: &[(&str, Json)], body: &str) -> Result<String, Error> {
    let changes: Vec<Change<'_>> =
        head.iter().map(|(key, value)| (*key, Some(value.clone()))).collect();
    rewrite(&format!("---\n---\n{body}"), &changes)
}

/// The text with changed keys. Keys that the head does not have are added at its end, in the
/// order given. A text without any head gets one. A head that is readable only after repairs
/// gets them too.
///
/// # Errors
/// The head can't be read, a key can't be one, or the change would change more.
pub fn rewrite(original: &str, changes: &[Change<'_>]) -> Result<String, Error> {
    if let Some((key, _)) = changes.iter().find(|(key, _)| !is_key(key)) {
        return Err(Error::InvalidKey((*key).to_owned()));
    }
    let text = with_readable_head(original)?;
    let unreadable = || Error::Unreadable { at: Position::START };
    let (parts, _) = readable_head(&text).ok_or_else(unreadable)?;
    let tree = yaml::parse(&text, parts.head.clone(), &[]).map_err(|_| unreadable())?;
    if !tree.duplicates.is_empty() {
        return Err(Error::Entangled);
    }
    let root = tree.root.filter(|root| !root.is_null());
    let entries = root.as_ref().and_then(Node::entries).unwrap_or_default();
    let head = if is_flow(&text, root.as_ref()) {
        as_lines(&text, entries, changes)
    } else {
        changed_lines(&text, &parts, entries, changes)
    };
    let result = [&text[..parts.head.start], &head, &text[parts.head.end..]].concat();
    if verify::holds(entries, changes, &result) { Ok(result) } else { Err(Error::Entangled) }
}

fn is_key(key: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    key.starts_with(|c: char| c.is_alphabetic() || c == '_') && key.chars().all(word)
}

/// The text with a head that YAML reads: repaired, or put there.
fn with_readable_head(original: &str) -> Result<String, Error> {
    match split(original) {
        Ok(parts) => {
            let at = Position::of(original, parts.before.end);
            let (_, edits) = readable_head(original).ok_or(Error::Unreadable { at })?;
            Ok(apply(original, &edits))
        }
        Err(Problem::Missing { .. }) => {
            let body = original.strip_prefix(BYTE_ORDER_MARK);
            let mark = &original[..original.len() - body.unwrap_or(original).len()];
            Ok(format!("{mark}---\n---\n{}", body.unwrap_or(original)))
        }
        Err(Problem::Unclosed { opening, .. }) => {
            Err(Error::Unreadable { at: Position::of(original, opening.start) })
        }
    }
}

fn apply(text: &str, edits: &[Edit]) -> String {
    let mut changed = text.to_owned();
    for edit in edits.iter().rev() {
        changed.replace_range(edit.range.clone(), &edit.text);
    }
    changed
}

fn is_flow(text: &str, root: Option<&Node<'_>>) -> bool {
    root.is_some_and(|root| text[root.span.start..].starts_with('{'))
}

/// Whether a key of the head is the one to change; its spelling may differ.
fn is_meant(written: &str, key: &str) -> bool {
    written == key
        || match (keys::read(written), keys::read(key)) {
            (Reading::Known(a) | Reading::Respelt(a), Reading::Known(b) | Reading::Respelt(b)) => {
                a == b
            }
            _ => false,
        }
}

fn find<'c, 'v>(changes: &'c [Change<'v>], written: &str) -> Option<&'c Change<'v>> {
    changes.iter().rev().find(|(key, _)| is_meant(written, key))
}

/// The new head, made from the old one's lines.
fn changed_lines(
    text: &str,
    parts: &Parts,
    entries: &[(Node<'_>, Node<'_>)],
    changes: &[Change<'_>],
) -> String {
    let style = Style::of(text, parts, entries.first().map(|(key, _)| key));
    let mut head = String::new();
    let mut done = parts.head.start;
    for (index, (key, value)) in entries.iter().enumerate() {
        let Some((name, new)) = key.text().and_then(|written| find(changes, written)) else {
            continue;
        };
        let next = entries.get(index + 1).map_or(parts.head.end, |(next, _)| next.span.start);
        let region = region(text, key.span.start, line_start(text, next));
        head.push_str(&text[done..region.start]);
        if let Some(new) = new {
            head.push_str(&entry(name, new, &style, comment_behind(text, name, value)));
        }
        done = region.end;
    }
    head.push_str(&text[done..parts.head.end]);
    for (key, new) in added(entries, changes) {
        head.push_str(&entry(key, new, &style, ""));
    }
    head
}

/// Keys that the head does not have yet.
fn added<'c>(
    entries: &'c [(Node<'_>, Node<'_>)],
    changes: &'c [Change<'_>],
) -> impl Iterator<Item = (&'c str, &'c Json)> {
    let written = |key: &str| {
        let mut names = entries.iter().filter_map(|(name, _)| name.text());
        names.any(|name| is_meant(name, key))
    };
    changes.iter().enumerate().filter_map(move |(index, (key, new))| {
        let last = !changes[index + 1..].iter().any(|(later, _)| is_meant(later, key));
        if written(key) || !last {
            return None;
        }
        new.as_ref().map(|new| (*key, new))
    })
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// The lines of an entry, without blank lines and comments that belong to what follows.
fn region(text: &str, key: usize, next: usize) -> Range<usize> {
    let start = line_start(text, key);
    let own = lines(text, start..next).filter(|line| {
        let content = line.of(text);
        !content.trim().is_empty() && !content.starts_with('#')
    });
    start..own.last().map_or(next, |line| line.next)
}

/// A comment behind a value on its line, with the blanks before it. Behind a sentence it is not
/// a comment but a part of the sentence.
fn comment_behind<'t>(text: &'t str, key: &str, value: &Node<'_>) -> &'t str {
    const SENTENCES: [&str; 6] =
        ["title", "description", "compatibility", "license", "argument-hint", "when_to_use"];
    let rest = text[value.span.end..].split(['\r', '\n']).next().unwrap_or_default();
    let comment = rest.starts_with([' ', '\t']) && rest.trim_start().starts_with('#');
    if comment && !SENTENCES.contains(&key) { rest } else { "" }
}

/// A head in braces, as lines.
fn as_lines(text: &str, entries: &[(Node<'_>, Node<'_>)], changes: &[Change<'_>]) -> String {
    let style = Style::plain();
    let mut head = String::new();
    for (key, value) in entries {
        let name = key.text().unwrap_or_default();
        match find(changes, name) {
            Some((key, Some(new))) => head.push_str(&entry(key, new, &style, "")),
            Some((_, None)) => {}
            None => {
                let written: Vec<&str> = text[value.span.clone()].split_whitespace().collect();
                let key = text[key.span.clone()].trim();
                head.push_str(&format!("{key}: {}\n", written.join(" ")));
            }
        }
    }
    for (key, new) in added(entries, changes) {
        head.push_str(&entry(key, new, &style, ""));
    }
    head
}

#[cfg(test)]
mod tests;
