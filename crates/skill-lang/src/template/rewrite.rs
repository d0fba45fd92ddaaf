//! Turns the accepted dialect into what the engine reads.

use std::ops::Range;

use super::check::{self, Names};
use super::expression::Expressions;
use super::lexer::Token;
use super::segments::{self, Segment, Silent, Tag};
use super::source_map::{SourceMap, Writer};
use super::{Failure, layout, nesting};

/// A template the engine can compile.
#[derive(Debug)]
pub(super) struct Rewritten {
    pub(super) text: String,
    pub(super) map: SourceMap,
    /// Regular expressions written as literals behind `is matching`, to be compiled once.
    pub(super) patterns: Vec<String>,
    pub(super) recursion_limit: usize,
}

pub(super) fn rewrite(source: &str) -> Result<Rewritten, Failure> {
    let segments = segments::split(source)?;
    nesting::check_branches(source, &segments)?;
    let recursion_limit = nesting::recursion_limit(source, &segments)?;
    let printed = layout::printed(source, &segments);
    let names = Names::of(source, &segments);
    let mut writer = Writer::default();
    let mut patterns = Vec::new();
    for (index, segment) in segments.iter().enumerate() {
        match segment {
            Segment::Text(_) => writer.copy(source, printed[index].clone()),
            Segment::Raw(_) => {
                raw(source, trim_raw(source, &segments, index, &printed), &mut writer)
            }
            Segment::Silent(tag) => silent(tag, &mut writer),
            Segment::Variable(tag) | Segment::Block(tag) => {
                check::tag(source, tag, &names, &mut patterns)?;
                statement(source, tag, matches!(segment, Segment::Block(_)), &mut writer)?;
            }
        }
    }
    Ok(Rewritten { text: writer.text, map: writer.map, patterns, recursion_limit })
}

/// Keeps the trimming of a tag that itself disappears.
fn silent(tag: &Silent, writer: &mut Writer) {
    let substitute = match (tag.trims_before, tag.trims_after) {
        (false, false) => return,
        (true, false) => "{#- #}",
        (false, true) => "{# -#}",
        (true, true) => "{#- -#}",
    };
    writer.insert(substitute, tag.range.start);
}

/// The engine does not trim inside of raw regions from outside, so it is done here.
fn trim_raw(
    source: &str,
    segments: &[Segment],
    index: usize,
    printed: &[Range<usize>],
) -> Range<usize> {
    let mut range = printed[index].clone();
    if let Some(Segment::Silent(open)) = segments.get(index.wrapping_sub(1))
        && open.trims_after
    {
        range.start = range.end - source[range.clone()].trim_start().len();
    }
    if let Some(Segment::Silent(close)) = segments.get(index + 1)
        && close.trims_before
    {
        range.end = range.start + source[range.clone()].trim_end().len();
    }
    range
}

fn raw(source: &str, range: Range<usize>, writer: &mut Writer) {
    let text = &source[range.clone()];
    if !segments::has_tag(text) && !text.ends_with('{') {
        writer.copy(source, range);
    } else if text.contains("endraw") {
        // Such a text would end the engine's own raw region: print it as a literal.
        writer.insert(&format!("{{{{ {} }}}}", literal(text)), range.start);
    } else {
        writer.insert("{% raw %}", range.start);
        writer.copy(source, range.clone());
        writer.insert("{% endraw %}", range.end);
    }
}

/// A text literal of the engine.
pub(super) fn literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    for char in text.chars() {
        if matches!(char, '"' | '\\') {
            literal.push('\\');
        }
        literal.push(char);
    }
    literal.push('"');
    literal
}

fn statement(source: &str, tag: &Tag, is_block: bool, writer: &mut Writer) -> Result<(), Failure> {
    let tokens = &tag.tokens.list;
    let mut expressions = Expressions { source, tokens, writer, depth: 0 };
    let Some(first) = tokens.first() else { return Ok(()) };
    expressions.writer.copy(source, tag.range.start..first.start);
    let mut from = 0;
    if is_block {
        keyword(source, first, expressions.writer);
        from = 1;
        if first.text(source) == "for" {
            // The loop variables are no expression.
            let end = tokens.iter().position(|token| token.text(source) == "in").unwrap_or(0);
            expressions.verbatim(1, end + 1);
            from = end + 1;
        }
    }
    expressions.list(from, tokens.len(), false)?;
    let last = tokens[tokens.len() - 1].end;
    expressions.writer.copy(source, last..tag.range.end);
    Ok(())
}

fn keyword(source: &str, token: &Token, writer: &mut Writer) {
    match token.text(source) {
        "elseif" => writer.insert("elif", token.start),
        _ => writer.copy(source, token.start..token.end),
    }
}
