//! Reads of documents.

use api_types::ids::{DocumentId, DocumentPath, ProjectId, Revision, TenantId};
use bytes::Bytes;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Params, Row, named_params, params};

use super::rows::{HEAD, HEAD_COLUMNS, VERSION_HEAD, head_row, no_document, parse_action, project};
use crate::documents::{At, Document, HeadRow, Revisions, Version, is_config_folder};
use crate::port::{Error, Page, Result, Slice};
use crate::runtime::Timestamp;
use crate::store::embedded::rows::{bad_token, empty, parse, slice};

/// The paths below a folder lie strictly between these two: `0` follows `/`.
fn range(under: &str) -> (String, Value) {
    if under.is_empty() {
        return (String::new(), above_all_text());
    }
    (format!("{under}/"), Value::Text(format!("{under}0")))
}

/// SQLite sorts every blob after every text.
fn above_all_text() -> Value {
    Value::Blob(Vec::new())
}

/// The query of [`changed`].
pub(super) fn changed_sql(under: &str) -> String {
    // Named, because the planner would rather walk the paths and sort.
    let (index, config) = match is_config_folder(under) {
        true => ("documents_config", "AND d.config = 1"),
        false => ("documents_changed", ""),
    };
    format!(
        "SELECT {HEAD} FROM documents AS d INDEXED BY {index} \
         WHERE d.project = :project AND (d.revision, d.path) > (:revision, :after) {config} \
         AND d.path > :low AND d.path < :high \
         ORDER BY d.revision, d.path LIMIT :rows"
    )
}

pub(super) fn changed(
    conn: &Connection,
    tenant: &TenantId,
    name: &ProjectId,
    since: Revision,
    under: &str,
    page: &Page,
) -> Result<Slice<HeadRow>> {
    let Some(project) = project(conn, tenant, name)? else { return Ok(empty()) };
    let sql = changed_sql(under);
    let (revision, after) = match &page.after {
        Some(token) => changed_token(token)?,
        // Every path is less than this one: rows of `since` itself are left out.
        None => (since.0, above_all_text()),
    };
    let (low, high) = range(under);
    let rows = head_rows(
        conn,
        &sql,
        named_params! {
            ":project": project.key, ":revision": revision, ":after": after,
            ":low": low, ":high": high, ":rows": page.rows() + 1,
        },
    )?;
    Ok(slice(rows, page, |row| format!("{}:{}", row.revision, row.path)))
}

fn changed_token(token: &str) -> Result<(u64, Value)> {
    let parts =
        token.split_once(':').and_then(|(r, p)| Some((r.parse().ok()?, p.to_owned().into())));
    parts.ok_or_else(|| bad_token(token))
}

pub(super) fn list(
    conn: &Connection,
    tenant: &TenantId,
    name: &ProjectId,
    under: &str,
    page: &Page,
) -> Result<(Slice<HeadRow>, Revisions)> {
    let Some(project) = project(conn, tenant, name)? else {
        return Ok((empty(), Revisions::default()));
    };
    let sql = format!(
        "SELECT {HEAD} FROM documents AS d \
         WHERE d.project = :project AND d.path > :low AND d.path < :high AND d.deleted = 0 \
         ORDER BY d.path LIMIT :rows"
    );
    let (low, high) = range(under);
    let low = page.after.clone().map_or(low.clone(), |after| after.max(low));
    let rows = head_rows(
        conn,
        &sql,
        named_params! { ":project": project.key, ":low": low, ":high": high, ":rows": page.rows() + 1 },
    )?;
    Ok((slice(rows, page, |row| row.path.to_string()), project.revisions))
}

pub(super) fn get(
    conn: &Connection,
    tenant: &TenantId,
    name: &ProjectId,
    path: &DocumentPath,
    at: At,
) -> Result<Document> {
    let project = project(conn, tenant, name)?.ok_or_else(|| no_document(path))?;
    let found = match at {
        At::Latest => {
            let sql = format!(
                "SELECT {HEAD}, b.body FROM documents AS d JOIN document_bodies AS b ON b.key = d.body \
                 WHERE d.project = ?1 AND d.path = ?2 AND d.deleted = 0"
            );
            one(conn, &sql, params![project.key, path.as_str()], document)?
        }
        // Whoever lay here last, unless it had gone elsewhere by then.
        At::Revision(revision) => {
            let sql = format!(
                "SELECT {VERSION_HEAD}, b.body \
                 FROM (SELECT * FROM document_versions WHERE project = ?1 AND path = ?2 AND revision <= ?3 \
                       ORDER BY revision DESC LIMIT 1) AS v \
                 JOIN documents AS d ON d.id = v.document AND d.deleted = 0 \
                 JOIN document_bodies AS b ON b.key = v.body \
                 WHERE NOT EXISTS (SELECT 1 FROM document_versions AS later \
                                   WHERE later.document = v.document \
                                   AND later.revision > v.revision AND later.revision <= ?3)"
            );
            one(conn, &sql, params![project.key, path.as_str(), revision.0], document)?
        }
    };
    found.ok_or_else(|| no_document(path))
}

