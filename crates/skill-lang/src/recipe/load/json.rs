//! YAML values as JSON, by the rules of YAML's core schema.

use serde_json::{Map, Number, Value as Json};

use crate::yaml::{Node, Style, Value};

/// The value of a node.
pub(super) fn of(node: &Node<'_>) -> Json {
    match &node.value {
        _ if node.is_null() => Json::Null,
        Value::Scalar { text, style: Style::Plain } => plain(text),
        Value::Scalar { text, .. } => Json::String(text.clone().into_owned()),
        Value::List(items) => Json::Array(items.iter().map(of).collect()),
        Value::Map(entries) => Json::Object(map(entries)),
    }
}

/// Keys that are no text are written as text.
pub(super) fn map(entries: &[(Node<'_>, Node<'_>)]) -> Map<String, Json> {
    let key = |node: &Node<'_>| node.text().map_or_else(|| of(node).to_string(), str::to_owned);
    entries.iter().map(|(name, value)| (key(name), of(value))).collect()
}

fn plain(text: &str) -> Json {
    match text {
        "true" | "True" | "TRUE" => Json::Bool(true),
        "false" | "False" | "FALSE" => Json::Bool(false),
        _ => number(text).map_or_else(|| Json::String(text.to_owned()), Json::Number),
    }
}

/// A number only if it is written like one: Rust also reads `inf`, `nan` and `infinity`.
fn number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if let Some(hexadecimal) = digits.strip_prefix("0x") {
        return u64::from_str_radix(hexadecimal, 16)
            .ok()
            .filter(|_| digits.len() == text.len())
            .map(Number::from);
    }
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        || !digits.contains(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    let unsigned = text.strip_prefix('+').unwrap_or(text);
    if let Ok(whole) = unsigned.parse::<i64>() {
        return Some(whole.into());
    }
    if let Ok(whole) = unsigned.parse::<u64>() {
        return Some(whole.into());
    }
    unsigned.parse().ok().and_then(Number::from_f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_follow_the_core_schema() {
        for (text, expected) in [
            ("1", "1"),
            ("-12", "-12"),
            ("+3", "3"),
            ("0x1f", "31"),
            ("1.5", "1.5"),
            (".5", "0.5"),
            ("1e3", "1000.0"),
            ("18446744073709551615", "18446744073709551615"),
            ("true", "true"),
            ("yes", "\"yes\""),
            ("inf", "\"inf\""),
            (".", "\".\""),
            ("1.0.0", "\"1.0.0\""),
            ("0x", "\"0x\""),
            ("1e999", "\"1e999\""),
        ] {
            assert_eq!(plain(text).to_string(), expected, "{text}");
        }
    }
}
