//! What the fake answers to, by path.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{ConnectInfo, DefaultBodyLimit, Query, State};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use super::frames::{anthropic, openai};
use super::incoming::Incoming;
use super::record::{Outcome, Recorded, Ticket};
use super::respond::Exchange;
use super::script::Script;
use super::{BODY_BYTES_MAX, Dialect, Fake};

/// Longest wait of `GET /_requests`, in milliseconds.
const WAIT_MS_MAX: u64 = 60_000;

pub(super) fn router(fake: Arc<Fake>) -> Router {
    Router::new()
        .route("/v1/messages", post(messages))
        .route("/v1/chat/completions", post(chat_completions))
        .route("/v1/models", get(models))
        .route("/_script", post(script))
        .route("/_requests", get(requests).delete(forget))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(fake)
}

type Peer = ConnectInfo<SocketAddr>;

async fn messages(
    state: State<Arc<Fake>>,
    peer: Peer,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    answer(state, peer, (Dialect::Anthropic, "/v1/messages"), &headers, body).await
}

async fn chat_completions(
    state: State<Arc<Fake>>,
    peer: Peer,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    answer(state, peer, (Dialect::OpenAi, "/v1/chat/completions"), &headers, body).await
}

async fn answer(
    State(fake): State<Arc<Fake>>,
    ConnectInfo(peer): Peer,
    (dialect, path): (Dialect, &str),
    headers: &HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let mut ticket = Ticket::default();
    if fake.record {
        ticket = fake.log.add(peer.port(), path, readable(headers), body.clone());
    }
    let skimmed = if fake.needs_whole_body() { None } else { Incoming::skim(&body) };
    let request = match skimmed.map_or_else(|| Incoming::parse(&body), Ok) {
        Ok(request) => request,
        Err(error) => {
            ticket.end(Outcome::Completed);
            return refuse(dialect, &error.to_string());
        }
    };
    let reply = fake.reply(&request, &body);
    let id = fake.number();
    let delay_ms = fake.delay_ms;
    Exchange { dialect, request: &request, reply: &reply, ticket, delay_ms, id }.respond().await
}

fn refuse(dialect: Dialect, why: &str) -> Response<Body> {
    let kind = "invalid_request_error";
    let body = match dialect {
        Dialect::Anthropic => anthropic::error(kind, why),
        Dialect::OpenAi => openai::error(kind, why),
    };
    (StatusCode::BAD_REQUEST, Json(body)).into_response()
}

fn readable(headers: &HeaderMap) -> BTreeMap<String, String> {
    let secret = |name: &str| matches!(name, "authorization" | "x-api-key");
    headers
        .iter()
        .map(|(name, value)| {
            let shown = if secret(name.as_str()) {
                "***".to_owned()
            } else {
                String::from_utf8_lossy(value.as_bytes()).into_owned()
            };
            (name.to_string(), shown)
        })
        .collect()
}

async fn models() -> Json<Value> {
    let model = json!({"id": "fake", "object": "model", "type": "model", "display_name": "Fake"});
    Json(json!({"object": "list", "data": [model], "has_more": false}))
}

async fn script(State(fake): State<Arc<Fake>>, body: Bytes) -> Response<Body> {
    match serde_json::from_slice::<Script>(&body) {
        Ok(script) => {
            fake.install(script);
            StatusCode::NO_CONTENT.into_response()
        }
        Err(error) => (StatusCode::BAD_REQUEST, format!("script: {error}\n")).into_response(),
    }
}

/// Which requests, and how long to wait for them.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Which {
    /// Only those whose last user message contains this.
    last_user: Option<String>,
    /// Wait until there are so many.
    min: usize,
    /// Count only those that ended.
    ended: bool,
    /// Longest wait; after it the answer holds what there is.
    wait_ms: u64,
}

impl Which {
    fn select<'a>(&self, all: &'a [Recorded]) -> Vec<&'a Recorded> {
        let wanted = |request: &&Recorded| {
            self.last_user.as_deref().is_none_or(|text| request.says(text))
                && !(self.ended && request.outcome == Outcome::Running)
        };
        all.iter().filter(wanted).collect()
    }
}

async fn requests(State(fake): State<Arc<Fake>>, Query(which): Query<Which>) -> Response<Body> {
    if !fake.record {
        let why = "requests are not recorded: the fake runs with --no-record\n";
        return (StatusCode::CONFLICT, why).into_response();
    }
    let patience = Duration::from_millis(which.wait_ms.min(WAIT_MS_MAX));
    fake.log.wait(patience, |all| which.select(all).len() >= which.min).await;
    Json(which.select(&fake.log.all())).into_response()
}

async fn forget(State(fake): State<Arc<Fake>>) -> StatusCode {
    fake.log.clear();
    StatusCode::NO_CONTENT
}
