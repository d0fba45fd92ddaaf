//! Applies change sets.

use api_types::ids::{DocumentId, DocumentPath, ProjectId, Revision, TenantId};
use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, named_params, params};

use super::rows::{HEAD, HEAD_COLUMNS, action_text, head_row, no_document, project};
use crate::documents::{
    Action, Applied, CHANGES_MAX, Change, ChangeSet, DOCUMENT_BYTES_MAX, Expected, HeadRow,
    PROJECTS_MAX, Revisions, Shape, is_config,
};
use crate::port::{Error, Result};
use crate::runtime::Timestamp;
use crate::store::embedded::fault;

type Digest = [u8; 32];

/// A change set whose limits hold and whose digests are taken, off the writer's thread.
pub(super) struct Prepared {
    set: ChangeSet,
    digests: Vec<Option<Digest>>,
}

impl Prepared {
    pub(super) fn new(set: ChangeSet) -> Result<Self> {
        if set.changes.len() > CHANGES_MAX {
            return Err(Error::Limit { limit: "CHANGES_MAX", max: CHANGES_MAX as u64 });
        }
        let digests = set.changes.iter().map(digest).collect::<Result<Vec<_>>>()?;
        if digests.iter().flatten().count() > set.ids.len() {
            return Err(fault("a change set has fewer ids than puts"));
        }
        Ok(Self { set, digests })
    }
}

fn digest(change: &Change) -> Result<Option<Digest>> {
    match change {
        Change::Put { body, .. } if body.len() > DOCUMENT_BYTES_MAX => {
            Err(Error::Limit { limit: "DOCUMENT_BYTES_MAX", max: DOCUMENT_BYTES_MAX as u64 })
        }
        Change::Put { body, .. } => Ok(Some(*blake3::hash(body).as_bytes())),
        Change::Move { .. } | Change::Purge { .. } => Ok(None),
    }
}

pub(super) fn apply(
    conn: &Connection,
    tenant: &TenantId,
    name: &ProjectId,
    prepared: Prepared,
) -> Result<Applied> {
    let Prepared { set, digests } = prepared;
    let (key, before) = open_project(conn, tenant, name)?;
    let mut run = Run {
        conn,
        project: key,
        revision: before.all.next(),
        by: set.by,
        at: set.at,
        changed: false,
        config_changed: false,
    };
    let mut ids = set.ids.into_iter();
    let mut touched = Vec::with_capacity(set.changes.len());
    for (change, digest) in set.changes.into_iter().zip(digests) {
        touched.extend(run.change(change, digest, &mut ids)?);
    }
    let revisions = run.close(before)?;
    let rows = touched.iter().filter_map(|id| run.row(id).transpose()).collect::<Result<_>>()?;
    Ok(Applied { revisions, rows })
}

fn open_project(
    conn: &Connection,
    tenant: &TenantId,
    name: &ProjectId,
) -> Result<(i64, Revisions)> {
    if let Some(found) = project(conn, tenant, name)? {
        return Ok((found.key, found.revisions));
    }
    let count: u64 = conn
        .prepare_cached("SELECT count(*) FROM document_projects WHERE tenant = ?1")?
        .query_row([tenant.as_str()], |row| row.get(0))?;
    if count >= PROJECTS_MAX {
        return Err(Error::Limit { limit: "PROJECTS_MAX", max: PROJECTS_MAX });
    }
    let sql = "INSERT INTO document_projects (tenant, project, revision, config_revision) \
               VALUES (?1, ?2, 0, 0)";
    conn.prepare_cached(sql)?.execute(params![tenant.as_str(), name.as_str()])?;
    Ok((conn.last_insert_rowid(), Revisions::default()))
}

/// What lies at a path.
struct Found {
    row: HeadRow,
    body: i64,
    digest: Digest,
}

/// One change set being applied.
struct Run<'c> {
    conn: &'c Connection,
    project: i64,
    revision: Revision,
    by: String,
    at: Timestamp,
    changed: bool,
    config_changed: bool,
}

