//! Between columns and parsed names.

use std::str::FromStr;

use rusqlite::Row;
use rusqlite::types::ValueRef;

use super::fault;
use crate::port::{Error, Page, Result, Slice};

/// What the database keeps as text and the program as a parsed name.
pub(super) fn parse<T: FromStr<Err: std::fmt::Display>>(row: &Row<'_>, column: usize) -> Result<T> {
    let text = row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?;
    text.parse().map_err(|e: T::Err| fault(format!("the store holds a broken name: {e}")))
}

/// The same for a column that may be NULL.
pub(super) fn parse_optional<T: FromStr<Err: std::fmt::Display>>(
    row: &Row<'_>,
    column: usize,
) -> Result<Option<T>> {
    let empty = matches!(row.get_ref(column)?, ValueRef::Null);
    if empty { Ok(None) } else { parse(row, column).map(Some) }
}

/// A page without rows.
pub(super) fn empty<T>() -> Slice<T> {
    Slice { rows: Vec::new(), next: None }
}

/// A page of rows that were read with one more than it holds.
pub(super) fn slice<T>(mut rows: Vec<T>, page: &Page, token: impl Fn(&T) -> String) -> Slice<T> {
    let size = page.rows() as usize;
    let more = rows.len() > size;
    rows.truncate(size);
    let next = rows.last().filter(|_| more).map(token);
    Slice { rows, next }
}

/// A token that no page of ours ended with names a page that does not exist.
pub(super) fn bad_token(token: &str) -> Error {
    Error::NotFound { what: format!("page after {token:?}") }
}
