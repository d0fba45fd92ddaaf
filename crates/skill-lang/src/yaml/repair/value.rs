//! What a value that YAML refuses was meant to be.

use std::ops::Range;

use saphyr_parser::{Event, Parser};

use super::super::quote::double_quoted;
use crate::text::BLANKS;

/// A value on one or several lines.
pub(super) struct Region {
    pub(super) bytes: Range<usize>,
    pub(super) next_line: usize,
}

/// Whether YAML reads the value, alone, as one text or one flow collection.
pub(super) fn is_fine(value: &str, head: &str) -> bool {
    if let Some(alias) = value.strip_prefix('*') {
        let name = alias.split_whitespace().next().unwrap_or_default();
        return alias.trim_matches(BLANKS) == name
            && !name.is_empty()
            && head.contains(&format!("&{name}"));
    }
    let flow = value.starts_with(['[', '{']);
    let (mut depth, mut roots) = (0_usize, 0);
    let mut parser = Parser::new_from_str(value);
    while let Some(next) = parser.next_event() {
        let Ok((event, _)) = next else { return false };
        match event {
            Event::Scalar(..) | Event::Alias(_) if depth == 0 => roots += 1,
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                if depth == 0 {
                    if !flow {
                        return false;
                    }
                    roots += 1;
                }
                depth += 1;
                if depth > crate::limits::YAML_DEPTH_MAX {
                    // The limit has its own message; quoting is no remedy.
                    return true;
                }
            }
            Event::MappingEnd | Event::SequenceEnd => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    roots == 1
}

/// A value that is fine but for the indentation of its lines, on one line.
pub(super) fn on_one_line(value: &str) -> String {
    if value.starts_with(['[', '{']) {
        if value.contains('#') {
            // Perhaps a comment, which would swallow the rest of the line.
            return value.to_owned();
        }
        return value.split(BLANKS).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    }
    let mut parser = Parser::new_from_str(value);
    let scalar =
        std::iter::from_fn(|| parser.next_event()?.ok()).find_map(|(event, _)| match event {
            Event::Scalar(text, ..) => Some(text.into_owned()),
            _ => None,
        });
    double_quoted(&scalar.unwrap_or_else(|| as_meant(value)))
}

/// Length of a quoted or bracketed value, up to and with its closing character.
pub(super) fn closing(value: &str, budget: &mut usize) -> Option<usize> {
    let length = match value.as_bytes().first()? {
        b'"' => closing_quote(value, '"'),
        b'\'' => closing_quote(value, '\''),
        b'[' | b'{' => closing_bracket(value),
        _ => return None,
    };
    *budget = budget.saturating_sub(length.unwrap_or(value.len()));
    length
}

fn closing_quote(value: &str, quote: char) -> Option<usize> {
    let mut characters = value.char_indices().skip(1).peekable();
    while let Some((at, c)) = characters.next() {
        if c == '\\' && quote == '"' {
            characters.next();
        } else if c == quote {
            if quote == '\'' && characters.peek().is_some_and(|(_, next)| *next == quote) {
                characters.next();
            } else {
                return Some(at + 1);
            }
        }
    }
    None
}

fn closing_bracket(value: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in value.char_indices() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The text that the author had in mind: lines folded, quotes that enclose it taken off.
pub(super) fn as_meant(value: &str) -> String {
    let folded = fold(value);
    let Some(quote) = folded.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        return folded;
    };
    let inner = &folded[1..];
    match inner.strip_suffix(quote) {
        Some(enclosed) if encloses(enclosed, quote) => unescape(enclosed, quote),
        Some(_) => folded,
        // An opening quote that nothing closes is a slip; one that closes early quotes a word.
        None if inner.contains(quote) => folded,
        None => unescape(inner, quote),
    }
}

/// Whether the outer pair of quotes belongs together: `"say "hi" twice"`, unlike `"a" and "b"`.
/// Apostrophes inside words are no quotes.
fn encloses(inner: &str, quote: char) -> bool {
    let before = |at: usize| inner[..at].chars().next_back();
    let behind = |at: usize| inner[at + quote.len_utf8()..].chars().next();
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let mut quotes = inner.match_indices(quote).map(|(at, _)| at);
    let first = quotes.find(|at| !(letter(before(*at)) && letter(behind(*at))));
    first
        .and_then(before)
        .is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '[' | '\\' | '\'' | '"' | '/' | '='))
}

fn unescape(text: &str, quote: char) -> String {
    match quote {
        '"' => text.replace("\\\"", "\""),
        _ => text.replace("''", "'"),
    }
}

/// Joins lines as YAML joins those of a plain text: one line end is a blank, a blank line stays
/// a line end.
fn fold(value: &str) -> String {
    let mut folded = String::with_capacity(value.len());
    let mut blank_lines = 0;
    for (number, line) in value.lines().enumerate() {
        let line = line.trim_matches(BLANKS);
        if line.is_empty() {
            blank_lines += 1;
            continue;
        }
        match (number, blank_lines) {
            (0, _) => {}
            (_, 0) => folded.push(' '),
            (_, lines) => folded.extend(std::iter::repeat_n('\n', lines)),
        }
        blank_lines = 0;
        folded.push_str(line);
    }
    folded
}

/// What YAML does not accept, and its offset in the value.
pub(super) fn reason(value: &str) -> (usize, &'static str) {
    let first = value.chars().next().unwrap_or(' ');
    match first {
        '"' | '\'' => (0, "a quote opens the value but does not close it"),
        '@' | '`' | '%' => (0, "a value can't start with `@`, `` ` `` or `%`"),
        '*' => (0, "`*` at the start of a value refers to an anchor that does not exist"),
        '[' | '{' => (0, "a bracket opens the value but does not close it"),
        '|' | '>' => (0, "text stands on the line of `|` or `>`"),
        '&' | '!' | '?' | '-' | ',' | ']' | '}' | '#' => {
            (0, "the value starts with a character that has a meaning in YAML")
        }
        _ => match value.find(": ").or_else(|| value.find(":\n")).or_else(|| value.find(":\t")) {
            Some(colon) => (colon, "a colon inside the value is read as a key by YAML"),
            None => match value.find(" #") {
                Some(hash) => (hash + 1, "` #` starts a comment in YAML"),
                None if value.ends_with(':') => {
                    (value.len() - 1, "a colon ends the value, so YAML reads it as a key")
                }
                None => (0, "YAML can't read this value"),
            },
        },
    }
}
