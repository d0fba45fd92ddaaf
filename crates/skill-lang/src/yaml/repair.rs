//! Repairing heads that YAML refuses although their meaning is plain: texts that should have
//! been quoted, tabs, a missing blank behind a colon.
//!
//! Works line by line, and only on heads that the parser refused. A repair is an edit of the
//! file, so the same edit is applied before parsing again and proposed to the author.

mod value;

use std::ops::Range;

use self::value::{Region, as_meant, is_fine, on_one_line, reason};
use super::Edit;
use super::quote::double_quoted;
use crate::diagnostic::Code;
use crate::keys;
use crate::text::{BLANKS, Line, lines};

/// One repair.
#[derive(Debug)]
pub(crate) struct Repair {
    pub(crate) code: Code,
    /// Byte of the file to point at.
    pub(crate) at: usize,
    pub(crate) message: String,
    pub(crate) edit: Edit,
}

/// Finds repairs, sorted by place and not overlapping; none if there is nothing to repair.
pub(crate) fn repair(text: &str, head: Range<usize>) -> Vec<Repair> {
    let lines: Vec<Line> = lines(text, head.clone()).collect();
    let mut walk =
        Walk { text, end: head.end, lines, repairs: Vec::new(), budget: SCAN_BYTES_MAX, keys: 0 };
    let mut at = 0;
    while at < walk.lines.len() {
        at = walk.entry(at);
    }
    walk.repairs.sort_by_key(|repair| repair.edit.range.start);
    let mut done = head.start;
    walk.repairs.retain(|repair| {
        let behind = repair.edit.range.start >= done;
        done = done.max(repair.edit.range.end);
        behind
    });
    walk.repairs
}

/// Bytes looked at in search of closing quotes and brackets, per file.
const SCAN_BYTES_MAX: usize = 1 << 20;

struct Walk<'a> {
    text: &'a str,
    end: usize,
    lines: Vec<Line>,
    repairs: Vec<Repair>,
    budget: usize,
    /// Keys seen so far.
    keys: usize,
}

/// A line without its indentation and list markers.
struct Content {
    /// Columns before it, tabs counted as two.
    column: usize,
    /// First byte.
    start: usize,
    /// Stands behind `- `.
    item: bool,
}

