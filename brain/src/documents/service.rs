//! What people and tools do with documents.

mod plan;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use api_types::ids::{DocumentId, DocumentPath, ProjectId, Revision};
use bytes::Bytes;

use super::access::{Access, Policy};
use super::error::Error;
use super::model::{
    Action, Applied, At, CHANGES_MAX, Change, DOCUMENT_BYTES_MAX, Document, Expected, HeadRow,
    ParsedHead, Revisions, Shape, TRASH, Version,
};
use super::{Store, kind};
use crate::ctx::OpCtx;
use crate::port::{self, Page, Slice};
use crate::runtime::{Clock, IdGen};
use plan::Plan;

/// How often a write is planned anew because what it was planned on has changed.
const TRIES: usize = 4;

/// One change, as people mean it.
#[derive(Clone, Debug)]
pub enum Edit {
    /// Creates or replaces.
    Put {
        /// Where.
        path: DocumentPath,
        /// The body.
        body: Bytes,
        /// What must hold.
        expected: Expected,
    },
    /// Moves, to a free path. Out of the trash, too.
    Move {
        /// From.
        path: DocumentPath,
        /// To.
        to: DocumentPath,
        /// What must hold of `path`.
        expected: Expected,
    },
    /// Moves to the trash; from there, removes for good.
    Delete {
        /// Where.
        path: DocumentPath,
        /// What must hold.
        expected: Expected,
    },
}

/// Reads out of a body what is stored beside it.
pub trait HeadParser: Send + Sync {
    /// The head, where the document at `path` is one that has any.
    fn parse(&self, path: &DocumentPath, body: &[u8]) -> Option<ParsedHead>;
}

impl<F: Fn(&DocumentPath, &[u8]) -> Option<ParsedHead> + Send + Sync> HeadParser for F {
    fn parse(&self, path: &DocumentPath, body: &[u8]) -> Option<ParsedHead> {
        self(path, body)
    }
}

/// Documents, with rights, limits, kinds, heads and the trash.
pub struct Documents {
    store: Arc<dyn Store>,
    policy: Arc<dyn Policy>,
    parser: Arc<dyn HeadParser>,
    clock: Arc<dyn Clock>,
    ids: Arc<IdGen>,
}

impl Documents {
    /// Documents in this store.
    #[must_use]
    pub fn new(
        store: Arc<dyn Store>,
        policy: Arc<dyn Policy>,
        parser: Arc<dyn HeadParser>,
        clock: Arc<dyn Clock>,
        ids: Arc<IdGen>,
    ) -> Self {
        Self { store, policy, parser, clock, ids }
    }

    /// The project's counters.
    ///
    /// # Errors
    /// [`Error::NoProject`]; those of the store, like everything here.
    pub async fn revisions(&self, ctx: &OpCtx, project: &ProjectId) -> Result<Revisions, Error> {
        self.policy.check(ctx, project, None, Access::Read).await?;
        let revisions = self.store.revisions(ctx, std::slice::from_ref(project)).await?;
        Ok(revisions.first().copied().unwrap_or_default())
    }

    /// Documents below a folder (empty = all), by path, and the counters at that moment.
    ///
    /// # Errors
    /// [`Error::NoProject`].
    pub async fn list(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        under: &str,
        page: Page,
    ) -> Result<(Slice<HeadRow>, Revisions), Error> {
        self.policy.check(ctx, project, None, Access::Read).await?;
        Ok(self.store.list(ctx, project, under.trim_matches('/'), page).await?)
    }

    /// The document at a path, as it is.
    ///
    /// # Errors
    /// [`Error::NoProject`], [`Error::NotFound`].
    pub async fn get(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        path: &DocumentPath,
    ) -> Result<Document, Error> {
        self.get_at(ctx, project, path, At::Latest).await
    }

    /// The document at a path, as it is or was.
    ///
    /// # Errors
    /// [`Error::NoProject`], [`Error::NotFound`].
    pub async fn get_at(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        path: &DocumentPath,
        at: At,
    ) -> Result<Document, Error> {
        self.policy.check(ctx, project, Some(path), Access::Read).await?;
        Ok(self.store.get(ctx, project, path, at).await?)
    }

