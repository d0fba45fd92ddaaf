//! Cuts a template into text, tags and raw regions.

use std::ops::Range;

use super::Failure;
use super::lexer::{self, End, Kind, Tokens};

/// One piece of a template, in order of appearance; together they cover every byte.
#[derive(Debug)]
pub(super) enum Segment {
    Text(Range<usize>),
    /// Text of a raw or verbatim region.
    Raw(Range<usize>),
    /// `{{ … }}`
    Variable(Tag),
    /// `{% … %}`
    Block(Tag),
    /// `{# … #}`, and the tags that open and close a raw region.
    Silent(Silent),
}

#[derive(Debug)]
pub(super) struct Tag {
    pub(super) range: Range<usize>,
    pub(super) tokens: Tokens,
}

/// A tag that prints nothing and does nothing but trim.
#[derive(Debug)]
pub(super) struct Silent {
    pub(super) range: Range<usize>,
    pub(super) trims_before: bool,
    pub(super) trims_after: bool,
}

/// Whether the text has any tag; one without needs no engine.
pub(super) fn has_tag(source: &str) -> bool {
    find_marker(source).is_some()
}

fn find_marker(text: &str) -> Option<usize> {
    text.as_bytes()
        .windows(2)
        .position(|pair| pair[0] == b'{' && matches!(pair[1], b'{' | b'%' | b'#'))
}

/// Cuts `source` into its segments.
pub(super) fn split(source: &str) -> Result<Vec<Segment>, Failure> {
    let mut segments = Vec::new();
    let mut at = 0;
    while let Some(found) = find_marker(&source[at..]) {
        let start = at + found;
        if found > 0 {
            segments.push(Segment::Text(at..start));
        }
        at = match source.as_bytes()[start + 1] {
            b'#' => comment(source, start, &mut segments)?,
            b'{' => variable(source, start, &mut segments)?,
            _ => block(source, start, &mut segments)?,
        };
    }
    if at < source.len() {
        segments.push(Segment::Text(at..source.len()));
    }
    Ok(segments)
}

fn comment(source: &str, start: usize, segments: &mut Vec<Segment>) -> Result<usize, Failure> {
    let Some(length) = source[start + 2..].find("#}") else {
        return Err(Failure::new(start, "this comment is never closed: `#}` is missing"));
    };
    let after = start + 2 + length + 2;
    segments.push(Segment::Silent(silent(source, start..after)));
    Ok(after)
}

fn silent(source: &str, range: Range<usize>) -> Silent {
    let inner = &source[range.start + 2..range.end - 2];
    Silent { range, trims_before: inner.starts_with('-'), trims_after: inner.ends_with('-') }
}

fn variable(source: &str, start: usize, segments: &mut Vec<Segment>) -> Result<usize, Failure> {
    let tag = tag(source, start, End::Variable)?;
    let after = tag.range.end;
    if tag.tokens.list.is_empty() {
        return Err(Failure::new(start, "there is nothing between `{{` and `}}`"));
    }
    segments.push(Segment::Variable(tag));
    Ok(after)
}

fn block(source: &str, start: usize, segments: &mut Vec<Segment>) -> Result<usize, Failure> {
    let tag = tag(source, start, End::Block)?;
    let after = tag.range.end;
    match tag.tokens.list.first() {
        Some(token) if token.kind == Kind::Name => {}
        _ => {
            return Err(Failure::new(
                start,
                "this tag does not begin with a word such as `if` or `for`",
            ));
        }
    }
    let name = tag.tokens.list[0].text(source);
    if tag.tokens.list.len() > 1 || !matches!(name, "raw" | "verbatim") {
        segments.push(Segment::Block(tag));
        return Ok(after);
    }
    raw_region(source, tag.range, name, segments)
}

fn raw_region(
    source: &str,
    open: Range<usize>,
    name: &str,
    segments: &mut Vec<Segment>,
) -> Result<usize, Failure> {
    let Some(close) = find_raw_end(source, open.end, name) else {
        return Err(Failure::new(
            open.start,
            format!("this region is never closed: `{{% end{name} %}}` is missing"),
        ));
    };
    let after = close.end;
    let content = open.end..close.start;
    segments.push(Segment::Silent(silent(source, open)));
    if !content.is_empty() {
        segments.push(Segment::Raw(content));
    }
    segments.push(Segment::Silent(silent(source, close)));
    Ok(after)
}

fn find_raw_end(source: &str, from: usize, name: &str) -> Option<Range<usize>> {
    let mut at = from;
    while let Some(found) = source[at..].find("{%") {
        let start = at + found;
        if let Some(length) = raw_end_length(&source[start..], name) {
            return Some(start..start + length);
        }
        at = start + 2;
    }
    None
}

fn raw_end_length(tag: &str, name: &str) -> Option<usize> {
    let inner = tag.strip_prefix("{%")?;
    let inner = inner.strip_prefix(['-', '+']).unwrap_or(inner).trim_ascii_start();
    let rest = inner.strip_prefix("end")?.strip_prefix(name)?.trim_ascii_start();
    let rest = rest.strip_prefix(['-', '+']).unwrap_or(rest).strip_prefix("%}")?;
    Some(tag.len() - rest.len())
}

fn tag(source: &str, start: usize, end: End) -> Result<Tag, Failure> {
    let inner = start + 2;
    let inner = inner + usize::from(source[inner..].starts_with(['-', '+']));
    let tokens = lexer::tokens(source, start, inner, end)?;
    Ok(Tag { range: start..tokens.after, tokens })
}
