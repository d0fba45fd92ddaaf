//! Finding the head between its fences.

use std::ops::Range;

use crate::text::{BYTE_ORDER_MARK, Line, lines};

/// Where head and body are, as bytes of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    /// What stands before the opening fence, without a byte order mark.
    pub(crate) before: Range<usize>,
    /// Between the fences.
    pub(crate) head: Range<usize>,
    /// Behind the line of the closing fence.
    pub(crate) body: Range<usize>,
}

/// Why there is no head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// The first line with text is not a fence.
    Missing { line: Option<Line> },
    /// No second fence. `looks_like` is a line that was perhaps meant as one; `guess` where the
    /// head seems to end.
    Unclosed { opening: Line, looks_like: Option<Line>, guess: Option<usize> },
}

/// A fence is a line of exactly three dashes, blanks behind them allowed.
fn is_fence(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| rest.bytes().all(|b| b == b' ' || b == b'\t'))
}

pub(crate) fn split(text: &str) -> Result<Parts, Problem> {
    let start = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
    let opening = first_line(text, start);
    let Some(opening) = opening.filter(|line| is_fence(line.of(text))) else {
        return Err(Problem::Missing { line: opening });
    };
    let head_start = opening.next;
    match lines(text, head_start..text.len()).find(|line| is_fence(line.of(text))) {
        Some(closing) => Ok(Parts {
            before: start..opening.start,
            head: head_start..closing.start,
            body: closing.next..text.len(),
        }),
        None => Err(unclosed(text, opening)),
    }
}

/// The first line with text, comments (`<!-- … -->`) that fill whole lines skipped.
fn first_line(text: &str, start: usize) -> Option<Line> {
    let mut from = start;
    loop {
        let line = lines(text, from..text.len()).find(|line| !line.of(text).trim().is_empty())?;
        let content = line.of(text).trim_start();
        if !content.starts_with("<!--") {
            return Some(line);
        }
        let comment = line.end - content.len();
        let Some(length) = text[comment..].find("-->") else { return Some(line) };
        let end = comment + length + "-->".len();
        let rest = lines(text, end..text.len()).next();
        match rest {
            Some(rest) if rest.of(text).trim().is_empty() => from = rest.next,
            Some(_) => return Some(line),
            None => return None,
        }
    }
}

fn unclosed(text: &str, opening: Line) -> Problem {
    let mut looks_like = None;
    let mut guess = None;
    for line in lines(text, opening.next..text.len()).take(200) {
        let content = line.of(text);
        let trimmed = content.trim();
        let dashes = trimmed.len() >= 3 && trimmed.chars().all(|c| matches!(c, '-' | '—' | '–'));
        if looks_like.is_none() && (dashes || trimmed == "..." || trimmed == "—") {
            looks_like = Some(line);
        }
        let prose = trimmed.starts_with("# ") || trimmed.starts_with("## ");
        if guess.is_none() && prose && !content.starts_with([' ', '\t']) {
            guess = Some(line.start);
        }
    }
    Problem::Unclosed { opening, looks_like, guess }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, head: &str, body: &str) {
        let parts = split(text).expect("has a head");
        assert_eq!((&text[parts.head], &text[parts.body]), (head, body));
    }

    #[test]
    fn only_a_line_of_exactly_three_dashes_is_a_fence() {
        check("---\na: b\n---\nbody\n", "a: b\n", "body\n");
        check("--- \t\r\na: b\r\n---\t\r\nbody", "a: b\r\n", "body");
        check("---\na: \"x\n----\n---y\n --- \nz\"\n---\n", "a: \"x\n----\n---y\n --- \nz\"\n", "");
        check("---\n---", "", "");
        check("---\na: b\n---\n---\n\n---\n", "a: b\n", "---\n\n---\n");
    }

    #[test]
    fn marks_blank_lines_and_comments_may_stand_before_the_head() {
        check("\u{feff}---\na: b\n---\nx", "a: b\n", "x");
        check("\n \n---\na: b\n---\nx", "a: b\n", "x");
        check("<!-- licence\n--- of this -->\n\n---\na: b\n---\nx", "a: b\n", "x");
    }

    #[test]
    fn says_what_is_missing() {
        assert!(matches!(split(""), Err(Problem::Missing { line: None })));
        assert!(matches!(split("# Title\n---\n"), Err(Problem::Missing { line: Some(_) })));
        assert!(matches!(split("----\na: b\n---\n"), Err(Problem::Missing { line: Some(_) })));
        let Err(Problem::Unclosed { looks_like, guess, .. }) =
            split("---\na: b\n----\n\n# Title\ntext\n")
        else {
            panic!("the head has no end");
        };
        assert_eq!(looks_like.map(|line| line.start), Some(9));
        assert_eq!(guess, Some(15));
    }
}
