//! The WebSocket: `/brain/{tenant}/ws`.
//!
//! A connection is one task with little state: it holds cursors, not queues. What is durable is
//! read from the logs of the session's lanes when the client can take it; what may be lost is
//! passed on at once or not at all. The bus only says that there is something to read.

mod connection;
mod cursor;
mod events;
mod follow;
mod frame;
mod outbound;
mod requests;
pub mod schema;

use std::sync::Arc;

use api_types::error::ErrorCode;
use api_types::frames::{FRAME_BYTES_MAX, headers};
use api_types::ids::Profile;
use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{Path, RawQuery};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub use connection::FAULTS_MAX;
pub use outbound::{OUTBOUND_BYTES_MAX, WRITE_TIME_MAX};

use super::error::{ApiError, RETRY_AFTER_MS, Result};
use super::{Services, auth, rest};
use crate::tenants::Identity;
use connection::Connection;

/// Most open sockets of a node.
pub const SOCKETS_MAX: usize = 20_000;
/// Longest value of a header that names the client, in bytes.
pub const CLIENT_HEADER_BYTES_MAX: usize = 256;
/// Path of the endpoint.
pub const PATH: &str = "/brain/{tenant}/ws";
/// Each connection's read and write buffer, in bytes. The defaults cost 134 KiB per idle connection.
const BUFFER_BYTES: usize = 4 * 1024;

type Upgrade = std::result::Result<WebSocketUpgrade, WebSocketUpgradeRejection>;

/// The router of the endpoint.
pub fn router(services: &Arc<Services>) -> Router {
    let services = Arc::clone(services);
    let room = Arc::new(Semaphore::new(SOCKETS_MAX));
    let endpoint =
        move |Path(tenant): Path<String>, RawQuery(query): RawQuery, headers, upgrade| {
            let (services, room) = (Arc::clone(&services), Arc::clone(&room));
            async move { answer(services, room, &tenant, query, headers, upgrade).await }
        };
    Router::new().route(PATH, get(endpoint))
}

async fn answer(
    services: Arc<Services>,
    room: Arc<Semaphore>,
    tenant: &str,
    query: Option<String>,
    headers: HeaderMap,
    upgrade: Upgrade,
) -> Response {
    let accepted = accept(&services, tenant, query.as_deref(), &headers, upgrade).await;
    let accepted = accepted.and_then(|accepted| Ok((accepted, seat(&services, room)?)));
    match accepted {
        Ok(((upgrade, who, profile), seat)) => {
            let upgrade = upgrade
                .read_buffer_size(BUFFER_BYTES)
                .write_buffer_size(BUFFER_BYTES)
                .max_message_size(FRAME_BYTES_MAX)
                .max_frame_size(FRAME_BYTES_MAX);
            let tasks = services.tasks.clone();
            upgrade.on_upgrade(move |socket| {
                let connection = Connection::new(services, who, profile);
                tasks.track(async move {
                    connection.run(socket).await;
                    drop(seat);
                })
            })
        }
        Err(error) => rest::error_response(error, &services.request_id()),
    }
}

/// What is checked before the protocol changes, so that a refusal is an HTTP status.
async fn accept(
    services: &Services,
    tenant: &str,
    query: Option<&str>,
    headers: &HeaderMap,
    upgrade: Upgrade,
) -> Result<(WebSocketUpgrade, Identity, Profile)> {
    let who = auth::identify(&*services.authenticator, headers, tenant).await?;
    if query.is_some_and(|query| !query.is_empty()) {
        return Err(ApiError::invalid(
            "this path knows no query parameters; credentials and \
            client names are headers",
        )
        .because("invalid_parameter"));
    }
    if client_header(headers, headers::CLIENT_VERSION)?.is_none() {
        let message = format!("the header `{}` is missing", headers::CLIENT_VERSION);
        return Err(ApiError::invalid(message).because("missing_client_version"));
    }
    client_header(headers, headers::CLIENT_NAME)?;
    let profile = client_header(headers, headers::PROFILE)?.unwrap_or("web");
    let profile: Profile = profile.parse().map_err(|error| {
        ApiError::invalid(format!("the header `{}`: {error}", headers::PROFILE))
            .because("invalid_profile")
    })?;
    let upgrade = upgrade.map_err(|rejection| {
        ApiError::invalid(format!("this path speaks WebSocket: {rejection}"))
            .because("not_a_websocket")
    })?;
    Ok((upgrade, who, profile))
}

/// Room for one more connection.
fn seat(services: &Services, room: Arc<Semaphore>) -> Result<OwnedSemaphorePermit> {
    let seat = room.try_acquire_owned().ok();
    seat.filter(|_| !services.tasks.stopping().is_cancelled()).ok_or_else(|| {
        let message = "this node takes no more connections now";
        ApiError::new(ErrorCode::Unavailable, message).retry_after(RETRY_AFTER_MS)
    })
}

fn client_header<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    let text = value.to_str().ok().map(str::trim);
    match text {
        Some(text) if !text.is_empty() && text.len() <= CLIENT_HEADER_BYTES_MAX => Ok(Some(text)),
        _ => Err(ApiError::invalid(format!(
            "the header `{name}` must be a text of 1 to {CLIENT_HEADER_BYTES_MAX} bytes"
        ))
        .because("invalid_header")),
    }
}
