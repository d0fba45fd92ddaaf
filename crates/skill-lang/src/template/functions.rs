//! Functions and global names.

use minijinja::{Environment, Error, ErrorKind, State, Value};

/// Longest list that `range` and `..` make.
const RANGE_LENGTH_MAX: u64 = 10_000;

pub(super) fn register(engine: &mut Environment<'static>) {
    engine.add_global("null", Value::from(()));
    engine.add_function("range", range);
    engine.add_filter("upto", |state: &State, from: i64, to: i64| inclusive(state, from, to, 1));
    // `debug` prints the whole context; `namespace` lets a loop nest values without end.
    engine.remove_global("debug");
    engine.remove_global("namespace");
}

/// `range(a, b)` includes `b`, as in Pebble; `range(n)`, which Pebble does not have, counts from 0 to below `n`.
fn range(state: &State, from: i64, to: Option<i64>, step: Option<i64>) -> Result<Value, Error> {
    match to {
        Some(to) => inclusive(state, from, to, step.unwrap_or(1)),
        None => inclusive(state, 0, from.saturating_sub(1), 1),
    }
}

fn inclusive(state: &State, from: i64, to: i64, step: i64) -> Result<Value, Error> {
    if step == 0 {
        return Err(Error::new(ErrorKind::InvalidOperation, "the step of a range cannot be 0"));
    }
    let is_descending = step < 0;
    if (is_descending && from < to) || (!is_descending && from > to) {
        return Ok(Value::from(Vec::<i64>::new()));
    }
    let count = from.abs_diff(to) / step.unsigned_abs() + 1;
    if count > RANGE_LENGTH_MAX {
        let message =
            format!("this range has {count} numbers, at most {RANGE_LENGTH_MAX} are allowed");
        return Err(Error::new(ErrorKind::InvalidOperation, message));
    }
    state.consume_fuel(count / 8)?;
    let numbers = std::iter::successors(Some(from), |number| number.checked_add(step));
    Ok(numbers.take(usize::try_from(count).unwrap_or(0)).map(Value::from).collect())
}
