//! The brain as foot sees it: a WebSocket for sessions, REST for documents and listings.

mod answer;
mod backoff;
mod connect;
mod incoming;
mod keys;
mod link;
mod rest;
mod tls;

use std::time::Duration;

use api_types::error::{ErrorBody, ErrorCode};

pub(crate) use self::answer::{Answer, Rest};
pub(crate) use self::incoming::{Body, Incoming};
pub(crate) use self::keys::idempotency_key;
pub(crate) use self::link::{Link, Next};
pub(crate) use self::rest::{Api, VERSIONS_MAX};
use crate::config::BrainUrl;
use crate::exit::Exit;

/// The brain can't be reached, or refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// There is no connection.
    #[error("cannot reach the brain at {url}: {problem}; is it running? (`brain serve`)")]
    Unreachable {
        /// Where.
        url: BrainUrl,
        /// Why.
        problem: String,
    },
    /// The connection was lost and did not come back.
    #[error("lost the brain at {url}, and could not reach it again for {} s: {problem}", .after.as_secs())]
    Lost {
        /// Where.
        url: BrainUrl,
        /// How long it was tried.
        after: Duration,
        /// Why the last try failed.
        problem: String,
    },
    /// The brain said no.
    #[error("{}", refusal(.0))]
    Refused(Box<ErrorBody>),
    /// What the brain said is not understood.
    #[error("the brain at {url} does not speak as expected: {problem}")]
    Protocol {
        /// Where.
        url: BrainUrl,
        /// What is wrong.
        problem: String,
    },
}

fn refusal(body: &ErrorBody) -> String {
    let mut text = body.error_message.clone();
    if body.code == ErrorCode::Internal {
        let request = body.request_id.as_deref().unwrap_or("unknown");
        text.push_str(&format!(" (request {request} in the brain's log)"));
    }
    text
}

impl Error {
    /// How the program ends.
    #[must_use]
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Unreachable { .. } | Self::Lost { .. } => Exit::Unreachable,
            Self::Protocol { .. } => Exit::Failed,
            Self::Refused(body) => match body.code {
                ErrorCode::Unauthenticated | ErrorCode::Forbidden => Exit::Denied,
                ErrorCode::Unavailable => Exit::Unreachable,
                _ => Exit::Failed,
            },
        }
    }

    /// What the brain said, if it said anything.
    #[must_use]
    pub(crate) fn body(&self) -> Option<&ErrorBody> {
        match self {
            Self::Refused(body) => Some(body),
            _ => None,
        }
    }

    /// Whether trying again may help.
    fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Lost { .. } | Self::Protocol { .. } => false,
            Self::Refused(body) => matches!(
                body.code,
                ErrorCode::Unavailable
                    | ErrorCode::TooManyRequests
                    | ErrorCode::Timeout
                    | ErrorCode::Internal
            ),
        }
    }
}

/// A refusal of which only the HTTP status is known.
fn refused_by_status(status: u16, message: String) -> Error {
    let code = match status {
        400 | 405 | 413 | 415 | 422 | 426 => ErrorCode::InvalidArgument,
        401 => ErrorCode::Unauthenticated,
        403 => ErrorCode::Forbidden,
        404 => ErrorCode::NotFound,
        408 | 504 => ErrorCode::Timeout,
        409 | 412 => ErrorCode::Conflict,
        429 => ErrorCode::TooManyRequests,
        502 | 503 => ErrorCode::Unavailable,
        _ => ErrorCode::Internal,
    };
    Error::Refused(Box::new(ErrorBody {
        code,
        error_code: status,
        error_message: message,
        reason: None,
        request_id: None,
        current_revision: None,
        retry_after_ms: None,
    }))
}
