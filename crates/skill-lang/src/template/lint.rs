//! Constructs that Pebble and Jinja read differently.

use super::position::Lines;
use super::segments::{self, Segment};
use super::{Failure, SyntaxError};

/// A construct whose meaning may surprise; the template works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lint {
    /// What it means here and what to write instead.
    pub message: String,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
}

const LOOP_INDEX: &str = "`loop.index` counts from 1 here, as in Jinja; Pebble counts from 0: use `loop.index0` for that";

/// Lints of a template; one that does not parse has none, its error says enough.
pub fn lints(source: &str) -> Vec<Lint> {
    let Ok(segments) = segments::split(source) else { return Vec::new() };
    let lines = Lines::of(source);
    let tags = segments.iter().filter_map(|segment| match segment {
        Segment::Variable(tag) | Segment::Block(tag) => Some(tag),
        _ => None,
    });
    let indexes = tags.flat_map(|tag| {
        let is_index = |window: &&[super::lexer::Token]| {
            let texts: Vec<&str> = window.iter().map(|token| token.text(source)).collect();
            texts == ["loop", ".", "index"]
        };
        tag.tokens.list.windows(3).filter(is_index).map(|window| window[0].start)
    });
    let lint = |offset| {
        let SyntaxError { message, line, column } =
            Failure::new(offset, LOOP_INDEX).locate(source, &lines);
        Lint { message, line, column }
    };
    indexes.map(lint).collect()
}
