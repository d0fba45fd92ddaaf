//! From a table of routes to a router: what every request goes through before its handler.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use api_types::error::ErrorCode;
use axum::Router;
use axum::body::Body;
use axum::extract::{FromRequestParts, Query, RawPathParams, Request};
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter, on};
use bytes::{Bytes, BytesMut};
use futures::{FutureExt, StreamExt};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::call::Call;
use super::reply::Reply;
use super::route::{Access, Route, Verb};
use crate::api::error::{ApiError, RequestId, Result};
use crate::api::status::Refinement;
use crate::api::{Services, auth};
use crate::ctx::{Actor, OPERATION_TIME_MAX, OpCtx};

/// Longest query, in bytes.
pub const QUERY_BYTES_MAX: usize = 8 * 1024;

/// Header of a caller's own, shorter deadline, in milliseconds.
const TIMEOUT_HEADER: &str = "x-vance-timeout-ms";
/// Header of every answer: the request's name in the log.
const REQUEST_ID_HEADER: &str = "x-request-id";

/// The router of all routes in the table.
pub fn router(services: &Arc<Services>) -> Router {
    let mut router = Router::new();
    let mut paths: Vec<&'static str> = super::routes().map(|route| route.path).collect();
    paths.sort_unstable();
    paths.dedup();
    for path in paths {
        router = router.route(path, methods(services, path));
    }
    let fallback = Arc::clone(services);
    router.fallback(move |uri: Uri| {
        let error =
            ApiError::not_found(format_args!("path {}", cut(uri.path()))).because("unknown_path");
        let response = failure(&fallback, error);
        async move { response }
    })
}

/// All methods of one path; the others are refused in our own words.
fn methods(services: &Arc<Services>, path: &'static str) -> MethodRouter {
    let mut methods = MethodRouter::new();
    let mut allowed = Vec::new();
    for route in super::routes().filter(|route| route.path == path) {
        let services = Arc::clone(services);
        allowed.push(route.verb.as_str());
        methods = methods.merge(on(filter(route.verb), move |request: Request| {
            serve(Arc::clone(&services), route, request)
        }));
    }
    let services = Arc::clone(services);
    let allowed = allowed.join(", ");
    methods.fallback(move |request: Request| {
        let message = format!("{} is not possible here; {allowed} is", request.method());
        let error = ApiError::invalid(message).refined(Refinement::Method);
        let mut response = failure(&services, error.because("method_not_allowed"));
        if let Ok(allowed) = HeaderValue::from_str(&allowed) {
            response.headers_mut().insert(header::ALLOW, allowed);
        }
        async move { response }
    })
}

fn filter(verb: Verb) -> MethodFilter {
    match verb {
        Verb::Get => MethodFilter::GET,
        Verb::Put => MethodFilter::PUT,
        Verb::Post => MethodFilter::POST,
        Verb::Delete => MethodFilter::DELETE,
    }
}

/// Serves one request: names it, answers it, and turns a failure into its body.
async fn serve(services: Arc<Services>, route: &'static Route, request: Request) -> Response {
    let id = services.request_id();
    let span = tracing::info_span!(
        "request",
        request.id = id.as_str(),
        http.method = route.verb.as_str(),
        http.route = route.path,
    );
    let answer = AssertUnwindSafe(answer(services, route, request)).catch_unwind();
    let outcome = answer.instrument(span.clone()).await;
    let outcome = outcome.unwrap_or_else(|_| Err(ApiError::internal("the handler panicked")));
    let _entered = span.entered();
    let mut response =
        outcome.map_or_else(|error| error_response(error, &id), IntoResponse::into_response);
    name(&mut response, &id);
    response
}

async fn answer(services: Arc<Services>, route: &'static Route, request: Request) -> Result<Reply> {
    let (mut parts, body) = request.into_parts();
    let path = path_params(&mut parts).await?;
    let cancel = CancellationToken::new();
    // Dropped when the answer is done, or with the request when its client goes away.
    let gone = cancel.clone().drop_guard();
    let deadline = Instant::now() + timeout(&parts.headers)?;
    let ctx = match route.access {
        Access::Tenant => {
            let tenant = path.first().map_or("", |(_, value)| value.as_str());
            let who = auth::identify(&*services.authenticator, &parts.headers, tenant);
            let who =
                tokio::time::timeout_at(deadline, who).await.map_err(|_| timed_out(true))??;
            OpCtx { tenant: who.tenant, actor: Actor::User(who.user), deadline, cancel }
        }
        Access::Open => services.open_ctx(deadline, cancel),
    };
    let query = query(route, &parts.uri)?;
    let body =
        tokio::time::timeout_at(deadline, read(body, route.takes.bytes_max(), &parts.headers));
    let body = body.await.map_err(|_| timed_out(true))??;
    let call = Call { services, ctx, route, path, query, headers: parts.headers, body };
    run(call, gone).await
}

