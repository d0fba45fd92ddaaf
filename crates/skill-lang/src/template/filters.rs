//! Filters beyond the engine's own.
//!
//! The engine charges fuel for the texts it makes itself; a filter here pays for its work before doing it.

use minijinja::value::{Rest, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, Value};

use super::predicates::is_empty;
use super::print;

/// Bytes of text handled for one work unit.
const BYTES_PER_FUEL: usize = 64;
/// Widest indentation of `yamlIndent`, in blanks.
const INDENT_MAX: i64 = 64;
/// What `abbreviate` puts in place of what it cuts.
const ELLIPSIS: &str = "...";

pub(super) fn register(engine: &mut Environment<'static>) {
    engine.add_filter("raw", |value: &Value| value.clone());
    engine.add_filter("default", default);
    engine.add_filter("d", default);
    engine.add_filter("coalesce", coalesce);
    engine.add_filter("slug", slug);
    engine.add_filter("yamlIndent", yaml_indent);
    engine.add_filter("abbreviate", abbreviate);
    engine.add_filter("slice", slice);
    engine.add_filter("replace", replace);
    engine.add_filter("json", print::json);
    engine.add_filter("tojson", print::json);
    engine.remove_filter("pprint");
}

fn charge(state: &State, bytes: usize) -> Result<(), Error> {
    state.consume_fuel((bytes / BYTES_PER_FUEL) as u64)
}

/// The text of a value as it would be printed; null is the empty text.
fn text_of(state: &State, value: &Value) -> Result<String, Error> {
    let text = print::to_text(state, value)?;
    charge(state, text.len())?;
    Ok(text)
}

/// Also stands in for null and for empty values, unlike the engine's own.
fn default(value: &Value, substitute: Option<Value>, _boolean: Option<Value>) -> Value {
    if is_empty(value) { substitute.unwrap_or_else(|| Value::from("")) } else { value.clone() }
}

/// The first that is not null.
fn coalesce(value: &Value, others: Rest<Value>) -> Value {
    let is_missing = |value: &Value| value.is_none() || value.is_undefined();
    if !is_missing(value) {
        return value.clone();
    }
    others.iter().find(|other| !is_missing(other)).cloned().unwrap_or(Value::UNDEFINED)
}

/// Lower case, with one `-` for each run of other characters than `a-z0-9`, and none at the ends.
fn slug(state: &State, value: &Value) -> Result<String, Error> {
    let text = text_of(state, value)?.to_lowercase();
    let words =
        text.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    Ok(words.collect::<Vec<_>>().join("-"))
}

/// Blanks behind each line end, so that a text of several lines stays inside its YAML block.
fn yaml_indent(state: &State, value: &Value, level: Option<i64>) -> Result<String, Error> {
    let text = text_of(state, value)?;
    let pad = " ".repeat(usize::try_from(level.unwrap_or(2).clamp(0, INDENT_MAX)).unwrap_or(0));
    substitute(state, &text, "\n", &format!("\n{pad}"))
}

fn abbreviate(state: &State, value: &Value, length: usize) -> Result<String, Error> {
    let text = text_of(state, value)?;
    if length < ELLIPSIS.len() {
        let message =
            format!("abbreviate needs a length of at least {}, not {length}", ELLIPSIS.len());
        return Err(Error::new(ErrorKind::InvalidOperation, message));
    }
    if text.chars().count() <= length {
        return Ok(text);
    }
    Ok(text.chars().take(length - ELLIPSIS.len()).chain(ELLIPSIS.chars()).collect())
}

/// Part of a text or list, from the first index to below the second.
fn slice(state: &State, value: &Value, from: usize, to: Option<usize>) -> Result<Value, Error> {
    let count = to.unwrap_or(usize::MAX).saturating_sub(from);
    match value.kind() {
        ValueKind::Undefined | ValueKind::None => Ok(Value::from("")),
        ValueKind::Seq | ValueKind::Iterable => {
            state.consume_fuel(value.len().unwrap_or(0) as u64)?;
            Ok(value.try_iter()?.skip(from).take(count).collect())
        }
        _ => Ok(Value::from(
            text_of(state, value)?.chars().skip(from).take(count).collect::<String>(),
        )),
    }
}

/// `replace(from, to)`, or `replace({from: to, …})` as in Pebble.
fn replace(state: &State, value: &Value, from: Value, to: Option<Value>) -> Result<String, Error> {
    let text = text_of(state, value)?;
    if let Some(to) = to {
        return substitute(state, &text, &text_of(state, &from)?, &text_of(state, &to)?);
    }
    if from.kind() != ValueKind::Map {
        let message = "replace needs the text to replace and its substitute";
        return Err(Error::new(ErrorKind::MissingArgument, message));
    }
    let mut text = text;
    for key in from.try_iter()? {
        let to = text_of(state, &from.get_item(&key)?)?;
        text = substitute(state, &text, &text_of(state, &key)?, &to)?;
    }
    Ok(text)
}

/// Replaces after paying for the result, whose size is known from the number of places.
fn substitute(state: &State, text: &str, from: &str, to: &str) -> Result<String, Error> {
    charge(state, text.len())?;
    charge(state, text.matches(from).count().saturating_mul(to.len()))?;
    Ok(text.replace(from, to))
}
