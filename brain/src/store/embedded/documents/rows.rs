//! Rows of the tables of documents and what they mean.

use std::sync::Arc;

use api_types::ids::{DocumentPath, ProjectId, Revision, TenantId};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::value::RawValue;

use crate::documents::{Action, HeadRow, ParsedHead, Revisions};
use crate::port::{Error, Result};
use crate::runtime::Timestamp;
use crate::store::embedded::fault;
use crate::store::embedded::rows::{parse, parse_optional};

/// Columns of `documents AS d` that [`head_row`] reads, in its order.
pub(super) const HEAD: &str = "d.id, d.path, d.kind, d.mime, d.size, d.revision, d.deleted, \
     d.trashed_from, d.updated_by, d.created_at, d.updated_at, d.head_version, d.head";

/// Columns of a version `v` with its document `d`, in the same order. Old heads are not kept.
pub(super) const VERSION_HEAD: &str = "v.document, v.path, v.kind, v.mime, v.size, v.revision, 0, \
     v.trashed_from, v.updated_by, d.created_at, v.updated_at, NULL, NULL";

/// Number of columns of [`HEAD`]; the next one is the first of the query's own.
pub(super) const HEAD_COLUMNS: usize = 13;

pub(super) fn head_row(row: &Row<'_>) -> Result<HeadRow> {
    Ok(HeadRow {
        id: parse(row, 0)?,
        path: parse(row, 1)?,
        kind: row.get(2)?,
        mime: row.get(3)?,
        size: row.get(4)?,
        revision: Revision(row.get(5)?),
        deleted: row.get(6)?,
        trashed_from: parse_optional(row, 7)?,
        updated_by: row.get(8)?,
        created_at: Timestamp(row.get(9)?),
        updated_at: Timestamp(row.get(10)?),
        head: parsed_head(row.get(11)?, row.get(12)?)?,
    })
}

fn parsed_head(version: Option<u32>, json: Option<String>) -> Result<Option<ParsedHead>> {
    let (Some(version), Some(json)) = (version, json) else { return Ok(None) };
    let json = RawValue::from_string(json).map_err(|e| Error::Internal(e.into()))?;
    Ok(Some(ParsedHead { version, json: Arc::from(json) }))
}

/// A project that was written at least once.
pub(super) struct Project {
    pub(super) key: i64,
    pub(super) revisions: Revisions,
}

pub(super) fn project(
    conn: &Connection,
    tenant: &TenantId,
    project: &ProjectId,
) -> Result<Option<Project>> {
    let sql = "SELECT key, revision, config_revision FROM document_projects \
               WHERE tenant = ?1 AND project = ?2";
    let mut statement = conn.prepare_cached(sql)?;
    let found = statement.query_row(params![tenant.as_str(), project.as_str()], |row| {
        let revisions = Revisions { all: Revision(row.get(1)?), config: Revision(row.get(2)?) };
        Ok(Project { key: row.get(0)?, revisions })
    });
    Ok(found.optional()?)
}

pub(super) fn no_document(path: &DocumentPath) -> Error {
    Error::NotFound { what: format!("document {path}") }
}

pub(super) fn action_text(action: Action) -> &'static str {
    match action {
        Action::Put => "put",
        Action::Move => "move",
        Action::Trash => "trash",
        Action::Restore => "restore",
    }
}

pub(super) fn parse_action(text: &str) -> Result<Action> {
    Ok(match text {
        "put" => Action::Put,
        "move" => Action::Move,
        "trash" => Action::Trash,
        "restore" => Action::Restore,
        other => return Err(fault(format!("the store holds a broken action {other:?}"))),
    })
}
