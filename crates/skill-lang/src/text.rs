//! Places in a text as people count them.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The byte order mark that some editors put in front of a text.
pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// Blanks and line ends as YAML knows them; `char::is_whitespace` knows more.
pub(crate) const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    /// From 1; lines end with a line feed.
    pub line: u32,
    /// From 1, in code points. A byte order mark at the start of the text has no column.
    pub column: u32,
}

impl Position {
    /// The start of any text.
    pub const START: Self = Self { line: 1, column: 1 };

    /// The place of a byte. An offset inside a character counts as that character's start, one
    /// behind the text as its end.
    #[must_use]
    pub fn of(text: &str, offset: usize) -> Self {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before[..line_start].bytes().filter(|byte| *byte == b'\n').count();
        let mut column = before[line_start..].chars().count();
        if line_start == 0 && before.starts_with(BYTE_ORDER_MARK) {
            column -= 1;
        }
        Self { line: count(line + 1), column: count(column + 1) }
    }

    /// The byte that this place stands for; `None` when the text has no such place. The end of
    /// a line, before its line end, is a place.
    #[must_use]
    pub fn offset_in(self, text: &str) -> Option<usize> {
        let (line, column) = (usize::try_from(self.line).ok()?, usize::try_from(self.column).ok()?);
        let mut start = 0;
        for _ in 1..line {
            start += text[start..].find('\n')? + 1;
        }
        if start == 0 && text.starts_with(BYTE_ORDER_MARK) {
            start = BYTE_ORDER_MARK.len_utf8();
        }
        let end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        let mut places = text[start..end].char_indices().map(|(at, _)| start + at).chain([end]);
        places.nth(column.checked_sub(1)?)
    }
}

/// A line of a text, as byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// First byte.
    pub(crate) start: usize,
    /// End without the line end.
    pub(crate) end: usize,
    /// Start of the next line, or the end of the text.
    pub(crate) next: usize,
}

impl Line {
    pub(crate) fn of(self, text: &str) -> &str {
        &text[self.start..self.end]
    }

    pub(crate) fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// The lines of `text[range]`; a last line end opens no further line.
pub(crate) fn lines(text: &str, range: Range<usize>) -> impl Iterator<Item = Line> + '_ {
    let mut start = range.start;
    let stop = range.end;
    std::iter::from_fn(move || {
        if start >= stop {
            return None;
        }
        let next = text[start..stop].find('\n').map_or(stop, |newline| start + newline + 1);
        let line = &text[start..next];
        let content = line.strip_suffix('\n').unwrap_or(line);
        let content = content.strip_suffix('\r').unwrap_or(content);
        let found = Line { start, end: start + content.len(), next };
        start = next;
        Some(found)
    })
}

/// Counts in a text fit: texts are limited to far less than 4 GiB.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_and_skip_a_byte_order_mark() {
        let text = "\u{feff}äb\r\n€x\n";
        for (offset, line, column) in [(3, 1, 1), (5, 1, 2), (8, 2, 1), (11, 2, 2), (13, 3, 1)] {
            let place = Position { line, column };
            assert_eq!(Position::of(text, offset), place, "offset {offset}");
            assert_eq!(place.offset_in(text), Some(offset), "{place:?}");
        }
        assert_eq!(Position { line: 9, column: 1 }.offset_in(text), None);
        assert_eq!(Position { line: 1, column: 9 }.offset_in(text), None);
    }
}
