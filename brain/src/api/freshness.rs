//! Requests may demand a revision: the answer waits until the project is at least there.

use std::sync::Arc;
use std::time::Duration;

use api_types::ids::{ProjectId, Revision};

use super::error::Result;
use crate::ctx::OpCtx;
use crate::documents::Store;

/// Longest wait for a revision: a demand for one that was never written must end.
pub const WAIT_MAX: Duration = Duration::from_secs(5);
/// Time between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Waits for revisions.
pub struct Freshness(Arc<dyn Store>);

impl Freshness {
    /// Of the projects in this store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self(store)
    }

    /// Waits until the project is at `least`. `false` when that takes longer than [`WAIT_MAX`].
    ///
    /// # Errors
    /// What the store says; `Timeout` when the caller's own deadline comes first.
    pub async fn reached(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        least: Revision,
    ) -> Result<bool> {
        let projects = [project.clone()];
        let looking = async {
            loop {
                let revisions = self.0.revisions(ctx, &projects).await?;
                if revisions.first().is_some_and(|r| r.all >= least) {
                    return Ok(true);
                }
                tokio::time::sleep(LOOK_EVERY).await;
            }
        };
        let waiting = tokio::time::timeout(WAIT_MAX, looking);
        ctx.bound(waiting).await?.unwrap_or(Ok(false))
    }
}
