//! Lines that hold nothing but block tags and comments leave nothing behind.
//!
//! Pebble swallows the line end behind every tag, `{{ }}` included, which glues lines of prose together; Jinja keeps
//! all of them, which leaves holes. Here a line of tags alone disappears with its indentation and its line end, and
//! every other line is kept as it stands.

use std::ops::Range;

use super::segments::Segment;

/// For each segment the range that is printed; only those of text differ from the segment's own.
pub(super) fn printed(source: &str, segments: &[Segment]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = segments.iter().map(range).collect();
    let mut at = 0;
    while at < segments.len() {
        if !is_quiet(&segments[at]) {
            at += 1;
            continue;
        }
        let last = run_end(source, segments, at);
        let (before, after) = (ranges_before(&ranges, at), ranges.get(last + 1).cloned());
        let head = indentation(source, before.as_ref(), is_text_at(segments, at.checked_sub(1)));
        let tail = line_end(
            source,
            after.as_ref(),
            is_text_at(segments, Some(last + 1)),
            last + 2 == segments.len(),
        );
        if let (Some(head), Some(tail)) = (head, tail) {
            drop_line(source, &mut ranges, at..=last, head, tail);
        }
        at = last + 1;
    }
    ranges
}

fn range(segment: &Segment) -> Range<usize> {
    match segment {
        Segment::Text(range) | Segment::Raw(range) => range.clone(),
        Segment::Variable(tag) | Segment::Block(tag) => tag.range.clone(),
        Segment::Silent(silent) => silent.range.clone(),
    }
}

fn is_quiet(segment: &Segment) -> bool {
    matches!(segment, Segment::Block(_) | Segment::Silent(_))
}

fn is_text(segment: &Segment) -> bool {
    matches!(segment, Segment::Text(_) | Segment::Raw(_))
}

/// `None` stands for the edge of the template.
fn is_text_at(segments: &[Segment], index: Option<usize>) -> Option<bool> {
    index.and_then(|index| segments.get(index)).map(is_text)
}

fn ranges_before(ranges: &[Range<usize>], at: usize) -> Option<Range<usize>> {
    at.checked_sub(1).map(|before| ranges[before].clone())
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t'))
}

/// Index of the last tag of the run that starts at `first`: tags with nothing but blanks between them.
fn run_end(source: &str, segments: &[Segment], first: usize) -> usize {
    let mut last = first;
    loop {
        match (segments.get(last + 1), segments.get(last + 2)) {
            (Some(next), _) if is_quiet(next) => last += 1,
            (Some(Segment::Text(range) | Segment::Raw(range)), Some(next))
                if is_quiet(next) && is_blank(&source[range.clone()]) =>
            {
                last += 2;
            }
            _ => return last,
        }
    }
}

/// Bytes of indentation in front of a run, or `None` when something else stands there.
fn indentation(
    source: &str,
    before: Option<&Range<usize>>,
    is_text: Option<bool>,
) -> Option<usize> {
    let Some(before) = before else { return Some(0) };
    if is_text != Some(true) {
        return None;
    }
    let text = &source[before.clone()];
    let line = &text[text.rfind('\n').map_or(0, |at| at + 1)..];
    let starts_line =
        line.len() < text.len() || before.start == 0 || source[..before.start].ends_with('\n');
    (starts_line && is_blank(line)).then_some(line.len())
}

/// Bytes up to and with the line end behind a run, or `None` when something else stands there.
fn line_end(
    source: &str,
    after: Option<&Range<usize>>,
    is_text: Option<bool>,
    is_last: bool,
) -> Option<usize> {
    let Some(after) = after else { return Some(0) };
    if is_text != Some(true) {
        return None;
    }
    let text = &source[after.clone()];
    match text.find('\n') {
        Some(at) => is_blank(text[..at].trim_end_matches('\r')).then_some(at + 1),
        None => (is_last && is_blank(text)).then_some(text.len()),
    }
}

/// `{%+` keeps what stands in front, `+%}` what follows.
fn drop_line(
    source: &str,
    ranges: &mut [Range<usize>],
    run: std::ops::RangeInclusive<usize>,
    head: usize,
    tail: usize,
) {
    let (first, last) = (*run.start(), *run.end());
    if head > 0 && source.as_bytes()[ranges[first].start + 2] != b'+' {
        ranges[first - 1].end -= head;
    }
    if tail > 0 && source.as_bytes()[ranges[last].end - 3] != b'+' {
        ranges[last + 1].start += tail;
    }
    for between in
        ranges[first..=last].iter_mut().filter(|range| is_blank(&source[(*range).clone()]))
    {
        between.end = between.start;
    }
}
