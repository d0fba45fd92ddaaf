//! Who asks, until when, and whether still: the first argument of every operation.

use std::time::Duration;

use api_types::error::ErrorCode;
use api_types::ids::{LaneId, TenantId, UserLogin};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Deadline of an operation whose caller named none.
pub const OPERATION_TIME_MAX: Duration = Duration::from_secs(30);

/// On whose behalf something is done.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Actor {
    /// A person.
    User(UserLogin),
    /// A process of the tenant.
    Process(LaneId),
    /// The service itself, for a part that it names: `skill`, `guard`, `hook`.
    Service(String),
}

impl Actor {
    /// The sender as messages name it: a login, `process:<id>`, or `_skill` and its like.
    #[must_use]
    pub fn sender(&self) -> String {
        match self {
            Self::User(login) => login.to_string(),
            Self::Process(lane) => format!("process:{lane}"),
            Self::Service(part) => format!("_{part}"),
        }
    }

    /// Whether a message from here is genuine user input: only that triggers skills and resets budgets.
    #[must_use]
    pub fn is_person(&self) -> bool {
        matches!(self, Self::User(_))
    }

    /// The login, where it is a person.
    #[must_use]
    pub fn user(&self) -> Option<&UserLogin> {
        match self {
            Self::User(login) => Some(login),
            _ => None,
        }
    }
}

/// Context of one operation. It carries no services.
#[derive(Clone, Debug)]
pub struct OpCtx {
    /// The tenant that everything below belongs to.
    pub tenant: TenantId,
    /// Who asks.
    pub actor: Actor,
    /// When the caller stops waiting.
    pub deadline: Instant,
    /// Fires when the caller takes the request back.
    pub cancel: CancellationToken,
}

/// Why a bounded wait ended without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// The caller took the request back.
    #[error("the request was taken back")]
    Cancelled,
    /// The deadline passed.
    #[error("no answer before the deadline")]
    Deadline,
}

impl Stopped {
    /// Its place among the error codes.
    #[must_use]
    pub fn code(self) -> ErrorCode {
        match self {
            Self::Cancelled => ErrorCode::Cancelled,
            Self::Deadline => ErrorCode::Timeout,
        }
    }
}

impl OpCtx {
    /// A context with the default deadline that nobody can cancel.
    #[must_use]
    pub fn new(tenant: TenantId, actor: Actor) -> Self {
        Self {
            tenant,
            actor,
            deadline: Instant::now() + OPERATION_TIME_MAX,
            cancel: CancellationToken::new(),
        }
    }

    /// The same with this much time from now, never more than it had.
    #[must_use]
    pub fn within(&self, time: Duration) -> Self {
        Self { deadline: self.deadline.min(Instant::now() + time), ..self.clone() }
    }

    /// Waits for `future`, but not past the deadline or a cancellation.
    ///
    /// Meant for reads and for calls that leave the process; a store's write that was already
    /// sent is never dropped this way, it is resolved by its id.
    ///
    /// # Errors
    /// [`Stopped`] when the wait ended first.
    pub async fn bound<F: Future>(&self, future: F) -> Result<F::Output, Stopped> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(Stopped::Cancelled),
            output = future => Ok(output),
            () = tokio::time::sleep_until(self.deadline) => Err(Stopped::Deadline),
        }
    }
}

/// Context of chores that belong to no tenant. Only `app` makes one.
#[derive(Clone, Debug)]
pub struct SystemCtx {
    _private: (),
}

impl SystemCtx {
    pub(crate) fn new() -> Self {
        Self { _private: () }
    }
}
