//! Faults of the documents' port.

use std::ops::Deref;

use api_types::ids::{DocumentId, DocumentPath, ProjectId, Revision};
use async_trait::async_trait;

use super::Faulty;
use crate::ctx::OpCtx;
use crate::documents::{Applied, At, ChangeSet, Document, HeadRow, Revisions, Store, Version};
use crate::port::{Page, Result, Slice};

#[async_trait]
impl<S> Store for Faulty<S>
where
    S: Deref<Target: Store> + Send + Sync,
{
    async fn revisions(&self, ctx: &OpCtx, projects: &[ProjectId]) -> Result<Vec<Revisions>> {
        self.read(self.inner.revisions(ctx, projects)).await
    }

    async fn changed(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        since: Revision,
        under: &str,
        page: Page,
    ) -> Result<Slice<HeadRow>> {
        self.read(self.inner.changed(ctx, project, since, under, page)).await
    }

    async fn get(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        path: &DocumentPath,
        at: At,
    ) -> Result<Document> {
        self.read(self.inner.get(ctx, project, path, at)).await
    }

    async fn get_by_id(
        &self,
        ctx: &OpCtx,
        id: &DocumentId,
        at: At,
    ) -> Result<(ProjectId, Document)> {
        self.read(self.inner.get_by_id(ctx, id, at)).await
    }

    async fn list(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        under: &str,
        page: Page,
    ) -> Result<(Slice<HeadRow>, Revisions)> {
        self.read(self.inner.list(ctx, project, under, page)).await
    }

    async fn apply(&self, ctx: &OpCtx, project: &ProjectId, set: ChangeSet) -> Result<Applied> {
        let expected = Some(Revision::default());
        self.write_expecting(expected, self.inner.apply(ctx, project, set)).await
    }

    async fn history(&self, ctx: &OpCtx, id: &DocumentId, page: Page) -> Result<Slice<Version>> {
        self.read(self.inner.history(ctx, id, page)).await
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::super::{Fault, Plan};
    use super::*;
    use crate::ctx::Actor;
    use crate::documents::{Change, Expected, Shape};
    use crate::port::Error;
    use crate::runtime::Timestamp;
    use crate::store::embedded::{Embedded, OpenMode};

    fn new_document() -> ChangeSet {
        let put = Change::Put {
            path: "notes.md".parse().unwrap(),
            body: Bytes::from_static(b"text"),
            shape: Shape { kind: "markdown".into(), mime: "text/markdown".into(), head: None },
            expected: Expected::Absent,
        };
        let ids = vec![DocumentId::from_bits(7)];
        ChangeSet { changes: vec![put], by: "ann".into(), at: Timestamp(1), ids }
    }

    #[tokio::test]
    async fn a_put_whose_answer_was_lost_is_found_by_its_id() {
        for (fault, happened) in [(Fault::LostAnswer, true), (Fault::LostRequest, false)] {
            let store = Faulty::new(Embedded::open(OpenMode::InMemory).unwrap(), Plan::calm());
            let ctx = OpCtx::new("acme".parse().unwrap(), Actor::User("ann".parse().unwrap()));
            let project = "home".parse().unwrap();
            store.plan().fail_next_write(fault);
            let lost = store.apply(&ctx, &project, new_document()).await;
            assert!(matches!(lost, Err(Error::Unknown)), "{lost:?}");
            let found = store.get_by_id(&ctx, &DocumentId::from_bits(7), At::Latest).await;
            assert_eq!(found.is_ok(), happened, "{fault:?}");
            let again = store.apply(&ctx, &project, new_document()).await;
            assert_eq!(again.is_err(), happened, "it is there exactly once");
        }
    }
}
