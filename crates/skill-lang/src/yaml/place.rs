//! From the parser's places to bytes of the file.

use std::ops::Range;

/// A replacement of bytes of the file that a repair made before parsing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

/// Translates places. The parser counts characters of the text it was given, which is the head
/// with `edits` applied; we count bytes of the file.
pub(crate) struct Places<'e> {
    /// Where the head starts in the file.
    base: usize,
    /// Bytes of the head in the file.
    len: usize,
    /// Byte of each character of the parsed text; `None`: all are ASCII.
    characters: Option<Vec<u32>>,
    edits: &'e [Edit],
}

impl<'e> Places<'e> {
    pub(crate) fn new(base: usize, len: usize, parsed: &str, edits: &'e [Edit]) -> Self {
        let ends = u32::try_from(parsed.len()).unwrap_or(u32::MAX);
        let characters = (!parsed.is_ascii()).then(|| {
            let starts = parsed.char_indices().map(|(at, _)| u32::try_from(at).unwrap_or(ends));
            starts.chain([ends]).collect()
        });
        Self { base, len, characters, edits }
    }

    /// The byte of the file for a character of the parsed text.
    pub(crate) fn byte(&self, character: usize) -> usize {
        let parsed = match &self.characters {
            Some(starts) => starts.get(character).or(starts.last()).map_or(0, |at| *at as usize),
            None => character,
        };
        self.before_edits(parsed).min(self.base + self.len)
    }

    /// Undoes the edits. What was inside a replacement becomes the start of what it replaced,
    /// its end the end.
    fn before_edits(&self, parsed: usize) -> usize {
        // Position in the file of the text behind the edits seen so far, and in the parsed one.
        let (mut file, mut seen) = (self.base, 0);
        for edit in self.edits {
            let kept = edit.range.start - file;
            if parsed < seen + kept {
                break;
            }
            let replaced = seen + kept + edit.text.len();
            if parsed < replaced {
                return edit.range.start;
            }
            (file, seen) = (edit.range.end, replaced);
        }
        file + (parsed - seen)
    }
}

/// The head's text with the edits applied. They are sorted and don't overlap.
pub(crate) fn apply(text: &str, head: Range<usize>, edits: &[Edit]) -> String {
    let mut changed = String::with_capacity(head.len() + 64);
    let mut done = head.start;
    for edit in edits {
        changed.push_str(&text[done..edit.range.start]);
        changed.push_str(&edit.text);
        done = edit.range.end;
    }
    changed.push_str(&text[done..head.end]);
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_behind_and_inside_edits_lead_back_to_the_file() {
        let text = "-ab: c: ü\nd: e";
        let edits = [Edit { range: 5..10, text: "\"c: ü\"".to_owned() }];
        let parsed = apply(text, 1..text.len(), &edits);
        assert_eq!(parsed, "ab: \"c: ü\"\nd: e");
        let places = Places::new(1, text.len() - 1, &parsed, &edits);
        assert_eq!(places.byte(0), 1);
        assert_eq!(places.byte(4), 5);
        assert_eq!(places.byte(6), 5);
        assert_eq!(places.byte(10), 10);
        assert_eq!(&text[places.byte(11)..], "d: e");
        assert_eq!(places.byte(999), text.len());
    }
}