    /// The document of an id, as it is or was, and its project.
    ///
    /// # Errors
    /// [`Error::NotFound`], also when the caller may not know of it.
    pub async fn get_by_id(
        &self,
        ctx: &OpCtx,
        id: &DocumentId,
        at: At,
    ) -> Result<(ProjectId, Document), Error> {
        let (project, document) = self.store.get_by_id(ctx, id, at).await?;
        let check = self.policy.check(ctx, &project, Some(&document.row.path), Access::Read).await;
        match check {
            // The name of a foreign project is not told.
            Err(Error::NoProject(_)) => Err(Error::NotFound { what: format!("document {id}") }),
            Err(error) => Err(error),
            Ok(()) => Ok((project, document)),
        }
    }

    /// Past and present states, newest first.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn history(
        &self,
        ctx: &OpCtx,
        id: &DocumentId,
        page: Page,
    ) -> Result<Slice<Version>, Error> {
        self.get_by_id(ctx, id, At::Latest).await?;
        Ok(self.store.history(ctx, id, page).await?)
    }

    /// Creates or replaces one document; answers it as it is then.
    ///
    /// # Errors
    /// See [`Self::apply`].
    pub async fn put(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        path: &DocumentPath,
        body: Bytes,
        expected: Expected,
    ) -> Result<HeadRow, Error> {
        let edit = Edit::Put { path: path.clone(), body, expected };
        let applied = self.apply(ctx, project, vec![edit]).await?;
        let gone = || Error::NotFound { what: format!("document {path}") };
        applied.rows.into_iter().next().ok_or_else(gone)
    }

    /// Deletes the document of an id: to the trash, or from there for good.
    ///
    /// # Errors
    /// See [`Self::apply`].
    pub async fn delete(
        &self,
        ctx: &OpCtx,
        id: &DocumentId,
        expected: Expected,
    ) -> Result<Applied, Error> {
        for _ in 1..TRIES {
            let (project, found) = self.get_by_id(ctx, id, At::Latest).await?;
            let guard = guarded(expected, Some(found.row.revision));
            let edit = Edit::Delete { path: found.row.path, expected: guard };
            match self.apply(ctx, &project, vec![edit]).await {
                Err(error) if guard != expected && has_moved_on(&error) => {}
                outcome => return outcome,
            }
        }
        let (project, found) = self.get_by_id(ctx, id, At::Latest).await?;
        let edit = Edit::Delete { path: found.row.path, expected };
        self.apply(ctx, &project, vec![edit]).await
    }

    /// Applies edits in order, all or none, as one revision.
    ///
    /// # Errors
    /// [`Error::ChangeCount`], [`Error::TooLarge`], [`Error::Trash`]; `Conflict`, `AlreadyExists`
    /// and [`Error::NotFound`] when an expectation does not hold.
    pub async fn apply(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        edits: Vec<Edit>,
    ) -> Result<Applied, Error> {
        if edits.is_empty() || edits.len() > CHANGES_MAX {
            return Err(Error::ChangeCount(edits.len()));
        }
        for edit in &edits {
            self.allow(ctx, project, edit).await?;
        }
        let mut tries = 1;
        loop {
            let plan = Plan::make(self, ctx, project, &edits).await?;
            let can_repeat = plan.guarded() && tries < TRIES;
            match self.commit(ctx, project, plan.into_changes()).await {
                Err(error) if can_repeat && has_moved_on(&error) => tries += 1,
                outcome => return outcome,
            }
        }
    }

    /// Brings back the body of a revision, or a document out of the trash. `path` says where to;
    /// else it is where that state lay.
    ///
    /// # Errors
    /// [`Error::NotTrashed`] without `revision` for a living document, [`Error::NoPlace`],
    /// `AlreadyExists` when the place is taken.
    pub async fn restore(
        &self,
        ctx: &OpCtx,
        id: &DocumentId,
        revision: Option<Revision>,
        path: Option<DocumentPath>,
    ) -> Result<Applied, Error> {
        let (project, now) = self.get_by_id(ctx, id, At::Latest).await?;
        let old = match revision {
            Some(revision) => self.store.get_by_id(ctx, id, At::Revision(revision)).await?.1,
            None if now.row.path.is_below(TRASH) => now.clone(),
            None => return Err(Error::NotTrashed(id.clone())),
        };
        let to = path.or_else(|| place_of(&old.row)).or_else(|| place_of(&now.row));
        let to = to.ok_or_else(|| Error::NoPlace(id.clone()))?;
        writable(&to)?;
        self.policy.check(ctx, &project, Some(&now.row.path), Access::Write).await?;
        self.policy.check(ctx, &project, Some(&to), Access::Write).await?;
        self.commit(ctx, &project, self.restoring(&now, &old, &to)).await
    }

    fn restoring(&self, now: &Document, old: &Document, to: &DocumentPath) -> Vec<Change> {
        let mut expected = Expected::Revision(now.row.revision);
        let mut changes = Vec::with_capacity(2);
        if now.row.path != *to {
            changes.push(Change::Move {
                path: now.row.path.clone(),
                to: to.clone(),
                expected,
                action: Action::Restore,
                shape: Some(self.shape(to, &now.body)),
            });
            expected = Expected::Any;
        }
        if changes.is_empty() || old.body != now.body {
            changes.push(self.put_change(to, &old.body, expected));
        }
        changes
    }

    async fn allow(&self, ctx: &OpCtx, project: &ProjectId, edit: &Edit) -> Result<(), Error> {
        match edit {
            Edit::Put { path, body, .. } => {
                writable(path)?;
                if body.len() > DOCUMENT_BYTES_MAX {
                    return Err(Error::TooLarge { path: path.clone(), bytes: body.len() });
                }
                self.policy.check(ctx, project, Some(path), Access::Write).await
            }
            Edit::Move { path, to, .. } => {
                writable(to)?;
                self.policy.check(ctx, project, Some(path), Access::Write).await?;
                self.policy.check(ctx, project, Some(to), Access::Write).await
            }
            Edit::Delete { path, .. } => {
                self.policy.check(ctx, project, Some(path), Access::Write).await
            }
        }
    }

    fn put_change(&self, path: &DocumentPath, body: &Bytes, expected: Expected) -> Change {
        let shape = self.shape(path, body);
        Change::Put { path: path.clone(), body: body.clone(), shape, expected }
    }

    fn shape(&self, path: &DocumentPath, body: &[u8]) -> Shape {
        let (kind, mime) = kind::of(path, body);
        Shape { kind, mime, head: self.parser.parse(path, body) }
    }

    async fn commit(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        changes: Vec<Change>,
    ) -> Result<Applied, Error> {
        let puts = changes.iter().filter(|c| matches!(c, Change::Put { .. })).count();
        let ids = (0..puts).map(|_| DocumentId::from_bits(self.ids.bits())).collect();
        let set = super::ChangeSet { changes, by: ctx.actor.sender(), at: self.clock.now(), ids };
        Ok(self.store.apply(ctx, project, set).await?)
    }
}

fn writable(path: &DocumentPath) -> Result<(), Error> {
    if path.is_below(TRASH) { Err(Error::Trash(path.clone())) } else { Ok(()) }
}

/// Where a state belongs outside the trash.
fn place_of(row: &HeadRow) -> Option<DocumentPath> {
    if row.path.is_below(TRASH) { row.trashed_from.clone() } else { Some(row.path.clone()) }
}

/// `Any` becomes the revision that was read, so that what was decided on it holds.
fn guarded(expected: Expected, read: Option<Revision>) -> Expected {
    match (expected, read) {
        (Expected::Any, Some(revision)) => Expected::Revision(revision),
        _ => expected,
    }
}

/// Whether someone else wrote between our read and our write.
fn has_moved_on(error: &Error) -> bool {
    matches!(
        error,
        Error::NotFound { .. }
            | Error::Store(port::Error::Conflict { .. } | port::Error::AlreadyExists { .. })
    )
}
