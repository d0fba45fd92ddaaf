//! Finds in a tag what the engine would find only while rendering: unknown filters, tests, functions, methods.

use super::lexer::{Kind, Token};
use super::segments::{Segment, Tag};
use super::{Failure, PATTERNS_MAX, engine, predicates};
use crate::keys::closest;

/// Tags of Pebble and Jinja that need other documents or caches, which templates don't have.
const FOREIGN_TAGS: [&str; 8] =
    ["include", "import", "from", "extends", "embed", "cache", "flush", "parallel"];

/// Words after which a bracket is no call.
const CONNECTIVES: [&str; 11] =
    ["and", "or", "not", "in", "is", "if", "else", "elif", "elseif", "contains", "matches"];

/// Callable names that are no functions of the engine.
const SPECIAL_CALLS: [&str; 4] = ["loop", "caller", "super", "equals"];

/// Filters worth guessing at when one is misspelt.
const FILTERS: [&str; 30] = [
    "upper",
    "lower",
    "capitalize",
    "title",
    "trim",
    "join",
    "split",
    "length",
    "first",
    "last",
    "default",
    "slug",
    "yamlIndent",
    "raw",
    "abbreviate",
    "coalesce",
    "slice",
    "replace",
    "json",
    "tojson",
    "sort",
    "reverse",
    "unique",
    "items",
    "indent",
    "round",
    "abs",
    "int",
    "sum",
    "map",
];

/// Tests worth guessing at when one is misspelt.
const TESTS: [&str; 14] = [
    "empty",
    "null",
    "none",
    "defined",
    "undefined",
    "matching",
    "containing",
    "map",
    "mapping",
    "iterable",
    "even",
    "odd",
    "equalTo",
    "number",
];

fn guess(name: &str, known: &[&'static str]) -> String {
    closest(name, known.iter().copied())
        .map(|known| format!("; did you mean `{known}`?"))
        .unwrap_or_default()
}

/// Callable names a template defines itself.
pub(super) struct Names<'s> {
    macros: Vec<&'s str>,
}

impl<'s> Names<'s> {
    pub(super) fn of(source: &'s str, segments: &[Segment]) -> Names<'s> {
        let macros = segments.iter().filter_map(|segment| match segment {
            Segment::Block(tag) => match tag.tokens.list.as_slice() {
                [keyword, name, ..] if keyword.text(source) == "macro" => Some(name.text(source)),
                _ => None,
            },
            _ => None,
        });
        Names { macros: macros.collect() }
    }
}

/// Checks one tag; literal patterns of `is matching` are added to `patterns`.
pub(super) fn tag(
    source: &str,
    tag: &Tag,
    names: &Names,
    patterns: &mut Vec<String>,
) -> Result<(), Failure> {
    let tokens = &tag.tokens.list;
    let check = Check { source, tokens, names };
    let is_block = source[tag.range.clone()].starts_with("{%");
    let from = if is_block { check.keyword()? } else { 0 };
    for index in from..tokens.len() {
        check.filter(index)?;
        check.test(index)?;
        check.call(index)?;
        check.pattern(index, patterns)?;
    }
    Ok(())
}

struct Check<'t> {
    source: &'t str,
    tokens: &'t [Token],
    names: &'t Names<'t>,
}