impl Run<'_> {
    /// Does one change; answers the document that it left, if any.
    fn change(
        &mut self,
        change: Change,
        digest: Option<Digest>,
        ids: &mut impl Iterator<Item = DocumentId>,
    ) -> Result<Option<DocumentId>> {
        match change {
            Change::Put { path, body, shape, expected } => {
                let new_id = ids.next().ok_or_else(|| fault("a put without an id"))?;
                let digest = digest.ok_or_else(|| fault("a put without a digest"))?;
                let put = Put { path, body, digest, shape };
                self.put(put, expected, new_id).map(Some)
            }
            Change::Move { path, to, expected, action, shape } => {
                let id = self.rename(&path, to, expected, action, shape)?;
                Ok(Some(id))
            }
            Change::Purge { path, expected } => self.purge(&path, expected).map(|()| None),
        }
    }

    fn put(&mut self, put: Put, expected: Expected, new_id: DocumentId) -> Result<DocumentId> {
        let found = self.find(&put.path)?;
        check(&put.path, found.as_ref(), expected, true)?;
        if let Some(same) = found.as_ref().filter(|f| put.is_same(f)) {
            return Ok(same.row.id.clone());
        }
        let (id, created_at) = found.map_or((new_id, self.at), |f| (f.row.id, f.row.created_at));
        let body = self.keep_body(&id, &put)?;
        let row = HeadRow {
            id: id.clone(),
            path: put.path,
            kind: put.shape.kind,
            mime: put.shape.mime,
            size: put.body.len() as u64,
            revision: self.revision,
            deleted: false,
            trashed_from: None,
            updated_by: self.by.clone(),
            created_at,
            updated_at: self.at,
            head: put.shape.head,
        };
        self.place(&row, body, Action::Put)?;
        Ok(id)
    }

    fn rename(
        &mut self,
        path: &DocumentPath,
        to: DocumentPath,
        expected: Expected,
        action: Action,
        shape: Option<Shape>,
    ) -> Result<DocumentId> {
        let found = self.find(path)?;
        check(path, found.as_ref(), expected, false)?;
        let Found { mut row, body, .. } = found.ok_or_else(|| no_document(path))?;
        if self.find(&to)?.is_some() {
            return Err(taken(&to));
        }
        self.bury(path)?;
        row.trashed_from = (action == Action::Trash).then(|| path.clone());
        row.path = to;
        if let Some(shape) = shape {
            (row.kind, row.mime, row.head) = (shape.kind, shape.mime, shape.head);
        }
        row.revision = self.revision;
        row.updated_by.clone_from(&self.by);
        row.updated_at = self.at;
        self.place(&row, body, action)?;
        Ok(row.id)
    }

    fn purge(&mut self, path: &DocumentPath, expected: Expected) -> Result<()> {
        let found = self.find(path)?;
        check(path, found.as_ref(), expected, false)?;
        let found = found.ok_or_else(|| no_document(path))?;
        self.bury(path)?;
        let id = found.row.id.as_str();
        for table in ["document_versions", "document_bodies"] {
            let sql = format!("DELETE FROM {table} WHERE document = ?1");
            self.conn.prepare_cached(&sql)?.execute([id])?;
        }
        Ok(())
    }

    fn find(&self, path: &DocumentPath) -> Result<Option<Found>> {
        let sql = format!(
            "SELECT {HEAD}, d.body, b.digest FROM documents AS d \
             JOIN document_bodies AS b ON b.key = d.body \
             WHERE d.project = ?1 AND d.path = ?2 AND d.deleted = 0"
        );
        let mut statement = self.conn.prepare_cached(&sql)?;
        let found = statement.query_row(params![self.project, path.as_str()], |row| {
            let (body, digest) = (row.get(HEAD_COLUMNS)?, row.get(HEAD_COLUMNS + 1)?);
            Ok(head_row(row).map(|row| Found { row, body, digest }))
        });
        found.optional()?.transpose()
    }

    fn row(&self, id: &DocumentId) -> Result<Option<HeadRow>> {
        let sql = format!("SELECT {HEAD} FROM documents AS d WHERE d.id = ?1 AND d.deleted = 0");
        let mut statement = self.conn.prepare_cached(&sql)?;
        let found = statement.query_row([id.as_str()], |row| Ok(head_row(row))).optional()?;
        found.transpose()
    }

    fn keep_body(&self, id: &DocumentId, put: &Put) -> Result<i64> {
        let sql = "SELECT key FROM document_bodies WHERE document = ?1 AND digest = ?2";
        let mut statement = self.conn.prepare_cached(sql)?;
        let known = statement.query_row(params![id.as_str(), put.digest], |row| row.get(0));
        if let Some(key) = known.optional()? {
            return Ok(key);
        }
        let sql = "INSERT INTO document_bodies (document, digest, body) VALUES (?1, ?2, ?3)";
        let body: &[u8] = &put.body;
        self.conn.prepare_cached(sql)?.execute(params![id.as_str(), put.digest, body])?;
        Ok(self.conn.last_insert_rowid())
    }

    /// Writes the state of a document at its path, and its version. Several changes of one
    /// document in one set leave one version: the last state.
    fn place(&mut self, row: &HeadRow, body: i64, action: Action) -> Result<()> {
        self.touch(&row.path);
        let sql = "INSERT INTO documents \
             (project, path, id, kind, mime, size, revision, config, deleted, body, trashed_from, \
              updated_by, created_at, updated_at, head_version, head) \
             VALUES (:project, :path, :id, :kind, :mime, :size, :revision, :config, 0, :body, :from, \
              :by, :created, :at, :head_version, :head) \
             ON CONFLICT (project, path) DO UPDATE SET id = :id, kind = :kind, mime = :mime, \
              size = :size, revision = :revision, deleted = 0, body = :body, trashed_from = :from, \
              updated_by = :by, created_at = :created, updated_at = :at, \
              head_version = :head_version, head = :head";
        self.conn.prepare_cached(sql)?.execute(named_params! {
            ":project": self.project, ":path": row.path.as_str(), ":id": row.id.as_str(),
            ":kind": row.kind, ":mime": row.mime, ":size": row.size, ":revision": row.revision.0,
            ":config": is_config(&row.path), ":body": body,
            ":from": row.trashed_from.as_ref().map(DocumentPath::as_str), ":by": row.updated_by,
            ":created": row.created_at.0, ":at": row.updated_at.0,
            ":head_version": row.head.as_ref().map(|h| h.version),
            ":head": row.head.as_ref().map(|h| h.json.get()),
        })?;
        let sql = "INSERT OR REPLACE INTO document_versions \
             (document, revision, project, path, kind, mime, size, body, trashed_from, updated_by, \
              updated_at, action) \
             VALUES (:id, :revision, :project, :path, :kind, :mime, :size, :body, :from, :by, :at, :action)";
        self.conn.prepare_cached(sql)?.execute(named_params! {
            ":id": row.id.as_str(), ":revision": row.revision.0, ":project": self.project,
            ":path": row.path.as_str(), ":kind": row.kind, ":mime": row.mime, ":size": row.size,
            ":body": body, ":from": row.trashed_from.as_ref().map(DocumentPath::as_str),
            ":by": row.updated_by, ":at": row.updated_at.0, ":action": action_text(action),
        })?;
        Ok(())
    }

    /// Leaves a tombstone at a path.
    fn bury(&mut self, path: &DocumentPath) -> Result<()> {
        self.touch(path);
        let sql = "UPDATE documents SET deleted = 1, revision = :revision, size = 0, body = NULL, \
             trashed_from = NULL, updated_by = :by, updated_at = :at, head_version = NULL, head = NULL \
             WHERE project = :project AND path = :path";
        self.conn.prepare_cached(sql)?.execute(named_params! {
            ":revision": self.revision.0, ":by": self.by, ":at": self.at.0,
            ":project": self.project, ":path": path.as_str(),
        })?;
        Ok(())
    }

    fn touch(&mut self, path: &DocumentPath) {
        self.changed = true;
        self.config_changed |= is_config(path);
    }

    /// A set that changed nothing takes no revision.
    fn close(&self, before: Revisions) -> Result<Revisions> {
        if !self.changed {
            return Ok(before);
        }
        let config = if self.config_changed { self.revision } else { before.config };
        let sql = "UPDATE document_projects SET revision = ?2, config_revision = ?3 WHERE key = ?1";
        let mut statement = self.conn.prepare_cached(sql)?;
        statement.execute(params![self.project, self.revision.0, config.0])?;
        Ok(Revisions { all: self.revision, config })
    }
}

struct Put {
    path: DocumentPath,
    body: Bytes,
    digest: Digest,
    shape: Shape,
}

impl Put {
    fn is_same(&self, found: &Found) -> bool {
        self.digest == found.digest
            && self.shape.kind == found.row.kind
            && self.shape.mime == found.row.mime
            && found.row.trashed_from.is_none()
    }
}

fn check(
    path: &DocumentPath,
    found: Option<&Found>,
    expected: Expected,
    creates: bool,
) -> Result<()> {
    match (expected, found) {
        (Expected::Absent, Some(_)) => Err(taken(path)),
        (Expected::Revision(expected), Some(found)) if found.row.revision != expected => {
            let what = format!("document {path}");
            Err(Error::Conflict { what, current: found.row.revision })
        }
        (Expected::Revision(_), None) => Err(no_document(path)),
        (Expected::Absent | Expected::Any, None) if !creates => Err(no_document(path)),
        _ => Ok(()),
    }
}

fn taken(path: &DocumentPath) -> Error {
    Error::AlreadyExists { what: format!("document {path}") }
}