/// Reads end with their deadline or their client. A write goes on: whether it happened must not
/// depend on whether somebody still listens.
async fn run(call: Call, gone: tokio_util::sync::DropGuard) -> Result<Reply> {
    let (route, deadline) = (call.route, call.ctx.deadline);
    if route.verb.is_read() {
        let ctx = call.ctx.clone();
        return ctx.bound((route.handler)(call)).await?;
    }
    let cancel = gone.disarm();
    let tasks = call.services.tasks.clone();
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let work = AssertUnwindSafe((route.handler)(call)).catch_unwind();
    tasks.spawn("request", async move {
        let outcome = work.await;
        let outcome = outcome.unwrap_or_else(|_| Err(ApiError::internal("the handler panicked")));
        // Nobody listens any more when the client is gone: what was done stays done.
        drop(sender.send(outcome));
        drop(cancel);
    });
    match tokio::time::timeout_at(deadline, receiver).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_)) => Err(ApiError::new(ErrorCode::Unavailable, "the service is stopping")),
        Err(_) => Err(timed_out(false)),
    }
}

fn timed_out(nothing_done: bool) -> ApiError {
    let message = if nothing_done {
        "no answer before the deadline"
    } else {
        "no answer before the deadline; the write may have happened: read again before you repeat it"
    };
    ApiError::new(ErrorCode::Timeout, message)
}

fn timeout(headers: &HeaderMap) -> Result<Duration> {
    let Some(value) = headers.get(TIMEOUT_HEADER) else { return Ok(OPERATION_TIME_MAX) };
    let ms: Option<u64> = value.to_str().ok().and_then(|text| text.trim().parse().ok());
    match ms {
        Some(ms) if ms > 0 => Ok(Duration::from_millis(ms).min(OPERATION_TIME_MAX)),
        _ => Err(ApiError::invalid(
            "`X-Vance-Timeout-Ms` must be a number of milliseconds from 1 on",
        )
        .because("invalid_parameter")),
    }
}

async fn path_params(parts: &mut axum::http::request::Parts) -> Result<Vec<(String, String)>> {
    let params = RawPathParams::from_request_parts(parts, &()).await.map_err(|error| {
        ApiError::invalid(format!("the path can't be read: {error}")).because("invalid_parameter")
    })?;
    Ok(params.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect())
}

/// The query's parameters: known to the route, and each there once.
fn query(route: &Route, uri: &Uri) -> Result<Vec<(String, String)>> {
    let bad = |message: String| Err(ApiError::invalid(message).because("invalid_parameter"));
    if uri.query().map_or(0, str::len) > QUERY_BYTES_MAX {
        return bad(format!("the query is longer than {QUERY_BYTES_MAX} bytes"));
    }
    let pairs = match Query::<Vec<(String, String)>>::try_from_uri(uri) {
        Ok(Query(pairs)) => pairs,
        Err(error) => return bad(format!("the query can't be read: {error}")),
    };
    for (index, (key, _)) in pairs.iter().enumerate() {
        if !route.knows_query(key) {
            let known: Vec<&str> = route.query_names().collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return bad(format!("unknown query parameter `{}`; known are: {known}", cut(key)));
        }
        if pairs[..index].iter().any(|(earlier, _)| earlier == key) {
            return bad(format!("the query parameter `{key}` stands twice"));
        }
    }
    Ok(pairs)
}

/// Reads a body up to its limit. A longer one is refused unread where it says its length.
async fn read(body: Body, bytes_max: usize, headers: &HeaderMap) -> Result<Bytes> {
    if bytes_max == 0 {
        return Ok(Bytes::new());
    }
    let too_large = || {
        ApiError::invalid(format!("the body is longer than {bytes_max} bytes"))
            .refined(Refinement::BodyTooLarge)
            .because("body_too_large")
    };
    let told = headers.get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok());
    let told: usize = told.and_then(|text| text.parse().ok()).unwrap_or(0);
    if told > bytes_max {
        return Err(too_large());
    }
    let mut all = BytesMut::new();
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| {
            ApiError::invalid(format!("the body could not be read to its end: {error}"))
        })?;
        if all.len() + chunk.len() > bytes_max {
            return Err(too_large());
        }
        all.extend_from_slice(&chunk);
    }
    Ok(all.freeze())
}

/// A failure outside of any route.
fn failure(services: &Services, error: ApiError) -> Response {
    let id = services.request_id();
    let mut response = error_response(error, &id);
    name(&mut response, &id);
    response
}

/// A failed request's answer.
pub(in crate::api) fn error_response(error: ApiError, id: &RequestId) -> Response {
    let status = error.status();
    let retry_after = error.retry_after_seconds();
    let body = error.into_body(id);
    let mut response = (status, axum::Json(body)).into_response();
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

fn name(response: &mut Response, id: &RequestId) {
    if let Ok(value) = HeaderValue::from_str(id.as_str()) {
        response.headers_mut().insert(REQUEST_ID_HEADER, value);
    }
}

fn cut(text: &str) -> String {
    text.chars().take(120).collect()
}