impl Check<'_> {
    fn text(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| token.text(self.source))
    }

    fn before(&self, index: usize) -> &str {
        index.checked_sub(1).map_or("", |before| self.text(before))
    }

    fn is_name(&self, index: usize) -> bool {
        self.tokens.get(index).is_some_and(|token| token.kind == Kind::Name)
    }

    fn fail<T>(&self, index: usize, message: String) -> Result<T, Failure> {
        Err(Failure::new(self.tokens[index].start, message))
    }

    /// Checks the tag's own word; returns where its expressions begin.
    fn keyword(&self) -> Result<usize, Failure> {
        let word = self.text(0);
        if word == "else" && self.text(1) == "if" {
            return self.fail(0, "write `elseif` or `elif` instead of `else if`".to_owned());
        }
        if FOREIGN_TAGS.contains(&word) {
            return self.fail(
                0,
                format!("`{word}` is not available: a template cannot read other documents"),
            );
        }
        if word == "filter" && self.is_name(1) && !engine::has_filter(self.text(1)) {
            return self.unknown_filter(1);
        }
        Ok(match word {
            "macro" | "block" | "endmacro" | "endblock" | "filter" => self.tokens.len().min(2),
            _ => 1,
        })
    }

    fn filter(&self, index: usize) -> Result<(), Failure> {
        if self.text(index) == "|" && self.before(index) == "|" {
            return self.fail(index - 1, "`||` has no meaning here; write `or`".to_owned());
        }
        if self.before(index) != "|" || !self.is_name(index) || engine::has_filter(self.text(index))
        {
            return Ok(());
        }
        self.unknown_filter(index)
    }

    fn unknown_filter<T>(&self, index: usize) -> Result<T, Failure> {
        let name = self.text(index);
        self.fail(index, format!("there is no filter `{name}`{}", guess(name, &FILTERS)))
    }

    fn test(&self, index: usize) -> Result<(), Failure> {
        let after_is =
            self.is_name(index) && self.before(index) == "is" && !self.is_attribute(index - 1);
        let negated = self.before(index) == "not" && index >= 2 && self.text(index - 2) == "is";
        let name = self.text(index);
        let names_test = after_is && name != "not" || self.is_name(index) && negated;
        if !names_test || engine::has_test(name) {
            return Ok(());
        }
        self.fail(index, format!("there is no test `is {name}`{}", guess(name, &TESTS)))
    }

    fn is_attribute(&self, index: usize) -> bool {
        self.before(index) == "."
    }

    fn call(&self, index: usize) -> Result<(), Failure> {
        let name = self.text(index);
        if !self.is_name(index) || self.text(index + 1) != "(" {
            return Ok(());
        }
        if self.is_attribute(index) {
            return match index.checked_sub(2).map(|base| self.text(base)) {
                Some("loop" | "self") => Ok(()),
                _ => self.fail(
                    index,
                    format!("methods cannot be called; use a filter, such as `value|{name}`"),
                ),
            };
        }
        let known = matches!(self.before(index), "|" | "is")
            || (self.before(index) == "not" && index >= 2 && self.text(index - 2) == "is")
            || CONNECTIVES.contains(&name)
            || SPECIAL_CALLS.contains(&name)
            || self.names.macros.contains(&name)
            || engine::has_function(name);
        if known { Ok(()) } else { self.fail(index, format!("there is no function `{name}`")) }
    }

    /// A literal of `is matching("…")` or `matches "…"`, compiled to see that it can be, once for all its places.
    fn pattern(&self, index: usize, patterns: &mut Vec<String>) -> Result<(), Failure> {
        if !is_pattern(self.source, self.tokens, index) {
            return Ok(());
        }
        let pattern = pattern_of(self.text(index));
        if patterns.contains(&pattern) {
            return Ok(());
        }
        if patterns.len() == PATTERNS_MAX {
            return self.fail(index, format!("the template has more than {PATTERNS_MAX} patterns"));
        }
        if let Err(problem) = predicates::compile(&pattern) {
            return self.fail(index, problem);
        }
        patterns.push(pattern);
        Ok(())
    }
}

/// Whether the token is the literal of `is matching("…")`, `is matching "…"` or `matches "…"`.
pub(super) fn is_pattern(source: &str, tokens: &[Token], index: usize) -> bool {
    if tokens[index].kind != Kind::Text {
        return false;
    }
    let before = |back: usize| index.checked_sub(back).map_or("", |at| tokens[at].text(source));
    match (before(2), before(1)) {
        ("matching", "(") => matches!(before(3), "is" | "not"),
        ("is" | "not", "matching") => true,
        (_, "matches") => index > 1 && tokens[index - 2].ends_value(),
        _ => false,
    }
}

/// The pattern a literal stands for: unlike in other texts, a backslash escapes nothing but itself and the quote,
/// so that `"\bword\b"` is what it looks like.
pub(super) fn pattern_of(literal: &str) -> String {
    let quote = literal.chars().next();
    let mut pattern = String::with_capacity(literal.len());
    let mut chars = literal[1..literal.len() - 1].chars();
    while let Some(char) = chars.next() {
        match (char, chars.clone().next()) {
            ('\\', Some(next)) if next == '\\' || Some(next) == quote => {
                pattern.extend(chars.next())
            }
            _ => pattern.push(char),
        }
    }
    pattern
}