pub(super) fn get_by_id(
    conn: &Connection,
    tenant: &TenantId,
    id: &DocumentId,
    at: At,
) -> Result<(ProjectId, Document)> {
    let found = match at {
        At::Latest => {
            let sql = format!(
                "SELECT {HEAD}, b.body, p.project FROM documents AS d \
                 JOIN document_bodies AS b ON b.key = d.body \
                 JOIN document_projects AS p ON p.key = d.project \
                 WHERE d.id = ?1 AND d.deleted = 0 AND p.tenant = ?2"
            );
            one(conn, &sql, params![id.as_str(), tenant.as_str()], placed)?
        }
        At::Revision(revision) => {
            let sql = format!(
                "SELECT {VERSION_HEAD}, b.body, p.project FROM document_versions AS v \
                 JOIN documents AS d ON d.id = v.document AND d.deleted = 0 \
                 JOIN document_bodies AS b ON b.key = v.body \
                 JOIN document_projects AS p ON p.key = v.project \
                 WHERE v.document = ?1 AND v.revision <= ?3 AND p.tenant = ?2 \
                 ORDER BY v.revision DESC LIMIT 1"
            );
            one(conn, &sql, params![id.as_str(), tenant.as_str(), revision.0], placed)?
        }
    };
    found.ok_or_else(|| Error::NotFound { what: format!("document {id}") })
}

pub(super) fn history(
    conn: &Connection,
    tenant: &TenantId,
    id: &DocumentId,
    page: &Page,
) -> Result<Slice<Version>> {
    let before = match &page.after {
        Some(token) => token.parse::<i64>().map_err(|_| bad_token(token))?,
        None => i64::MAX,
    };
    let sql = "SELECT v.revision, v.path, v.size, v.updated_by, v.updated_at, v.action \
               FROM document_versions AS v JOIN document_projects AS p ON p.key = v.project \
               WHERE v.document = ?1 AND p.tenant = ?2 AND v.revision < ?3 \
               ORDER BY v.revision DESC LIMIT ?4";
    let mut statement = conn.prepare_cached(sql)?;
    let mut found =
        statement.query(params![id.as_str(), tenant.as_str(), before, page.rows() + 1])?;
    let mut versions = Vec::new();
    while let Some(row) = found.next()? {
        versions.push(version(row)?);
    }
    if versions.is_empty() && page.after.is_none() {
        return Err(Error::NotFound { what: format!("document {id}") });
    }
    Ok(slice(versions, page, |v| v.revision.to_string()))
}

fn version(row: &Row<'_>) -> Result<Version> {
    Ok(Version {
        revision: Revision(row.get(0)?),
        path: parse(row, 1)?,
        size: row.get(2)?,
        by: row.get(3)?,
        at: Timestamp(row.get(4)?),
        action: parse_action(row.get_ref(5)?.as_str().map_err(rusqlite::Error::from)?)?,
    })
}

fn document(row: &Row<'_>) -> Result<Document> {
    Ok(Document { row: head_row(row)?, body: Bytes::from(row.get::<_, Vec<u8>>(HEAD_COLUMNS)?) })
}

fn placed(row: &Row<'_>) -> Result<(ProjectId, Document)> {
    Ok((parse(row, HEAD_COLUMNS + 1)?, document(row)?))
}

fn one<T>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    read: impl Fn(&Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    let mut statement = conn.prepare_cached(sql)?;
    let found = statement.query_row(params, |row| Ok(read(row))).optional()?;
    found.transpose()
}

fn head_rows(conn: &Connection, sql: &str, params: impl Params) -> Result<Vec<HeadRow>> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut found = statement.query(params)?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        rows.push(head_row(row)?);
    }
    Ok(rows)
}
