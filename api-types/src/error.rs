//! The one small set of error codes, and the body that carries them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What kind of thing went wrong. Each transport maps it in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// The thing does not exist, or the caller may not know of it.
    NotFound,
    /// A thing of that name exists.
    AlreadyExists,
    /// The state is not what the caller expected; read again, then retry.
    Conflict,
    /// The request itself is wrong; sending it again changes nothing.
    InvalidArgument,
    /// No valid credential.
    Unauthenticated,
    /// The credential does not allow this.
    Forbidden,
    /// A limit is reached; retry later.
    TooManyRequests,
    /// No answer in time.
    Timeout,
    /// The caller took the request back.
    Cancelled,
    /// A part that is needed is down; retry.
    Unavailable,
    /// A fault of the service. The details are in its log.
    Internal,
}

/// Body of every failed REST request, and `data` of a WebSocket `error` frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ErrorBody {
    /// The kind of error.
    pub code: ErrorCode,
    /// HTTP status of the same error; WebSocket clients of the earlier protocol read it.
    pub error_code: u16,
    /// What happened, where, and what to do.
    pub error_message: String,
    /// Stable, machine-readable reason, finer than `code`: `session_bound_elsewhere`, `unknown_skill`, ….
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Names the request in the service's log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The thing's present revision, on `Conflict`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(type = "number | null"))]
    pub current_revision: Option<u64>,
    /// Milliseconds to wait before a retry, on `TooManyRequests` and `Unavailable`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(type = "number | null"))]
    pub retry_after_ms: Option<u64>,
}
