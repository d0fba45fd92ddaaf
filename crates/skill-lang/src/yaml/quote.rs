//! Writing texts as YAML scalars that read back as the same text everywhere.

use std::fmt::Write as _;

/// The text as a scalar on one line: bare where no YAML reader can misread it, else quoted.
pub(crate) fn scalar(text: &str) -> String {
    if is_safe_bare(text) { text.to_owned() } else { double_quoted(text) }
}

/// As [`scalar`], for an entry of a collection in brackets or braces.
pub(crate) fn in_flow(text: &str) -> String {
    let special = text.contains(['[', ']', '{', '}', ',', '#']);
    if special { double_quoted(text) } else { scalar(text) }
}

/// The text in double quotes, on one line, everything but printable characters escaped.
pub(crate) fn double_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\0' => quoted.push_str("\\0"),
            c if needs_escape(c) => escape(&mut quoted, c),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Characters that are invisible, reorder text, or end a line for some YAML reader.
fn needs_escape(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escape(quoted: &mut String, c: char) {
    let code = u32::from(c);
    let written = match code {
        0..=0xff => write!(quoted, "\\x{code:02X}"),
        0x100..=0xffff => write!(quoted, "\\u{code:04X}"),
        _ => write!(quoted, "\\U{code:08X}"),
    };
    written.expect("writing to a String does not fail");
}

/// Words that some YAML reader takes for a truth value or nothing.
const TAKEN: [&str; 10] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan"];

fn is_safe_bare(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let digit_first = first.is_ascii_digit();
    let safe_start = first.is_alphabetic() || (digit_first && is_version(text));
    safe_start
        && !TAKEN.iter().any(|word| text.eq_ignore_ascii_case(word))
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.chars().any(|c| needs_escape(c) || matches!(c, '"' | '\'' | '\u{a0}'))
}

/// Three or more numbers with dots, which no YAML reader takes for a number or a date.
fn is_version(text: &str) -> bool {
    let numbers = text.split(['-', '+']).next().unwrap_or_default();
    let parts: Vec<&str> = numbers.split('.').collect();
    parts.len() >= 3
        && parts.iter().all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()))
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'+'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_only_where_nobody_can_misread_it() {
        for bare in ["Reviews code", "1.2.3", "1.0.0-rc.1", "a-b", "äöü 漢字", "a:b", "C#"] {
            assert_eq!(scalar(bare), bare);
        }
        for quoted in
            ["", "true", "No", "3000", "1.10", "2026-01-01", "a: b", "a #b", "@a", "a:", " a", "a "]
        {
            assert_eq!(scalar(quoted), format!("\"{quoted}\""));
        }
        assert_eq!(scalar("a\n---\nb: \"c\"\\"), r#""a\n---\nb: \"c\"\\""#);
        assert_eq!(scalar("\u{7}\u{202e}\u{10ffff}x"), "\"\\x07\\u202E\u{10ffff}x\"");
    }
}
