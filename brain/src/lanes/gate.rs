//! The gate to lanes for everyone who does not own them: reads, and sends that wake the owner.

use std::sync::Arc;

use api_types::error::ErrorCode;
use api_types::ids::{LaneId, Seq, TenantId};

use super::head::LaneView;
use super::inbox::{Body, NewMessage};
use super::store::{self, NewLane, Sent};
use crate::ctx::OpCtx;
use crate::port;
use crate::runtime::Clock;

/// Makes a lane run, sooner or later. A hint: the sweep finds what a lost one told of.
pub trait Wake: Send + Sync {
    /// Something was queued; `control` if it must be seen while a turn runs.
    fn wake(&self, tenant: &TenantId, lane: &LaneId, control: bool);
}

/// Why a request to a lane failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store refused.
    #[error(transparent)]
    Store(#[from] port::Error),
}

impl Error {
    /// Its place among the error codes.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Store(error) => error.code(),
        }
    }
}

/// Reads and sends. Cheap to clone.
#[derive(Clone)]
pub struct Lanes {
    /// Reads lanes.
    pub read: Arc<dyn store::Read>,
    send: Arc<dyn store::Send>,
    wake: Arc<dyn Wake>,
    clock: Arc<dyn Clock>,
}

impl std::fmt::Debug for Lanes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lanes").finish_non_exhaustive()
    }
}

impl Lanes {
    /// The gate over these ports.
    #[must_use]
    pub fn new(
        read: Arc<dyn store::Read>,
        send: Arc<dyn store::Send>,
        wake: Arc<dyn Wake>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { read, send, wake, clock }
    }

    /// The lane.
    ///
    /// # Errors
    /// As [`store::Read::lane`].
    pub async fn view(&self, ctx: &OpCtx, lane: &LaneId) -> Result<LaneView, Error> {
        Ok(self.read.lane(ctx, lane).await?)
    }

    /// Makes a process; it runs at once if it has messages.
    ///
    /// # Errors
    /// As [`store::Send::create`].
    pub async fn create(&self, ctx: &OpCtx, new: NewLane) -> Result<Sent, Error> {
        let (lane, wakes) = (new.id.clone(), !new.messages.is_empty());
        let sent = self.send.create(ctx, new).await?;
        if wakes {
            self.wake.wake(&ctx.tenant, &lane, false);
        }
        Ok(sent)
    }

    /// Queues messages, all or none, on behalf of the caller. `key` makes a repeat a no-op; of several
    /// messages each gets the key with its index.
    ///
    /// # Errors
    /// As [`store::Send::enqueue`].
    pub async fn enqueue(
        &self,
        ctx: &OpCtx,
        lane: &LaneId,
        bodies: Vec<Body>,
        key: Option<&str>,
    ) -> Result<Sent, Error> {
        let control = bodies.iter().any(|b| b.class() == super::inbox::Class::Control);
        let messages = self.messages(ctx, bodies, key);
        let sent = self.send.enqueue(ctx, lane, messages).await?;
        self.wake.wake(&ctx.tenant, lane, control);
        Ok(sent)
    }

    /// The caller's messages with these bodies.
    #[must_use]
    pub fn messages(&self, ctx: &OpCtx, bodies: Vec<Body>, key: Option<&str>) -> Vec<NewMessage> {
        let at = self.clock.now();
        let key_of = |index: usize| {
            key.map(|key| if index == 0 { key.to_owned() } else { format!("{key}#{index}") })
        };
        let bodies = bodies.into_iter().enumerate();
        bodies
            .map(|(i, body)| NewMessage { key: key_of(i), actor: ctx.actor.clone(), body, at })
            .collect()
    }

    /// Takes a queued message back. `false` when a turn has it already.
    ///
    /// # Errors
    /// As [`store::Send::discard`].
    pub async fn discard(&self, ctx: &OpCtx, lane: &LaneId, message: Seq) -> Result<bool, Error> {
        Ok(self.send.discard(ctx, lane, message).await?)
    }
}
