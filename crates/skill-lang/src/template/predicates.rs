//! Tests (`is …`) beyond the engine's own.

use std::collections::HashMap;
use std::sync::Arc;

use minijinja::value::ValueKind;
use minijinja::{Environment, Error, ErrorKind, State, Value};
use regex::{Regex, RegexBuilder};

use super::PATTERN_BYTES_MAX;

/// Largest compiled form of a pattern, in bytes.
const PATTERN_COMPILED_BYTES_MAX: usize = 1 << 18;
/// Work units for compiling a pattern that is only known while rendering, per byte of it.
const PATTERN_BYTE_FUEL: u64 = 20;
/// Work units for compiling any such pattern, however short: `\w{99}` is short as well.
const PATTERN_FUEL: u64 = 500;
/// Bytes of text searched for one work unit.
const SEARCHED_BYTES_PER_FUEL: u64 = 16;

pub(super) fn register(engine: &mut Environment<'static>) {
    engine.add_test("null", |value: &Value| value.is_none() || value.is_undefined());
    engine.add_test("empty", is_empty);
    engine.add_test("map", |value: &Value| value.kind() == ValueKind::Map);
    engine.add_test("equalTo", |value: &Value, other: &Value| value == other);
    engine.add_test("containing", is_containing);
    engine.add_test("matching", |state: &State, value: &Value, pattern: &str| {
        is_match(state, value, &compile_now(state, pattern)?)
    });
}

/// Replaces `matching` by one whose patterns, all literals of the template, are compiled already.
pub(super) fn register_compiled(engine: &mut Environment<'static>, patterns: &[String]) {
    let compiled =
        patterns.iter().filter_map(|pattern| Some((pattern.clone(), compile(pattern).ok()?)));
    let compiled: Arc<HashMap<String, Regex>> = Arc::new(compiled.collect());
    engine.add_test("matching", move |state: &State, value: &Value, pattern: &str| {
        if let Some(regex) = compiled.get(pattern) {
            return is_match(state, value, regex);
        }
        is_match(state, value, &compile_now(state, pattern)?)
    });
}

/// Compiles a pattern that is only known while rendering, for its price.
fn compile_now(state: &State, pattern: &str) -> Result<Regex, Error> {
    state.consume_fuel(PATTERN_FUEL + PATTERN_BYTE_FUEL * pattern.len() as u64)?;
    compile(pattern).map_err(invalid)
}

/// Compiles a pattern that has to match the whole text.
pub(super) fn compile(pattern: &str) -> Result<Regex, String> {
    if pattern.len() > PATTERN_BYTES_MAX {
        return Err(format!(
            "the pattern has {} bytes, at most {PATTERN_BYTES_MAX} are allowed",
            pattern.len()
        ));
    }
    let whole = format!("^(?:{pattern})$");
    let regex = RegexBuilder::new(&whole).size_limit(PATTERN_COMPILED_BYTES_MAX).build();
    regex.map_err(|error| format!("the pattern is not valid: {}", last_line(&error.to_string())))
}

/// The regex crate draws the pattern and puts its message last.
fn last_line(message: &str) -> &str {
    let line = message.lines().last().unwrap_or(message).trim();
    line.strip_prefix("error: ").unwrap_or(line)
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, message)
}

/// Pebble: nothing matches if there is no text.
fn is_match(state: &State, value: &Value, regex: &Regex) -> Result<bool, Error> {
    if value.is_none() || value.is_undefined() {
        return Ok(false);
    }
    let owned;
    let text = match value.as_str() {
        Some(text) => text,
        None if matches!(value.kind(), ValueKind::Number | ValueKind::Bool) => {
            owned = value.to_string();
            &owned
        }
        None => return Ok(false),
    };
    state.consume_fuel(text.len() as u64 / SEARCHED_BYTES_PER_FUEL)?;
    Ok(regex.is_match(text))
}

/// Pebble: null, a blank text and an empty collection are empty.
pub(super) fn is_empty(value: &Value) -> bool {
    if value.is_none() || value.is_undefined() {
        return true;
    }
    match value.as_str() {
        Some(text) => text.trim().is_empty(),
        None => {
            matches!(value.kind(), ValueKind::Seq | ValueKind::Map | ValueKind::Iterable)
                && value.len() == Some(0)
        }
    }
}

/// Pebble's `contains`: part of a text, element of a list, key of a map; a list on the right asks for all of it.
fn is_containing(state: &State, value: &Value, wanted: &Value) -> Result<bool, Error> {
    if value.is_none() || value.is_undefined() {
        return Ok(false);
    }
    if wanted.kind() != ValueKind::Seq || value.as_str().is_some() {
        return contains(state, value, wanted);
    }
    for part in wanted.try_iter()? {
        if !contains(state, value, &part)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn contains(state: &State, value: &Value, wanted: &Value) -> Result<bool, Error> {
    if let Some(text) = value.as_str() {
        state.consume_fuel(text.len() as u64 / SEARCHED_BYTES_PER_FUEL)?;
        return Ok(wanted.as_str().is_some_and(|part| text.contains(part)));
    }
    if value.kind() == ValueKind::Map {
        return Ok(!value.get_item(wanted)?.is_undefined());
    }
    for element in value.try_iter()? {
        state.consume_fuel(1)?;
        if element == *wanted {
            return Ok(true);
        }
    }
    Ok(false)
}
