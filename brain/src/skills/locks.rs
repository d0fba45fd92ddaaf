//! Names that a tenant or a project reserves for its own copy (`skills.locked`).

use std::collections::BTreeSet;
use std::sync::Arc;

use api_types::ids::{ProjectId, SkillName};
use async_trait::async_trait;

use crate::ctx::OpCtx;
use crate::port;

/// Tells which names a project locks; `_tenant` stands for the tenant.
#[async_trait]
pub trait Locks: Send + Sync {
    /// The names, as of now.
    async fn locked(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
    ) -> port::Result<Arc<BTreeSet<SkillName>>>;
}

/// Nobody locks anything: a node without settings.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLocks;

#[async_trait]
impl Locks for NoLocks {
    async fn locked(&self, _: &OpCtx, _: &ProjectId) -> port::Result<Arc<BTreeSet<SkillName>>> {
        Ok(Arc::default())
    }
}
