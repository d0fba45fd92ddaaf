//! What can go wrong with a model, said so that whoever runs the brain knows what to do.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use api_types::error::ErrorCode;

use super::request::ProviderName;
use crate::ctx::Stopped;

/// Longest text of a provider that is repeated in an error, in bytes.
pub const SAID_BYTES_MAX: usize = 400;

/// Where a model is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// By whom.
    pub provider: ProviderName,
    /// Host and port, never the rest of the address: that may hold a secret.
    pub host: Arc<str>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.provider, self.host)
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Nothing says where or with which key to reach the provider.
    #[error(
        "{provider} is not configured: set {variables}, or choose another model with BRAIN_MODEL"
    )]
    NotConfigured {
        /// The provider.
        provider: ProviderName,
        /// The variables that configure it.
        variables: &'static str,
    },
    /// A setting can't be used.
    #[error("{variable} can't be used: {problem}")]
    Misconfigured {
        /// Which setting.
        variable: &'static str,
        /// What is wrong with it; never its value if that is a secret.
        problem: String,
    },
    /// The provider does not accept the key.
    #[error("{at} answered {status} ({said}): check {variable}")]
    KeyRefused {
        /// Where.
        at: Place,
        /// HTTP status.
        status: u16,
        /// In the provider's words.
        said: String,
        /// The setting that holds the key.
        variable: &'static str,
    },
    /// The provider does not know the model, or the address is wrong.
    #[error("{at} answered 404 for the model «{model}» ({said}): check BRAIN_MODEL and {variable}")]
    UnknownModel {
        /// Where.
        at: Place,
        /// The model as it was asked for.
        model: String,
        /// In the provider's words.
        said: String,
        /// The setting that holds the address.
        variable: &'static str,
    },
    /// The conversation does not fit the model.
    #[error(
        "the conversation is too long for the model of {at} ({said}): compact it, or take a model with a larger context"
    )]
    TooLong {
        /// Where.
        at: Place,
        /// In the provider's words.
        said: String,
    },
    /// The provider does not accept the request.
    #[error("{at} refused the request with {status}: {said}")]
    Refused {
        /// Where.
        at: Place,
        /// HTTP status.
        status: u16,
        /// In the provider's words.
        said: String,
    },
    /// The provider has no capacity now; waiting in place would take too long.
    #[error("{at} is busy ({said}): retry in {} s", retry_after.as_secs_f64().ceil())]
    Busy {
        /// Where.
        at: Place,
        /// How long to wait.
        retry_after: Duration,
        /// In the provider's words.
        said: String,
    },
    /// No connection.
    #[error(
        "can't reach {at} after {attempts} attempts ({cause}): check that it runs and that {variable} is right"
    )]
    Unreachable {
        /// Where.
        at: Place,
        /// How often it was tried.
        attempts: u32,
        /// What the connection said.
        cause: String,
        /// The setting that holds the address.
        variable: &'static str,
    },
    /// The provider failed.
    #[error("{at} failed in {attempts} attempts, last with: {said}")]
    Failed {
        /// Where.
        at: Place,
        /// How often it was tried.
        attempts: u32,
        /// Status and words of the provider.
        said: String,
    },
    /// The answer broke off.
    #[error("the answer of {at} broke off in {attempts} attempts, last with: {cause}")]
    Cut {
        /// Where.
        at: Place,
        /// How often it was tried.
        attempts: u32,
        /// What the connection said.
        cause: String,
    },
    /// The provider went silent.
    #[error(
        "{at} sent nothing for {waited:?}, {attempts} attempts: it may be overloaded or still loading the model"
    )]
    Silent {
        /// Where.
        at: Place,
        /// How often it was tried.
        attempts: u32,
        /// How long it was silent.
        waited: Duration,
    },
    /// What came back is not the format.
    #[error("{at} does not answer in the format of {provider}: {problem}; check {variable}", provider = at.provider)]
    Nonsense {
        /// Where.
        at: Place,
        /// What is wrong.
        problem: String,
        /// The setting that holds the address.
        variable: &'static str,
    },
    /// The answer breaks a limit.
    #[error("{at}: {problem}")]
    TooMuch {
        /// Where.
        at: Place,
        /// Which limit.
        problem: String,
    },
    /// The caller took the call back.
    #[error("the model call was cancelled")]
    Cancelled,
    /// The caller's deadline passed.
    #[error("no answer of {provider} before the deadline{}", last.as_ref().map(|l| format!("; before: {l}")).unwrap_or_default())]
    Deadline {
        /// The provider.
        provider: ProviderName,
        /// What the attempt before the last one said.
        last: Option<String>,
    },
}

impl Error {
    /// Its place among the error codes. A key that a provider refuses is no fault of the caller: to them the model is
    /// unavailable.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::TooLong { .. } | Self::UnknownModel { .. } | Self::Refused { .. } => {
                ErrorCode::InvalidArgument
            }
            Self::Busy { .. } => ErrorCode::TooManyRequests,
            Self::Silent { .. } | Self::Deadline { .. } => ErrorCode::Timeout,
            Self::Cancelled => ErrorCode::Cancelled,
            Self::NotConfigured { .. }
            | Self::Misconfigured { .. }
            | Self::KeyRefused { .. }
            | Self::Unreachable { .. }
            | Self::Failed { .. }
            | Self::Cut { .. }
            | Self::Nonsense { .. }
            | Self::TooMuch { .. } => ErrorCode::Unavailable,
        }
    }

    /// The same request may succeed later, without anyone changing a thing.
    #[must_use]
    pub fn retryable(&self) -> bool {
        matches!(
            self,
            Self::Busy { .. }
                | Self::Unreachable { .. }
                | Self::Failed { .. }
                | Self::Cut { .. }
                | Self::Silent { .. }
        )
    }

    /// How long to wait before that, if the provider said so.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Busy { retry_after, .. } => Some(*retry_after),
            _ => None,
        }
    }

    /// Stable machine reason, finer than [`Error::code`].
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            Self::NotConfigured { .. } => "model_not_configured",
            Self::Misconfigured { .. } => "model_misconfigured",
            Self::KeyRefused { .. } => "model_key_refused",
            Self::UnknownModel { .. } => "model_unknown",
            Self::TooLong { .. } => "model_context_too_long",
            Self::Refused { .. } => "model_request_refused",
            Self::Busy { .. } => "model_busy",
            Self::Unreachable { .. } => "model_unreachable",
            Self::Failed { .. } => "model_failed",
            Self::Cut { .. } => "model_cut",
            Self::Silent { .. } => "model_silent",
            Self::Nonsense { .. } => "model_nonsense",
            Self::TooMuch { .. } => "model_answer_too_large",
            Self::Cancelled => "model_cancelled",
            Self::Deadline { .. } => "model_deadline",
        }
    }

    pub(crate) fn stopped(stopped: Stopped, provider: ProviderName, last: Option<String>) -> Self {
        match stopped {
            Stopped::Cancelled => Self::Cancelled,
            Stopped::Deadline => Self::Deadline { provider, last },
        }
    }

    pub(crate) fn count_attempts(mut self, made: u32) -> Self {
        if let Self::Unreachable { attempts, .. }
        | Self::Failed { attempts, .. }
        | Self::Cut { attempts, .. }
        | Self::Silent { attempts, .. } = &mut self
        {
            *attempts = made;
        }
        self
    }
}
