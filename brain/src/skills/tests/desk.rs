//! A store with skills in it, for tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use api_types::ids::{DocumentId, DocumentPath, ProjectId, Revision, SkillName};
use api_types::skills::{SkillScope, SkillState};
use async_trait::async_trait;
use bytes::Bytes;

use crate::bundled::Bundled;
use crate::ctx::{Actor, OpCtx};
use crate::documents::{
    Action, Applied, At, Change, ChangeSet, Document, Expected, HeadRow, Revisions, Shape, Store,
    Version,
};
use crate::port::{Error, Page, Result, Slice};
use crate::runtime::{IdGen, Timestamp};
use crate::skills::locks::{Locks, NoLocks};
use crate::skills::{Scope, Skills, head_parser};
use crate::store::embedded::{Embedded, OpenMode};

pub(crate) struct Desk {
    pub(crate) store: Arc<Interleaved>,
    pub(crate) skills: Arc<Skills>,
    ids: IdGen,
}

pub(crate) fn name(text: &str) -> SkillName {
    text.parse().unwrap()
}

pub(crate) fn path(text: &str) -> DocumentPath {
    text.parse().unwrap()
}

pub(crate) fn home() -> ProjectId {
    "home".parse().unwrap()
}

pub(crate) fn ctx() -> OpCtx {
    OpCtx::new("acme".parse().unwrap(), Actor::User("jane".parse().unwrap()))
}

pub(crate) fn scope() -> Scope {
    Scope { project: home(), user: Some("jane".parse().unwrap()) }
}

/// The project of a document layer.
pub(crate) fn project(layer: SkillScope) -> ProjectId {
    scope().project_of(layer).unwrap()
}

pub(crate) fn skill_md(title: &str, more: &str, body: &str) -> String {
    format!("---\ntitle: {title}\ndescription: About {title}.\nversion: 1.0.0\n{more}---\n{body}\n")
}

pub(crate) fn put(at: &str, body: impl Into<String>) -> Change {
    let (path, body) = (path(at), body.into());
    let head = head_parser::parse(&path, body.as_bytes());
    let shape = Shape { kind: "skill".to_owned(), mime: "text/markdown".to_owned(), head };
    Change::Put { path, body: Bytes::from(body), shape, expected: Expected::Any }
}

pub(crate) fn rename(from: &str, to: &str) -> Change {
    let (path, to) = (path(from), path(to));
    Change::Move { path, to, expected: Expected::Any, action: Action::Move, shape: None }
}

pub(crate) fn purge(at: &str) -> Change {
    Change::Purge { path: path(at), expected: Expected::Any }
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self::with(Bundled::of([]), Arc::new(NoLocks))
    }

    pub(crate) fn with(bundled: Bundled, locks: Arc<dyn Locks>) -> Self {
        Self::on(OpenMode::InMemory, bundled, locks)
    }

    pub(crate) fn on(mode: OpenMode, bundled: Bundled, locks: Arc<dyn Locks>) -> Self {
        let store = Arc::new(Interleaved {
            inner: Embedded::open(mode).unwrap(),
            rows_max: AtomicUsize::new(usize::MAX),
            deltas: AtomicUsize::new(0),
            reads: AtomicUsize::new(0),
            failures: AtomicUsize::new(0),
        });
        let skills = Arc::new(Skills::new(store.clone(), Arc::new(bundled), locks));
        Self { store, skills, ids: IdGen::seeded(7) }
    }

    pub(crate) async fn apply(&self, project: &ProjectId, changes: Vec<Change>) -> Result<Applied> {
        let ids = changes.iter().map(|_| DocumentId::from_bits(self.ids.bits())).collect();
        let set = ChangeSet { changes, by: "jane".into(), at: Timestamp(1), ids };
        self.store.inner.apply(&ctx(), project, set).await
    }

    pub(crate) async fn write(&self, layer: SkillScope, at: &str, body: impl Into<String>) {
        self.apply(&project(layer), vec![put(at, body)]).await.unwrap();
    }

    pub(crate) async fn remove(&self, layer: SkillScope, at: &str) {
        self.apply(&project(layer), vec![purge(at)]).await.unwrap();
    }

    /// The copies that decide: `name layer state`.
    pub(crate) async fn listing(&self) -> Vec<String> {
        let all = self.skills.effective(&ctx(), &scope()).await.unwrap();
        let line = |s: &crate::skills::Summary| {
            let state = match s.state {
                SkillState::Valid => "valid",
                SkillState::Disabled => "disabled",
                SkillState::Invalid => "invalid",
            };
            format!("{} {} {state}", s.name, s.scope.cli_name())
        };
        all.iter().map(line).collect()
    }
}

/// Gives way at every read, and hands out pages as small as a test wants, so that writes fall
/// between them. Counts what is read.
pub(crate) struct Interleaved {
    pub(crate) inner: Arc<Embedded>,
    pub(crate) rows_max: AtomicUsize,
    pub(crate) deltas: AtomicUsize,
    pub(crate) reads: AtomicUsize,
    /// The next pages of changes fail, so many.
    pub(crate) failures: AtomicUsize,
}

impl Interleaved {
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.deltas.load(Ordering::SeqCst), self.reads.load(Ordering::SeqCst))
    }
}

#[async_trait]
impl Store for Interleaved {
    async fn revisions(&self, ctx: &OpCtx, projects: &[ProjectId]) -> Result<Vec<Revisions>> {
        tokio::task::yield_now().await;
        self.inner.revisions(ctx, projects).await
    }

    async fn changed(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        since: Revision,
        under: &str,
        page: Page,
    ) -> Result<Slice<HeadRow>> {
        self.deltas.fetch_add(1, Ordering::SeqCst);
        tokio::task::yield_now().await;
        let failures = self.failures.load(Ordering::SeqCst);
        self.failures.store(failures.saturating_sub(1), Ordering::SeqCst);
        if failures > 0 {
            return Err(Error::Unavailable { reason: "cut off".to_owned() });
        }
        let limit = self.rows_max.load(Ordering::SeqCst).min(page.rows() as usize);
        let page = Page { limit: u32::try_from(limit).unwrap(), ..page };
        self.inner.changed(ctx, project, since, under, page).await
    }

    async fn get(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        path: &DocumentPath,
        at: At,
    ) -> Result<Document> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        tokio::task::yield_now().await;
        self.inner.get(ctx, project, path, at).await
    }

    async fn get_by_id(
        &self,
        ctx: &OpCtx,
        id: &DocumentId,
        at: At,
    ) -> Result<(ProjectId, Document)> {
        self.inner.get_by_id(ctx, id, at).await
    }

    async fn list(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        under: &str,
        page: Page,
    ) -> Result<(Slice<HeadRow>, Revisions)> {
        self.inner.list(ctx, project, under, page).await
    }

    async fn apply(&self, ctx: &OpCtx, project: &ProjectId, set: ChangeSet) -> Result<Applied> {
        self.inner.apply(ctx, project, set).await
    }

    async fn history(&self, ctx: &OpCtx, id: &DocumentId, page: Page) -> Result<Slice<Version>> {
        self.inner.history(ctx, id, page).await
    }
}
