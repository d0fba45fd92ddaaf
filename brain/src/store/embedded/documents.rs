//! The port of documents on SQLite.

mod apply;
mod counters;
mod read;
mod rows;

#[cfg(test)]
mod tests;

pub(super) use counters::Counters;

use std::sync::Arc;

use api_types::ids::{DocumentId, DocumentPath, ProjectId, Revision};
use async_trait::async_trait;

use super::Embedded;
use crate::ctx::OpCtx;
use crate::documents::{Applied, At, ChangeSet, Document, HeadRow, Revisions, Store, Version};
use crate::port::{Page, Result, Slice};

/// A path has one row, living or tombstone (`deleted`). `config` marks what counts for
/// `config_revision`, so that a catalogue's delta never walks over a project's other writes.
/// Bodies are kept once for each document and digest; `versions` holds past and present states.
pub(super) const SCHEMA: &str = "
    CREATE TABLE document_projects (
        key INTEGER PRIMARY KEY,
        tenant TEXT NOT NULL,
        project TEXT NOT NULL,
        revision INTEGER NOT NULL,
        config_revision INTEGER NOT NULL,
        UNIQUE (tenant, project)
    );
    CREATE TABLE documents (
        project INTEGER NOT NULL,
        path TEXT NOT NULL,
        id TEXT NOT NULL,
        kind TEXT NOT NULL,
        mime TEXT NOT NULL,
        size INTEGER NOT NULL,
        revision INTEGER NOT NULL,
        config INTEGER NOT NULL,
        deleted INTEGER NOT NULL,
        body INTEGER,
        trashed_from TEXT,
        updated_by TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        head_version INTEGER,
        head TEXT,
        UNIQUE (project, path)
    );
    CREATE UNIQUE INDEX documents_id ON documents (id) WHERE deleted = 0;
    CREATE INDEX documents_changed ON documents (project, revision, path);
    CREATE INDEX documents_config ON documents (project, revision, path) WHERE config = 1;
    CREATE TABLE document_bodies (
        key INTEGER PRIMARY KEY,
        document TEXT NOT NULL,
        digest BLOB NOT NULL,
        body BLOB NOT NULL
    );
    CREATE UNIQUE INDEX document_bodies_digest ON document_bodies (document, digest);
    CREATE TABLE document_versions (
        document TEXT NOT NULL,
        revision INTEGER NOT NULL,
        project INTEGER NOT NULL,
        path TEXT NOT NULL,
        kind TEXT NOT NULL,
        mime TEXT NOT NULL,
        size INTEGER NOT NULL,
        body INTEGER NOT NULL,
        trashed_from TEXT,
        updated_by TEXT NOT NULL,
        updated_at INTEGER NOT NULL,
        action TEXT NOT NULL,
        PRIMARY KEY (document, revision)
    ) WITHOUT ROWID;
    CREATE INDEX document_versions_path ON document_versions (project, path, revision);
";

#[async_trait]
impl Store for Embedded {
    async fn revisions(&self, ctx: &OpCtx, projects: &[ProjectId]) -> Result<Vec<Revisions>> {
        Ok(self.counters.get(&ctx.tenant, projects))
    }

    async fn changed(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        since: Revision,
        under: &str,
        page: Page,
    ) -> Result<Slice<HeadRow>> {
        let (tenant, project, under) = (ctx.tenant.clone(), project.clone(), under.to_owned());
        let job = move |c: &_| read::changed(c, &tenant, &project, since, &under, &page);
        self.read(ctx.deadline, job).await
    }

    async fn get(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        path: &DocumentPath,
        at: At,
    ) -> Result<Document> {
        let (tenant, project, path) = (ctx.tenant.clone(), project.clone(), path.clone());
        self.read(ctx.deadline, move |c| read::get(c, &tenant, &project, &path, at)).await
    }

    async fn get_by_id(
        &self,
        ctx: &OpCtx,
        id: &DocumentId,
        at: At,
    ) -> Result<(ProjectId, Document)> {
        let (tenant, id) = (ctx.tenant.clone(), id.clone());
        self.read(ctx.deadline, move |c| read::get_by_id(c, &tenant, &id, at)).await
    }

    async fn list(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        under: &str,
        page: Page,
    ) -> Result<(Slice<HeadRow>, Revisions)> {
        let (tenant, project, under) = (ctx.tenant.clone(), project.clone(), under.to_owned());
        self.read(ctx.deadline, move |c| read::list(c, &tenant, &project, &under, &page)).await
    }

    async fn apply(&self, ctx: &OpCtx, project: &ProjectId, set: ChangeSet) -> Result<Applied> {
        let set = apply::Prepared::new(set)?;
        let (tenant, project) = (ctx.tenant.clone(), project.clone());
        let (counted_tenant, counted_project) = (tenant.clone(), project.clone());
        let counters = Arc::clone(&self.counters);
        self.write_then(
            ctx.deadline,
            move |c| apply::apply(c, &tenant, &project, set),
            move |applied| counters.set(counted_tenant, counted_project, applied.revisions),
        )
        .await
    }

    async fn history(&self, ctx: &OpCtx, id: &DocumentId, page: Page) -> Result<Slice<Version>> {
        let (tenant, id) = (ctx.tenant.clone(), id.clone());
        self.read(ctx.deadline, move |c| read::history(c, &tenant, &id, &page)).await
    }
}
