//! The port of tenants.

use api_types::ids::{ProjectId, TenantId};
use async_trait::async_trait;

use super::model::{Bootstrap, Identity, TokenDigest};
use crate::ctx::SystemCtx;
use crate::port::Result;

/// Keeps tenants, projects, users and tokens.
#[async_trait]
pub trait Store: Send + Sync {
    /// Makes the first tenant, unless there is one. Tells whether it did.
    async fn bootstrap(&self, ctx: &SystemCtx, first: &Bootstrap) -> Result<bool>;
    /// Replaces a user's token by another: for a lost bootstrap file.
    async fn replace_token(
        &self,
        ctx: &SystemCtx,
        identity: &Identity,
        token: &TokenDigest,
    ) -> Result<()>;
    /// Who a token speaks for.
    async fn identify(&self, token: &TokenDigest) -> Result<Option<Identity>>;
    /// Whether the tenant has this project; system projects exist implicitly.
    async fn project_exists(&self, tenant: &TenantId, project: &ProjectId) -> Result<bool>;
    /// A tenant of the store, if there is any.
    async fn any_tenant(&self, ctx: &SystemCtx) -> Result<Option<TenantId>>;
}
