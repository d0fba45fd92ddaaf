//! What a failed request says: one message for the caller, one for the log.

use std::borrow::Cow;
use std::error::Error as StdError;

use api_types::error::{ErrorBody, ErrorCode};
use axum::http::StatusCode;

use super::status::{self, Refinement};
use crate::ctx::Stopped;
use crate::{documents, lanes, port, recipes, sessions, skills};

/// Milliseconds that a client is asked to wait when a part is down.
pub const RETRY_AFTER_MS: u64 = 1_000;

/// Names a request in the answers and in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(String);

impl RequestId {
    /// The id made of these bits.
    #[must_use]
    pub fn from_bits(bits: u128) -> Self {
        Self(format!("req_{bits:032x}"))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A request failed.
#[derive(Debug)]
pub struct ApiError {
    code: ErrorCode,
    refinement: Refinement,
    message: Cow<'static, str>,
    reason: Option<Cow<'static, str>>,
    current_revision: Option<u64>,
    retry_after_ms: Option<u64>,
    cause: Option<Box<dyn StdError + Send + Sync>>,
}

/// Result of an endpoint.
pub type Result<T> = std::result::Result<T, ApiError>;

impl ApiError {
    /// An error of this kind; the message is for the caller.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            refinement: Refinement::None,
            message: message.into(),
            reason: None,
            current_revision: None,
            retry_after_ms: None,
            cause: None,
        }
    }

    /// The request itself is wrong.
    #[must_use]
    pub fn invalid(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::InvalidArgument, message)
    }

    /// No such thing, or none that the caller may know of.
    #[must_use]
    pub fn not_found(what: impl std::fmt::Display) -> Self {
        Self::new(ErrorCode::NotFound, format!("{what} not found"))
    }

    /// A fault of the service; the cause is for the log only.
    #[must_use]
    pub fn internal(cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let mut error = Self::new(ErrorCode::Internal, "internal error");
        error.cause = Some(cause.into());
        error
    }

    /// The same with a machine-readable reason.
    #[must_use]
    pub fn because(mut self, reason: impl Into<Cow<'static, str>>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// The same with a finer HTTP status.
    #[must_use]
    pub fn refined(mut self, refinement: Refinement) -> Self {
        self.refinement = refinement;
        self
    }

    /// The same with the thing's present revision.
    #[must_use]
    pub fn at_revision(mut self, revision: u64) -> Self {
        self.current_revision = Some(revision);
        self
    }

    /// The same with a time to wait before a retry.
    #[must_use]
    pub fn retry_after(mut self, ms: u64) -> Self {
        self.retry_after_ms = Some(ms);
        self
    }

    /// Its place among the error codes.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// Its reason.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// Its HTTP status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        status::http(self.code, self.refinement)
    }

    /// Whole seconds to wait before a retry, rounded up, for the header `Retry-After`.
    #[must_use]
    pub fn retry_after_seconds(&self) -> Option<u64> {
        self.retry_after_ms.map(|ms| ms.div_ceil(1_000).max(1))
    }

    /// What the caller reads. An internal error is logged here, once, with its cause.
    #[must_use]
    pub fn into_body(self, request: &RequestId) -> ErrorBody {
        let error_code = self.status().as_u16();
        let message = if self.code == ErrorCode::Internal {
            let cause = self.cause.as_deref().map(chain).unwrap_or_default();
            tracing::error!(request.id = request.as_str(), cause, "request failed");
            "internal error; the service's log tells more under the request id".into()
        } else {
            self.message.into_owned()
        };
        ErrorBody {
            code: self.code,
            error_code,
            error_message: message,
            reason: self.reason.map(Cow::into_owned),
            request_id: Some(request.as_str().to_owned()),
            current_revision: self.current_revision,
            retry_after_ms: self.retry_after_ms,
        }
    }
}

/// An error and its sources in one line.
fn chain(error: &(dyn StdError + Send + Sync + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        text.push_str(": ");
        text.push_str(&source.to_string());
        next = source.source();
    }
    text
}

impl From<port::Error> for ApiError {
    fn from(error: port::Error) -> Self {
        let code = error.code();
        let message = error.to_string();
        let api = Self::new(code, message);
        match error {
            port::Error::Conflict { current, .. } => api.at_revision(current.0),
            port::Error::Limit { limit, .. } => api.because(limit),
            port::Error::Unknown | port::Error::Unavailable { .. } => {
                api.retry_after(RETRY_AFTER_MS)
            }
            port::Error::Internal(cause) => Self::internal(cause),
            port::Error::NotFound { .. }
            | port::Error::AlreadyExists { .. }
            | port::Error::Fenced { .. } => api,
        }
    }
}

/// What all features' errors have: a code, a reason for machines, words for people.
fn worded(code: ErrorCode, reason: Option<&'static str>, error: &dyn StdError) -> ApiError {
    let api = ApiError::new(code, error.to_string());
    match reason {
        Some(reason) => api.because(reason),
        None => api,
    }
}

impl From<documents::Error> for ApiError {
    fn from(error: documents::Error) -> Self {
        match error {
            documents::Error::Store(error) => error.into(),
            documents::Error::NotFound { .. } => {
                worded(error.code(), Some("unknown_document"), &error)
            }
            documents::Error::NoProject(_) => worded(error.code(), Some("unknown_project"), &error),
            error => worded(error.code(), error.reason(), &error),
        }
    }
}

impl From<lanes::Error> for ApiError {
    fn from(error: lanes::Error) -> Self {
        match error {
            lanes::Error::Store(error) => error.into(),
        }
    }
}

impl From<recipes::Error> for ApiError {
    fn from(error: recipes::Error) -> Self {
        match error {
            recipes::Error::Store(error) => error.into(),
            recipes::Error::Stopped(stopped) => stopped.into(),
            error => worded(error.code(), Some(error.reason()), &error),
        }
    }
}

impl From<sessions::Error> for ApiError {
    fn from(error: sessions::Error) -> Self {
        match error {
            sessions::Error::Store(error) => error.into(),
            sessions::Error::Lane(error) => error.into(),
            sessions::Error::Recipe(error) => error.into(),
            error => worded(error.code(), error.reason(), &error),
        }
    }
}

impl From<skills::Error> for ApiError {
    fn from(error: skills::Error) -> Self {
        match error {
            skills::Error::Store(error) => error.into(),
            skills::Error::Stopped(stopped) => stopped.into(),
            error => worded(error.code(), Some(error.reason()), &error),
        }
    }
}

impl From<Stopped> for ApiError {
    fn from(stopped: Stopped) -> Self {
        Self::new(stopped.code(), stopped.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use api_types::ids::Revision;

    #[test]
    fn an_internal_error_tells_callers_nothing_of_its_cause() {
        let secret = std::io::Error::other("disk /dev/sda1 at /srv/tenants/acme");
        let body = ApiError::internal(secret).into_body(&RequestId::from_bits(7));
        let text = serde_json::to_string(&body).unwrap();
        assert!(!text.contains("sda1"), "{text}");
        assert!(text.contains("req_00000000000000000000000000000007"), "{text}");
    }

    #[test]
    fn a_conflict_names_the_present_revision() {
        let error = port::Error::Conflict { what: "a.md".into(), current: Revision(9) };
        let body = ApiError::from(error).into_body(&RequestId::from_bits(1));
        assert_eq!((body.current_revision, body.error_code), (Some(9), 409));
        assert_eq!(body.error_message, "a.md has changed: its revision is 9");
    }
}
