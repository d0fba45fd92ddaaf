//! Tokens of the expression language inside one tag.

use super::{Failure, NESTING_MAX, TAG_TOKENS_MAX};

/// What a token is; its text is found through its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Number,
    Text,
    Operator,
    /// Opening bracket and the index of the token that closes it.
    Open(usize),
    Close,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Token {
    pub(super) fn text<'s>(&self, source: &'s str) -> &'s str {
        &source[self.start..self.end]
    }

    /// Whether a value may end with this token.
    pub(super) fn ends_value(&self) -> bool {
        matches!(self.kind, Kind::Name | Kind::Number | Kind::Text | Kind::Close)
    }

    /// Whether a value may begin with this token.
    pub(super) fn begins_value(&self) -> bool {
        matches!(self.kind, Kind::Name | Kind::Number | Kind::Text | Kind::Open(_))
    }
}

/// How the text that is read ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// `%}`
    Block,
    /// `}}`
    Variable,
    /// `}` of an interpolation in a text.
    Interpolation,
}

impl End {
    fn marker(self) -> &'static str {
        match self {
            End::Block => "%}",
            End::Variable => "}}",
            End::Interpolation => "}",
        }
    }
}

/// The tokens up to the end marker.
#[derive(Debug)]
pub(super) struct Tokens {
    pub(super) list: Vec<Token>,
    /// Offset behind the end marker.
    pub(super) after: usize,
}

/// Reads tokens from `start`, the offset behind the opening marker at `opened`.
pub(super) fn tokens(
    source: &str,
    opened: usize,
    start: usize,
    end: End,
) -> Result<Tokens, Failure> {
    let mut list = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut at = start;
    loop {
        at += blanks(&source[at..]);
        let rest = &source[at..];
        let Some(first) = rest.chars().next() else {
            return Err(Failure::new(
                opened,
                format!("this tag is never closed: `{}` is missing", end.marker()),
            ));
        };
        let closes_brace =
            open.last().is_some_and(|token| source[list_start(&list, *token)..].starts_with('{'));
        if !closes_brace && let Some(length) = end_length(rest, end) {
            if let Some(unclosed) = open.last() {
                let start = list_start(&list, *unclosed);
                return Err(Failure::new(
                    start,
                    format!("`{}` is never closed", &source[start..start + 1]),
                ));
            }
            return Ok(Tokens { list, after: at + length });
        }
        if list.len() == TAG_TOKENS_MAX {
            let message = format!(
                "this tag has more than {TAG_TOKENS_MAX} words and signs; divide it with `set`"
            );
            return Err(Failure::new(opened, message));
        }
        let (kind, length) = next(rest, first).map_err(|message| Failure::new(at, message))?;
        match kind {
            Kind::Open(_) if open.len() == NESTING_MAX => {
                return Err(Failure::new(
                    at,
                    format!("brackets are nested deeper than {NESTING_MAX}"),
                ));
            }
            Kind::Open(_) => open.push(list.len()),
            Kind::Close => {
                let index = list.len();
                let opener =
                    open.pop().filter(|opener| pairs(source, list_start(&list, *opener), first));
                let Some(opener) = opener else {
                    return Err(Failure::new(at, format!("`{first}` closes nothing")));
                };
                list[opener].kind = Kind::Open(index);
            }
            _ => {}
        }
        list.push(Token { kind, start: at, end: at + length });
        at += length;
    }
}

fn list_start(list: &[Token], index: usize) -> usize {
    list[index].start
}

fn pairs(source: &str, opener: usize, closer: char) -> bool {
    matches!((&source[opener..opener + 1], closer), ("(", ')') | ("[", ']') | ("{", '}'))
}

fn blanks(rest: &str) -> usize {
    rest.bytes().take_while(u8::is_ascii_whitespace).count()
}

fn end_length(rest: &str, end: End) -> Option<usize> {
    let marker = end.marker();
    if rest.starts_with(marker) {
        return Some(marker.len());
    }
    let trimmed = rest.strip_prefix(['-', '+']).filter(|_| end != End::Interpolation)?;
    trimmed.starts_with(marker).then_some(marker.len() + 1)
}

fn next(rest: &str, first: char) -> Result<(Kind, usize), String> {
    match first {
        '"' | '\'' => text_length(rest, first).map(|length| (Kind::Text, length)),
        '(' | '[' | '{' => Ok((Kind::Open(0), 1)),
        ')' | ']' | '}' => Ok((Kind::Close, 1)),
        '0'..='9' => Ok((Kind::Number, number_length(rest))),
        'a'..='z' | 'A'..='Z' | '_' => Ok((Kind::Name, name_length(rest))),
        _ => match operator_length(rest) {
            0 => Err(no_meaning(first)),
            length => Ok((Kind::Operator, length)),
        },
    }
}

fn no_meaning(first: char) -> String {
    let hint = match first {
        '&' => "; write `and`",
        '!' => "; write `not`",
        _ => "",
    };
    format!("`{}` has no meaning here{hint}", first.escape_debug())
}

fn name_length(rest: &str) -> usize {
    rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
}

/// A number takes its fraction, but not the dots of a range: `1..3`.
fn number_length(rest: &str) -> usize {
    let whole = name_length(rest);
    match rest[whole..].strip_prefix('.') {
        Some(fraction) if fraction.starts_with(|digit: char| digit.is_ascii_digit()) => {
            whole + 1 + name_length(fraction)
        }
        _ => whole,
    }
}

fn text_length(rest: &str, quote: char) -> Result<usize, String> {
    let mut escaped = false;
    for (at, char) in rest.char_indices().skip(1) {
        match char {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if char == quote => return Ok(at + 1),
            _ => {}
        }
    }
    Err(format!("this text is never closed: {quote} is missing"))
}

fn operator_length(rest: &str) -> usize {
    const TWO: [&str; 8] = ["==", "!=", "<=", ">=", "//", "**", "??", ".."];
    const ONE: &str = "+-*/%.,:~|=<>?";
    if TWO.iter().any(|operator| rest.starts_with(operator)) {
        return 2;
    }
    usize::from(rest.starts_with(|char| ONE.contains(char)))
}
