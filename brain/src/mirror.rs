//! A folder of each project, mirrored in memory: read once, then kept up by what has changed.
//!
//! A lookup reads the counters of its projects in one read and compares them with what it holds.
//! If nothing was written below `_vance/` since, the mirror is the truth, and no document is read.
//! Else the rows that changed are overlaid, on a copy: a reader holds one state for as long as it
//! likes, and never sees half a change set. Nothing here waits for a notification, so nothing is
//! stale if one is lost.

use std::sync::{Arc, Mutex, PoisonError};

use api_types::ids::{DocumentPath, ProjectId, Revision, TenantId};
use bytes::Bytes;
use futures::{StreamExt, TryStreamExt};

use crate::cache::Cache;
use crate::ctx::{OpCtx, Stopped};
use crate::documents::{self, At, HeadRow};
use crate::port::{self, Page};

/// Bodies that are read at once while a mirror catches up.
const READS_MAX: usize = 16;
/// What an empty mirror counts for, in bytes.
const EMPTY_BYTES: usize = 512;

/// Why a mirror can't be looked into.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] port::Error),
    /// The caller stopped waiting.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// What is mirrored of a folder.
pub trait Shelf: Clone + Default + Send + Sync + 'static {
    /// The folder, without a trailing `/`.
    const FOLDER: &'static str;

    /// Takes what changed, tombstones included, in the order of the writes.
    fn apply(&mut self, rows: Vec<HeadRow>);

    /// Documents whose bodies it needs, at the revision that it wants.
    fn wanted(&self) -> Vec<(DocumentPath, Revision)>;

    /// Takes a body that it wanted; `None` if the document is gone.
    fn supply(&mut self, path: &DocumentPath, body: Option<&Bytes>);

    /// Ends an update: all rows and bodies are there.
    fn settle(&mut self);

    /// What it holds in memory, in bytes, roughly.
    fn bytes(&self) -> usize;
}

/// A state of a project's folder.
#[derive(Clone, Debug, Default)]
pub struct View<S> {
    /// All configuration writes up to this one are in it.
    pub at: Revision,
    /// The mirror; the same one for as long as nothing in the folder changes.
    pub shelf: Arc<S>,
}

/// Mirrors of many projects, shared by all users, bounded in bytes.
pub struct Mirror<S> {
    store: Arc<dyn documents::Store>,
    slots: Cache<(TenantId, ProjectId), Arc<Slot<S>>>,
}

struct Slot<S> {
    view: Mutex<Option<Arc<View<S>>>>,
    /// Held by the one that reads the store; the others wait, and find the work done. If it is
    /// cancelled, the next one takes over.
    update: tokio::sync::Mutex<()>,
}

impl<S> Default for Slot<S> {
    fn default() -> Self {
        Self { view: Mutex::new(None), update: tokio::sync::Mutex::new(()) }
    }
}

impl<S> Slot<S> {
    fn view(&self) -> Option<Arc<View<S>>> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn fresh(&self, at_least: Revision) -> Option<Arc<View<S>>> {
        self.view().filter(|view| view.at >= at_least)
    }
}

impl<S: Shelf> Mirror<S> {
    /// Mirrors that together take so many bytes at most; the largest single one may exceed it.
    #[must_use]
    pub fn new(store: Arc<dyn documents::Store>, bytes_max: usize) -> Self {
        Self { store, slots: Cache::new(bytes_max) }
    }

    /// What it holds in memory, in bytes, roughly.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.slots.bytes()
    }

    /// The present state of each project's folder, in their order.
    ///
    /// Every write that was answered before this call is in it.
    ///
    /// # Errors
    /// The store failed, or the caller's time is over.
    pub async fn views(
        &self,
        ctx: &OpCtx,
        projects: &[ProjectId],
    ) -> Result<Vec<Arc<View<S>>>, Error> {
        let revisions = ctx.bound(self.store.revisions(ctx, projects)).await??;
        let pairs = projects.iter().zip(revisions);
        let views = pairs.map(|(project, now)| self.view(ctx, project, now.config));
        futures::future::try_join_all(views).await
    }

    async fn view(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        at_least: Revision,
    ) -> Result<Arc<View<S>>, Error> {
        let key = (ctx.tenant.clone(), project.clone());
        let slot = self.slots.get_or_insert(&key, EMPTY_BYTES, Arc::default);
        if let Some(view) = slot.fresh(at_least) {
            return Ok(view);
        }
        let _only = ctx.bound(slot.update.lock()).await?;
        if let Some(view) = slot.fresh(at_least) {
            return Ok(view);
        }
        let view = Arc::new(self.catch_up(ctx, project, slot.view(), at_least).await?);
        self.slots.weigh(&key, EMPTY_BYTES + view.shelf.bytes());
        *slot.view.lock().unwrap_or_else(PoisonError::into_inner) = Some(view.clone());
        Ok(view)
    }

    /// Overlays all that changed since `view`.
    ///
    /// Pages end when the store has no more, so the last page is the moment that the result
    /// shows: a document written again meanwhile moves to a later page, whole change set and all.
    async fn catch_up(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        view: Option<Arc<View<S>>>,
        at_least: Revision,
    ) -> Result<View<S>, Error> {
        let since = view.as_ref().map(|view| view.at).unwrap_or_default();
        let mut shelf = view.map(|view| view.shelf.clone()).unwrap_or_default();
        let mut at = since.max(at_least);
        let mut page = Page::default();
        let mut changed = false;
        loop {
            let read = self.store.changed(ctx, project, since, S::FOLDER, page);
            let slice = ctx.bound(read).await??;
            if let Some(newest) = slice.rows.iter().map(|row| row.revision).max() {
                at = at.max(newest);
                changed = true;
                // Copies it once: readers keep the one that they have.
                Arc::make_mut(&mut shelf).apply(slice.rows);
            }
            match slice.next {
                Some(after) => page = Page { after: Some(after), limit: 0 },
                None => break,
            }
        }
        if changed {
            let shelf = Arc::make_mut(&mut shelf);
            self.fetch(ctx, project, shelf).await?;
            shelf.settle();
        }
        Ok(View { at, shelf })
    }

    async fn fetch(&self, ctx: &OpCtx, project: &ProjectId, shelf: &mut S) -> Result<(), Error> {
        let reads = shelf.wanted().into_iter().map(|(path, revision)| async move {
            let read = self.store.get(ctx, project, &path, At::Revision(revision));
            match ctx.bound(read).await? {
                Ok(document) => Ok((path, Some(document.body))),
                // Purged since the rows were read: the tombstone comes with the next update.
                Err(port::Error::NotFound { .. }) => Ok((path, None)),
                Err(error) => Err(Error::from(error)),
            }
        });
        let mut reads = futures::stream::iter(reads).buffer_unordered(READS_MAX);
        while let Some((path, body)) = reads.try_next().await? {
            shelf.supply(&path, body.as_ref());
        }
        Ok(())
    }
}
