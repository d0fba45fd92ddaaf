//! The port of documents.

use api_types::ids::{DocumentId, DocumentPath, ProjectId, Revision};
use async_trait::async_trait;

use super::model::{Applied, At, ChangeSet, Document, HeadRow, Revisions, Version};
use crate::ctx::OpCtx;
use crate::port::{Page, Result, Slice};

/// Keeps documents. A project that was never written is empty and at revision 0.
#[async_trait]
pub trait Store: Send + Sync {
    /// The counters of these projects, in their order, in one read.
    async fn revisions(&self, ctx: &OpCtx, projects: &[ProjectId]) -> Result<Vec<Revisions>>;

    /// Documents and tombstones below `under` (a folder without trailing `/`; empty = all) whose
    /// last write is after `since`, by revision, then path. Rows carry their parsed heads.
    async fn changed(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        since: Revision,
        under: &str,
        page: Page,
    ) -> Result<Slice<HeadRow>>;

    /// The document at `path`.
    ///
    /// # Errors
    /// `NotFound` when the path is empty at that revision.
    async fn get(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        path: &DocumentPath,
        at: At,
    ) -> Result<Document>;

    /// The document of this id, wherever it lies, with its project.
    async fn get_by_id(
        &self,
        ctx: &OpCtx,
        id: &DocumentId,
        at: At,
    ) -> Result<(ProjectId, Document)>;

    /// Living documents below `under`, by path, and the project's counters at that moment.
    async fn list(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        under: &str,
        page: Page,
    ) -> Result<(Slice<HeadRow>, Revisions)>;

    /// Applies a change set: all or none, as one new revision.
    ///
    /// # Errors
    /// `Conflict`, `AlreadyExists` or `NotFound` when an expectation does not hold (naming the
    /// path), `Limit` for too many changes or too large a body.
    async fn apply(&self, ctx: &OpCtx, project: &ProjectId, set: ChangeSet) -> Result<Applied>;

    /// Past and present states of a document, newest first.
    async fn history(&self, ctx: &OpCtx, id: &DocumentId, page: Page) -> Result<Slice<Version>>;
}
