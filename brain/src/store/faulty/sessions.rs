//! Faults of the sessions' port.

use std::ops::Deref;

use api_types::ids::SessionId;
use async_trait::async_trait;

use super::Faulty;
use crate::ctx::{OpCtx, SystemCtx};
use crate::port::{Page, Result, Slice};
use crate::runtime::Timestamp;
use crate::sessions::{Binding, NewSession, Session, SessionFilter, Store};

#[async_trait]
impl<S> Store for Faulty<S>
where
    S: Deref<Target: Store> + Send + Sync,
{
    async fn create(&self, ctx: &OpCtx, new: NewSession) -> Result<Session> {
        self.write(self.inner.create(ctx, new)).await
    }

    async fn get(&self, ctx: &OpCtx, id: &SessionId) -> Result<Session> {
        self.read(self.inner.get(ctx, id)).await
    }

    async fn list(
        &self,
        ctx: &OpCtx,
        filter: &SessionFilter,
        page: Page,
    ) -> Result<Slice<Session>> {
        self.read(self.inner.list(ctx, filter, page)).await
    }

    async fn update(&self, ctx: &OpCtx, session: &Session) -> Result<Session> {
        let expected = Some(session.revision);
        self.write_expecting(expected, self.inner.update(ctx, session)).await
    }

    async fn touch(
        &self,
        ctx: &OpCtx,
        id: &SessionId,
        at: Timestamp,
        title: Option<&str>,
    ) -> Result<()> {
        self.write(self.inner.touch(ctx, id, at, title)).await
    }

    async fn bind(
        &self,
        ctx: &OpCtx,
        id: &SessionId,
        connection: &str,
        takeover: bool,
    ) -> Result<Binding> {
        self.write(self.inner.bind(ctx, id, connection, takeover)).await
    }

    async fn unbind(&self, ctx: &OpCtx, id: &SessionId, binding: &Binding) -> Result<()> {
        self.write(self.inner.unbind(ctx, id, binding)).await
    }

    async fn binding(&self, ctx: &OpCtx, id: &SessionId) -> Result<Option<Binding>> {
        self.read(self.inner.binding(ctx, id)).await
    }

    async fn unbind_all(&self, ctx: &SystemCtx) -> Result<()> {
        self.write(self.inner.unbind_all(ctx)).await
    }
}
