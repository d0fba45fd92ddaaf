//! The port of sessions.

use api_types::ids::SessionId;
use async_trait::async_trait;

use super::model::{Binding, NewSession, Session, SessionFilter};
use crate::ctx::OpCtx;
use crate::port::{Page, Result, Slice};
use crate::runtime::Timestamp;

/// Keeps sessions and who holds them.
#[async_trait]
pub trait Store: Send + Sync {
    /// Makes a session. Idempotent by its id.
    async fn create(&self, ctx: &OpCtx, new: NewSession) -> Result<Session>;
    /// The session.
    async fn get(&self, ctx: &OpCtx, id: &SessionId) -> Result<Session>;
    /// Sessions, newest activity first.
    async fn list(&self, ctx: &OpCtx, filter: &SessionFilter, page: Page)
    -> Result<Slice<Session>>;
    /// Replaces state and title, if the session is at `session.revision`; answers the new state.
    ///
    /// # Errors
    /// `Conflict` when it is not.
    async fn update(&self, ctx: &OpCtx, session: &Session) -> Result<Session>;
    /// Notes activity, and the title if there is none yet; lossy, never a conflict.
    async fn touch(
        &self,
        ctx: &OpCtx,
        id: &SessionId,
        at: Timestamp,
        title: Option<&str>,
    ) -> Result<()>;
    /// Binds a connection; a new session is idle from then on. Without `takeover` another connection that holds it is a conflict.
    ///
    /// # Errors
    /// `AlreadyExists` when another connection holds it.
    async fn bind(
        &self,
        ctx: &OpCtx,
        id: &SessionId,
        connection: &str,
        takeover: bool,
    ) -> Result<Binding>;
    /// Lets go. A binding that is no longer the present one is ignored.
    async fn unbind(&self, ctx: &OpCtx, id: &SessionId, binding: &Binding) -> Result<()>;
    /// Who holds it.
    async fn binding(&self, ctx: &OpCtx, id: &SessionId) -> Result<Option<Binding>>;
    /// Forgets all bindings: at the start of a node that has the store to itself.
    async fn unbind_all(&self, ctx: &crate::ctx::SystemCtx) -> Result<()>;
}
