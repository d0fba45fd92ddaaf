//! Successful answers. What they are decides the status; handlers don't.

use api_types::ids::Revision;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde::Serialize;

use crate::api::error::{ApiError, Result};

/// A successful answer.
#[derive(Debug)]
pub enum Reply {
    /// JSON, already written.
    Json(Vec<u8>),
    /// Bytes of a document.
    Content {
        /// The bytes.
        body: Bytes,
        /// Their type.
        mime: String,
        /// The revision that they are at.
        revision: Revision,
    },
    /// What the caller has is still right.
    NotModified(Revision),
    /// Done, nothing to say.
    Nothing,
}

impl Reply {
    /// This value as JSON.
    ///
    /// # Errors
    /// `Internal` for a value that has no JSON form.
    pub fn json<T: Serialize>(value: &T) -> Result<Self> {
        serde_json::to_vec(value).map(Self::Json).map_err(ApiError::internal)
    }
}

/// A revision as an entity tag.
#[must_use]
pub(super) fn etag(revision: Revision) -> String {
    format!("\"{revision}\"")
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        match self {
            Self::Json(body) => {
                ([(header::CONTENT_TYPE, "application/json")], body).into_response()
            }
            Self::Content { body, mime, revision } => content(body, &mime, revision),
            Self::NotModified(revision) => {
                (StatusCode::NOT_MODIFIED, [(header::ETAG, etag(revision))]).into_response()
            }
            Self::Nothing => StatusCode::NO_CONTENT.into_response(),
        }
    }
}

/// A stored body is foreign text: a browser that is led to it must neither guess a type nor run it.
fn content(body: Bytes, mime: &str, revision: Revision) -> Response {
    let mime = HeaderValue::from_str(mime)
        .unwrap_or_else(|_| HeaderValue::from_static("application/octet-stream"));
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, mime);
    if let Ok(tag) = HeaderValue::from_str(&etag(revision)) {
        headers.insert(header::ETAG, tag);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("sandbox; default-src 'none'"),
    );
    response
}
