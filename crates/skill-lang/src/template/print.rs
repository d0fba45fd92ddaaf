//! How values become text: null prints nothing, booleans are lower-case, lists and maps are JSON.

use std::fmt::{self, Write};

use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, Output, State, Value};

/// Deepest list or map that can be printed. A template can nest values deeper than any stack.
const DEPTH_MAX: usize = 32;
/// Bytes of JSON for one work unit.
const BYTES_PER_FUEL: usize = 16;

/// Prints into the engine's output, which charges for every byte.
pub(super) fn format(out: &mut Output, _state: &mut State, value: &Value) -> Result<(), Error> {
    write(out, value)
}

/// The text that would be printed.
pub(super) fn to_text(state: &State, value: &Value) -> Result<String, Error> {
    let mut text = Metered { state, text: String::new(), unpaid: 0 };
    write(&mut text, value)?;
    Ok(text.text)
}

/// The filter `json`.
pub(super) fn json(state: &State, value: &Value) -> Result<String, Error> {
    let mut text = Metered { state, text: String::new(), unpaid: 0 };
    write_json(&mut text, value, DEPTH_MAX)?;
    Ok(text.text)
}

fn write(out: &mut dyn Write, value: &Value) -> Result<(), Error> {
    match value.kind() {
        ValueKind::Undefined | ValueKind::None => Ok(()),
        ValueKind::Bool => Ok(out.write_str(bool_text(value))?),
        ValueKind::Seq | ValueKind::Map | ValueKind::Iterable => write_json(out, value, DEPTH_MAX),
        _ => write_scalar(out, value),
    }
}

fn bool_text(value: &Value) -> &'static str {
    if value.is_true() { "true" } else { "false" }
}

fn write_scalar(out: &mut dyn Write, value: &Value) -> Result<(), Error> {
    match value.as_str() {
        Some(text) => Ok(out.write_str(text)?),
        None => Ok(write!(out, "{value}")?),
    }
}

fn write_json(out: &mut dyn Write, value: &Value, depth: usize) -> Result<(), Error> {
    match value.kind() {
        ValueKind::Undefined | ValueKind::None => Ok(out.write_str("null")?),
        ValueKind::Bool => Ok(out.write_str(bool_text(value))?),
        ValueKind::Number => write_scalar(out, value),
        ValueKind::Seq | ValueKind::Iterable => write_list(out, value, descend(depth)?),
        ValueKind::Map => write_map(out, value, descend(depth)?),
        _ => write_quoted(out, value),
    }
}

fn descend(depth: usize) -> Result<usize, Error> {
    depth.checked_sub(1).ok_or_else(|| {
        let message = format!("this value is nested deeper than {DEPTH_MAX} and cannot be printed");
        Error::new(ErrorKind::InvalidOperation, message)
    })
}

fn write_list(out: &mut dyn Write, list: &Value, depth: usize) -> Result<(), Error> {
    out.write_char('[')?;
    for (index, element) in list.try_iter()?.enumerate() {
        if index > 0 {
            out.write_str(", ")?;
        }
        write_json(out, &element, depth)?;
    }
    Ok(out.write_char(']')?)
}

fn write_map(out: &mut dyn Write, map: &Value, depth: usize) -> Result<(), Error> {
    out.write_char('{')?;
    for (index, key) in map.try_iter()?.enumerate() {
        if index > 0 {
            out.write_str(", ")?;
        }
        write_quoted(out, &key)?;
        out.write_str(": ")?;
        write_json(out, &map.get_item(&key)?, depth)?;
    }
    Ok(out.write_char('}')?)
}

fn write_quoted(out: &mut dyn Write, value: &Value) -> Result<(), Error> {
    let quoted = match value.as_str() {
        Some(text) => serde_json::to_string(text),
        None if matches!(value.kind(), ValueKind::Number | ValueKind::Bool) => {
            serde_json::to_string(&value.to_string())
        }
        None => return Err(Error::new(ErrorKind::BadSerialization, "this value has no JSON form")),
    };
    Ok(out.write_str(&quoted.expect("text has a JSON form"))?)
}

/// A text that is paid for while it grows.
struct Metered<'s, 'e, 't> {
    state: &'s State<'e, 't>,
    text: String,
    unpaid: usize,
}

impl Write for Metered<'_, '_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.unpaid += text.len();
        self.state.consume_fuel((self.unpaid / BYTES_PER_FUEL) as u64).map_err(|_| fmt::Error)?;
        self.unpaid %= BYTES_PER_FUEL;
        self.text.push_str(text);
        Ok(())
    }
}
