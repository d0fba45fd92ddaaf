//! Who may read and write documents.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use api_types::ids::{DocumentPath, ProjectId, TenantId};
use async_trait::async_trait;

use super::error::Error;
use crate::ctx::OpCtx;
use crate::tenants;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// To see it.
    Read,
    /// To change it.
    Write,
}

/// Decides. What the actor may not know of is `NotFound`.
#[async_trait]
pub trait Policy: Send + Sync {
    /// Whether the actor may; `path` is `None` where a whole project is listed.
    ///
    /// # Errors
    /// [`Error::NoProject`] when there is no such project, or none that the actor may know of.
    async fn check(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        path: Option<&DocumentPath>,
        access: Access,
    ) -> Result<(), Error>;
}

/// Projects that [`Members`] remembers; when there are more, all are asked for again.
const KNOWN_MAX: usize = 100_000;

/// One machine's policy: users of a tenant share its projects and its tenant layer; a personal
/// layer is its owner's alone.
pub struct Members {
    tenants: Arc<dyn tenants::Store>,
    /// Projects that exist. None is ever removed, so this needs no invalidation.
    known: Mutex<HashSet<(TenantId, ProjectId)>>,
}

impl Members {
    /// The policy over these tenants.
    #[must_use]
    pub fn new(tenants: Arc<dyn tenants::Store>) -> Self {
        Self { tenants, known: Mutex::default() }
    }

    async fn exists(&self, tenant: &TenantId, project: &ProjectId) -> Result<bool, Error> {
        let key = (tenant.clone(), project.clone());
        if self.known.lock().unwrap_or_else(PoisonError::into_inner).contains(&key) {
            return Ok(true);
        }
        let exists = self.tenants.project_exists(tenant, project).await?;
        if exists {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= KNOWN_MAX {
                known.clear();
            }
            known.insert(key);
        }
        Ok(exists)
    }
}

#[async_trait]
impl Policy for Members {
    async fn check(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        _: Option<&DocumentPath>,
        _: Access,
    ) -> Result<(), Error> {
        let actor = ctx.actor.user().map(AsRef::as_ref);
        let foreign = project.layer_owner().is_some_and(|owner| actor != Some(owner));
        if foreign || !self.exists(&ctx.tenant, project).await? {
            return Err(Error::NoProject(project.clone()));
        }
        Ok(())
    }
}
