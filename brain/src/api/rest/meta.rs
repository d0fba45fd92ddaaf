//! Who the caller is, how the service is, and what it offers.

use std::time::Duration;

use api_types::error::ErrorCode;
use api_types::ids::{TenantId, UserLogin};
use schemars::JsonSchema;
use serde::Serialize;

use super::call::Call;
use super::openapi;
use super::reply::Reply;
use super::route::{Access, Gives, Route, Takes, Verb, schema};
use crate::api::error::{ApiError, RETRY_AFTER_MS, Result};
use crate::tenants::TokenDigest;

/// How long a readiness probe waits for the store.
const PROBE_TIME_MAX: Duration = Duration::from_secs(2);

/// Who the token speaks for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Whoami {
    /// The tenant.
    tenant_id: TenantId,
    /// The user.
    user_id: UserLogin,
    /// The service's version.
    version: String,
}

/// How the service is.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Health {
    /// `ok`.
    status: &'static str,
    /// The service's version.
    version: String,
}

pub(super) const ROUTES: &[Route] = &[
    Route {
        verb: Verb::Get,
        path: "/healthz",
        name: "healthz",
        summary: "The process lives.",
        access: Access::Open,
        params: &[],
        takes: Takes::Nothing,
        gives: Gives::Json(schema::<Health>),
        handler: |call| Box::pin(async move { health(&call) }),
    },
    Route {
        verb: Verb::Get,
        path: "/readyz",
        name: "readyz",
        summary: "The service can work: its store answers, and it is not stopping.",
        access: Access::Open,
        params: &[],
        takes: Takes::Nothing,
        gives: Gives::Json(schema::<Health>),
        handler: |call| Box::pin(ready(call)),
    },
    Route {
        verb: Verb::Get,
        path: "/openapi.json",
        name: "openapi",
        summary: "This description.",
        access: Access::Open,
        params: &[],
        takes: Takes::Nothing,
        gives: Gives::Json(schema::<serde_json::Value>),
        handler: |call| {
            Box::pin(async move { Reply::json(&openapi::document(&call.services.version)) })
        },
    },
    Route {
        verb: Verb::Get,
        path: "/brain/{tenant}/whoami",
        name: "whoami",
        summary: "Who the token speaks for.",
        access: Access::Tenant,
        params: &[],
        takes: Takes::Nothing,
        gives: Gives::Json(schema::<Whoami>),
        handler: |call| Box::pin(async move { whoami(&call) }),
    },
];

fn health(call: &Call) -> Result<Reply> {
    Reply::json(&Health { status: "ok", version: call.services.version.clone() })
}

async fn ready(call: Call) -> Result<Reply> {
    let unready = |message: &'static str| {
        Err(ApiError::new(ErrorCode::Unavailable, message).retry_after(RETRY_AFTER_MS))
    };
    if call.services.tasks.stopping().is_cancelled() {
        return unready("the service is stopping");
    }
    // Any read shows that the store answers; this one finds nothing.
    let nobody = TokenDigest([0; 32]);
    let ctx = call.ctx.within(PROBE_TIME_MAX);
    match ctx.bound(call.services.tenants.identify(&nobody)).await {
        Ok(Ok(_)) => health(&call),
        Ok(Err(error)) => {
            tracing::warn!(%error, "not ready: the store failed");
            unready("the store failed")
        }
        Err(_) => unready("the store does not answer"),
    }
}

fn whoami(call: &Call) -> Result<Reply> {
    let user = call.ctx.actor.user().cloned();
    let user = user.ok_or_else(|| ApiError::internal("a token spoke for no person"))?;
    Reply::json(&Whoami {
        tenant_id: call.ctx.tenant.clone(),
        user_id: user,
        version: call.services.version.clone(),
    })
}
