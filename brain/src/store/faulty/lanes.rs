//! Faults of the lanes' ports. Only commits can conflict: for other verbs a conflict means more.

use std::ops::Deref;

use api_types::ids::{CommitId, LaneId, NodeBoot, Revision, Seq, SessionId};
use async_trait::async_trait;

use super::Faulty;
use crate::ctx::{OpCtx, SystemCtx};
use crate::lanes::entry::LogRow;
use crate::lanes::head::LaneView;
use crate::lanes::inbox::{Class, Message, NewMessage};
use crate::lanes::store::{
    LaneCommit, Lease, LogSlice, NewLane, Own, Owned, Read, Receipt, Runnable, Send, Sent, Sweep,
    Takeover, View,
};
use crate::port::{Page, Result, Slice};
use crate::runtime::Timestamp;

#[async_trait]
impl<S> Read for Faulty<S>
where
    S: Deref<Target: Read> + std::marker::Send + Sync,
{
    async fn lane(&self, ctx: &OpCtx, lane: &LaneId) -> Result<LaneView> {
        self.read(self.inner.lane(ctx, lane)).await
    }

    async fn list(&self, ctx: &OpCtx, session: &SessionId, page: Page) -> Result<Slice<LaneView>> {
        self.read(self.inner.list(ctx, session, page)).await
    }

    async fn log(
        &self,
        ctx: &OpCtx,
        lane: &LaneId,
        after: Seq,
        view: View,
        limit: u32,
    ) -> Result<LogSlice> {
        self.read(self.inner.log(ctx, lane, after, view, limit)).await
    }

    async fn chat_before(
        &self,
        ctx: &OpCtx,
        lane: &LaneId,
        before: Seq,
        limit: u32,
    ) -> Result<Vec<LogRow>> {
        self.read(self.inner.chat_before(ctx, lane, before, limit)).await
    }

    async fn queued(
        &self,
        ctx: &OpCtx,
        lane: &LaneId,
        class: Class,
        limit: u32,
    ) -> Result<Vec<Message>> {
        self.read(self.inner.queued(ctx, lane, class, limit)).await
    }

    async fn claimed(&self, ctx: &OpCtx, lane: &LaneId, turn: Seq) -> Result<Vec<Message>> {
        self.read(self.inner.claimed(ctx, lane, turn)).await
    }
}

#[async_trait]
impl<S> Send for Faulty<S>
where
    S: Deref<Target: Send> + std::marker::Send + Sync,
{
    async fn create(&self, ctx: &OpCtx, new: NewLane) -> Result<Sent> {
        self.write(self.inner.create(ctx, new)).await
    }

    async fn enqueue(&self, ctx: &OpCtx, lane: &LaneId, messages: Vec<NewMessage>) -> Result<Sent> {
        self.write(self.inner.enqueue(ctx, lane, messages)).await
    }

    async fn discard(&self, ctx: &OpCtx, lane: &LaneId, message: Seq) -> Result<bool> {
        self.write(self.inner.discard(ctx, lane, message)).await
    }
}

#[async_trait]
impl<S> Own for Faulty<S>
where
    S: Deref<Target: Own> + std::marker::Send + Sync,
{
    async fn acquire(
        &self,
        ctx: &OpCtx,
        lane: &LaneId,
        me: &NodeBoot,
        from: Takeover,
    ) -> Result<Owned> {
        self.write(self.inner.acquire(ctx, lane, me, from)).await
    }

    async fn commit(&self, lease: &Lease, write: LaneCommit) -> Result<Receipt> {
        let expected = Revision(write.expect.0);
        self.write_expecting(Some(expected), self.inner.commit(lease, write)).await
    }

    async fn receipt(&self, lease: &Lease, id: &CommitId) -> Result<Option<Receipt>> {
        self.read(self.inner.receipt(lease, id)).await
    }

    async fn release(&self, lease: Lease) -> Result<()> {
        self.write(self.inner.release(lease)).await
    }
}

#[async_trait]
impl<S> Sweep for Faulty<S>
where
    S: Deref<Target: Sweep> + std::marker::Send + Sync,
{
    async fn runnable(
        &self,
        ctx: &SystemCtx,
        dead: &[NodeBoot],
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<Runnable>> {
        self.read(self.inner.runnable(ctx, dead, now, limit)).await
    }

    async fn deliver(&self, ctx: &SystemCtx, limit: u32) -> Result<Vec<Runnable>> {
        self.write(self.inner.deliver(ctx, limit)).await
    }

    async fn owners(&self, ctx: &SystemCtx, me: &NodeBoot) -> Result<Vec<NodeBoot>> {
        self.read(self.inner.owners(ctx, me)).await
    }
}