impl<'a> Walk<'a> {
    fn line(&self, at: usize) -> &'a str {
        self.lines[at].of(self.text)
    }

    /// Handles the line and those that belong to its value; returns the line to go on with.
    fn entry(&mut self, at: usize) -> usize {
        let line = self.line(at);
        if is_blank_or_comment(line) {
            return at + 1;
        }
        self.replace_tabs(at);
        let content = self.content(at);
        let rest = &self.text[content.start..self.lines[at].end];
        let Some(key) = key_of(rest, content.column == 0 && !content.item) else {
            return self.text_without_key(at, &content);
        };
        let value_start = content.start + key.value;
        if key.blank_missing {
            self.insert_blank(value_start, key.name);
        }
        let value = &self.text[value_start..self.lines[at].end];
        let trimmed = value.trim_start_matches(BLANKS);
        self.keys += 1;
        if value.starts_with('\t') && !trimmed.is_empty() {
            self.replace_tab_behind(value_start..self.lines[at].end - trimmed.len(), key.name);
        }
        if trimmed.is_empty() || trimmed.starts_with('#') {
            return at + 1;
        }
        if is_block_header(trimmed) {
            return self.skip_block(at, content.column);
        }
        let start = value_start + (value.len() - trimmed.len());
        self.value(at, start, content.column, true)
    }

    fn text_without_key(&mut self, at: usize, content: &Content) -> usize {
        if content.start >= self.lines[at].end {
            return at + 1;
        }
        if content.column == 0 && !content.item {
            self.stray(at);
            return at + 1;
        }
        // Continuations of a list's text stand behind its dash, those of a bare text anywhere
        // at its own column.
        let parent =
            if content.item { content.column.saturating_sub(2) } else { content.column - 1 };
        self.value(at, content.start, parent, content.item)
    }

    /// Checks a text or flow value that starts on this line, and repairs it.
    fn value(&mut self, at: usize, start: usize, column: usize, inline: bool) -> usize {
        let closed = self.closed_region(at, start, column);
        let region = closed.unwrap_or_else(|| self.indented_region(at, start, column, inline));
        let value = &self.text[region.bytes.clone()];
        if value.contains("\n\t") || !is_fine(value, &self.text[..self.end]) {
            let (offset, why) = reason(value);
            self.repairs.push(Repair {
                code: Code::UnquotedValue,
                at: region.bytes.start + offset,
                message: format!("{why}; read as plain text, put it in quotes"),
                edit: Edit { text: double_quoted(&as_meant(value)), range: region.bytes },
            });
        } else if let Some(line) = self.outdented(at + 1..region.next_line, column) {
            self.repairs.push(Repair {
                code: Code::WrongIndentation,
                at: self.lines[line].start,
                message: "the value goes on here, but is not indented".to_owned(),
                edit: Edit { text: on_one_line(value), range: region.bytes },
            });
        }
        region.next_line
    }

    /// The value up to its closing quote or bracket, where that ends its line.
    fn closed_region(&mut self, at: usize, start: usize, column: usize) -> Option<Region> {
        let limit = self.end.min(start + self.budget);
        let mut limit = limit;
        while !self.text.is_char_boundary(limit) {
            limit -= 1;
        }
        let length = value::closing(&self.text[start..limit], &mut self.budget)?;
        let end = start + length;
        let last = at + self.lines[at..].iter().position(|line| end <= line.end)?;
        let behind = self.text[end..self.lines[last].end].trim_start_matches(BLANKS);
        if !(behind.is_empty() || behind.starts_with('#')) {
            return None;
        }
        let swallowed = (at + 1..=last).any(|line| {
            let content = self.content(line);
            content.column <= column
                && key_of(&self.text[content.start..self.lines[line].end], true).is_some()
        });
        (!swallowed).then_some(Region { bytes: start..end, next_line: last + 1 })
    }

    /// The value with the lines below it that are indented more than its key.
    fn indented_region(&mut self, at: usize, start: usize, column: usize, inline: bool) -> Region {
        let mut last = at;
        let mut next = at + 1;
        while next < self.lines.len() {
            let line = self.line(next);
            if line.trim_matches(BLANKS).is_empty() {
                next += 1;
                continue;
            }
            if line.trim_start_matches(BLANKS).starts_with('#')
                || !self.continues(next, column, inline)
            {
                break;
            }
            last = next;
            next += 1;
        }
        let end = start + self.text[start..self.lines[last].end].trim_end_matches(BLANKS).len();
        Region { bytes: start..end, next_line: last + 1 }
    }

    /// The first of the lines that is not indented more than the key.
    fn outdented(&self, mut lines: Range<usize>, column: usize) -> Option<usize> {
        lines.find(|line| {
            !self.line(*line).trim_matches(BLANKS).is_empty() && self.indent(*line) <= column
        })
    }

    fn continues(&mut self, at: usize, column: usize, inline: bool) -> bool {
        let indent = self.indent(at);
        let rest = self.line(at).trim_start_matches(BLANKS);
        if column > 0 || !inline {
            return indent > column && (inline || key_of(rest, false).is_none());
        }
        let key = key_of(rest, indent == 0);
        if indent == 0 {
            // A text that was wrapped without indenting it.
            return key.is_none() && !rest.starts_with('-');
        }
        match key {
            Some(key) if keys::is_known(key.name) => {
                let start = self.lines[at].start;
                self.repairs.push(Repair {
                    code: Code::WrongIndentation,
                    at: start,
                    message: format!("`{}` is indented; read as a key of its own", key.name),
                    edit: Edit {
                        range: start..start + (self.line(at).len() - rest.len()),
                        text: String::new(),
                    },
                });
                false
            }
            _ => true,
        }
    }

    /// The line behind a block scalar (`|` or `>`).
    fn skip_block(&mut self, at: usize, column: usize) -> usize {
        let mut next = at + 1;
        while next < self.lines.len() {
            let line = self.line(next);
            if !line.trim_matches(BLANKS).is_empty() {
                if self.indent(next) <= column {
                    break;
                }
                if line.starts_with('\t') {
                    self.replace_tabs(next);
                }
            }
            next += 1;
        }
        next
    }

    fn indent(&self, at: usize) -> usize {
        indent_of(self.line(at))
    }

    fn content(&self, at: usize) -> Content {
        let line = self.line(at);
        let mut column = indent_of(line);
        let mut rest = line.trim_start_matches([' ', '\t']);
        let mut item = false;
        while let Some(behind) =
            rest.strip_prefix('-').filter(|r| r.is_empty() || r.starts_with(' '))
        {
            let trimmed = behind.trim_start_matches(' ');
            column += 1 + (behind.len() - trimmed.len());
            rest = trimmed;
            item = true;
        }
        Content { column, start: self.lines[at].end - rest.len(), item }
    }

    fn replace_tabs(&mut self, at: usize) {
        let line = self.line(at);
        let indentation = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        let line_start = self.lines[at].start;
        let already = self.repairs.iter().rev().take(2).any(|earlier| earlier.at == line_start);
        if !indentation.contains('\t') || already {
            return;
        }
        let start = self.lines[at].start;
        self.repairs.push(Repair {
            code: Code::TabIndentation,
            at: start,
            message: "YAML is indented with blanks, this line with tabs".to_owned(),
            edit: Edit {
                range: start..start + indentation.len(),
                text: " ".repeat(indent_of(line)),
            },
        });
    }

    fn replace_tab_behind(&mut self, range: Range<usize>, key: &str) {
        self.repairs.push(Repair {
            code: Code::MissingBlank,
            at: range.start,
            message: format!("a blank should stand behind `{key}:`, not a tab"),
            edit: Edit { range, text: " ".to_owned() },
        });
    }

    /// A line below the first key that is no part of anything.
    fn stray(&mut self, at: usize) {
        let start = self.lines[at].start;
        if self.keys > 0 {
            self.repairs.push(Repair {
                code: Code::UnreadableEntry,
                at: start,
                message: "this line is neither a key nor part of a value; it is ignored".to_owned(),
                edit: Edit { range: start..start, text: "# ".to_owned() },
            });
        }
    }

    fn insert_blank(&mut self, at: usize, key: &str) {
        self.repairs.push(Repair {
            code: Code::MissingBlank,
            at,
            message: format!("a blank is missing behind `{key}:`"),
            edit: Edit { range: at..at, text: " ".to_owned() },
        });
    }
}

