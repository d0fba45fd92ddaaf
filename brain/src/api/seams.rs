//! What the transports ask of features that speak in wire types.

use api_types::documents::ExpectedDto;
use api_types::ids::{DocumentId, DocumentPath, ProjectId, RecipeName, Revision};
use api_types::recipes::RecipeListResponse;
use api_types::skills::SkillScope;
use async_trait::async_trait;
use bytes::Bytes;

use super::error::Result;
use crate::ctx::OpCtx;
use crate::documents::{Applied, At, Document, HeadRow, Revisions, Version};
use crate::port::{Page, Slice};

/// One change of a change set.
#[derive(Clone, Debug)]
pub enum Edit {
    /// Creates or replaces.
    Put {
        /// Where.
        path: DocumentPath,
        /// The body.
        body: Bytes,
        /// What must hold.
        expected: ExpectedDto,
    },
    /// Moves.
    Move {
        /// From.
        path: DocumentPath,
        /// To.
        to: DocumentPath,
        /// What must hold.
        expected: ExpectedDto,
    },
    /// Trashes; from the trash, removes for good.
    Delete {
        /// Where.
        path: DocumentPath,
        /// What must hold.
        expected: ExpectedDto,
    },
}

/// Documents.
#[async_trait]
pub trait Documents: Send + Sync {
    /// The project's counters.
    async fn revisions(&self, ctx: &OpCtx, project: &ProjectId) -> Result<Revisions>;
    /// Documents below a folder.
    async fn list(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        under: &str,
        page: Page,
    ) -> Result<(Slice<HeadRow>, Revisions)>;
    /// The document at a path.
    async fn get(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        path: &DocumentPath,
        at: At,
    ) -> Result<Document>;
    /// The document of this id.
    async fn get_by_id(&self, ctx: &OpCtx, id: &DocumentId, at: At)
    -> Result<(ProjectId, Document)>;
    /// Applies changes, all or none.
    async fn apply(&self, ctx: &OpCtx, project: &ProjectId, edits: Vec<Edit>) -> Result<Applied>;
    /// Past states.
    async fn history(&self, ctx: &OpCtx, id: &DocumentId, page: Page) -> Result<Slice<Version>>;
    /// Brings a version, or a trashed document, back.
    async fn restore(
        &self,
        ctx: &OpCtx,
        id: &DocumentId,
        revision: Option<Revision>,
        path: Option<DocumentPath>,
    ) -> Result<Applied>;
}

/// Recipes.
#[async_trait]
pub trait Recipes: Send + Sync {
    /// The winner of each name.
    async fn list(&self, ctx: &OpCtx, project: &ProjectId) -> Result<RecipeListResponse>;
    /// The text of the winner, with its layer.
    async fn show(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        name: &RecipeName,
    ) -> Result<(SkillScope, String)>;
}
