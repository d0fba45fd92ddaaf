//! The transports: REST and WebSocket. They parse, authorise, call one feature and convert.
//!
//! [`status`] holds the one mapping from error codes; [`rest`] the table of routes that makes the
//! router, the OpenAPI document and the test of authorisation; [`ws`] the sessions' sockets;
//! [`server`] runs and drains them.

pub mod auth;
pub mod error;
pub mod rest;
pub mod server;
pub mod status;
pub mod ws;

mod dto;

use std::sync::Arc;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::bus::Bus;
use crate::ctx::{Actor, OpCtx};
use crate::documents::Documents;
use crate::lanes;
use crate::recipes::Recipes;
use crate::runtime::{Clock, IdGen, Tasks};
use crate::sessions::Sessions;
use crate::skills::Skills;
use crate::tenants;

/// What the transports need.
pub struct Services {
    /// Tells who a token speaks for.
    pub authenticator: Arc<dyn auth::Authenticator>,
    /// Asked when someone wants to know whether the store answers.
    pub tenants: Arc<dyn tenants::Store>,
    /// Documents.
    pub documents: Arc<Documents>,
    /// Skills.
    pub skills: Arc<Skills>,
    /// Recipes.
    pub recipes: Arc<Recipes>,
    /// Sessions.
    pub sessions: Arc<Sessions>,
    /// Reads lanes.
    pub lanes: Arc<dyn lanes::store::Read>,
    /// Tells what happened.
    pub bus: Arc<dyn Bus>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Fresh ids.
    pub ids: Arc<IdGen>,
    /// The transports' tasks.
    pub tasks: Tasks,
    /// The service's version.
    pub version: String,
}

impl Services {
    /// A name for a request.
    #[must_use]
    pub fn request_id(&self) -> error::RequestId {
        error::RequestId::from_bits(self.ids.bits())
    }

    /// Context of an open route: it reaches nothing that belongs to a tenant.
    fn open_ctx(&self, deadline: Instant, cancel: CancellationToken) -> OpCtx {
        let tenant = "nobody".parse().expect("`nobody` is a name");
        OpCtx { tenant, actor: Actor::Service("probe".to_owned()), deadline, cancel }
    }
}

#[cfg(test)]
mod tests;