fn indent_of(line: &str) -> usize {
    let indentation = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t'));
    indentation.map(|byte| if byte == b'\t' { 2 } else { 1 }).sum()
}

fn is_blank_or_comment(line: &str) -> bool {
    let trimmed = line.trim_start_matches(BLANKS);
    trimmed.is_empty() || trimmed.starts_with('#')
}

/// `|` or `>` with indicators and nothing but a comment behind.
fn is_block_header(value: &str) -> bool {
    let Some(rest) = value.strip_prefix(['|', '>']) else { return false };
    let rest = rest.trim_start_matches(|c: char| matches!(c, '+' | '-' | '1'..='9'));
    rest.trim_matches(BLANKS).is_empty()
        || (rest.starts_with([' ', '\t']) && rest.trim_start_matches(BLANKS).starts_with('#'))
}

/// The key, if the line starts an entry at the left edge.
pub(super) fn starts_entry(line: &str) -> Option<&str> {
    let key = key_of(line, true)?;
    (!line.starts_with(BLANKS)).then_some(key.name)
}

struct Key<'a> {
    name: &'a str,
    /// Byte behind the colon.
    value: usize,
    blank_missing: bool,
}

/// The key at the start of a line. Keys of several words count only at the left edge: deeper
/// ones are more often a text with a colon.
fn key_of(line: &str, left_edge: bool) -> Option<Key<'_>> {
    let colon = line.find(':')?;
    let (raw, behind) = (&line[..colon], &line[colon + 1..]);
    let name = raw.trim_end_matches(BLANKS);
    let name = match name.as_bytes() {
        [quote @ (b'"' | b'\''), .., last] if quote == last && name.len() > 2 => {
            &name[1..name.len() - 1]
        }
        _ => name,
    };
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$' | '/');
    let words = |c: char| word(c) || (left_edge && c == ' ');
    if name.is_empty() || name.starts_with('-') || name.len() > 60 || !name.chars().all(words) {
        return None;
    }
    let blank_missing = !behind.is_empty() && !behind.starts_with([' ', '\t', '\r']);
    if blank_missing && !(left_edge && keys::is_known(name)) {
        return None;
    }
    (name.split(' ').count() <= 3).then_some(Key { name, value: colon + 1, blank_missing })
}
