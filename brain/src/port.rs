//! What all ports of stores share: how they fail, and pages.

use api_types::error::ErrorCode;
use api_types::ids::Revision;

/// Result of a store.
pub type Result<T> = std::result::Result<T, Error>;

/// What a caller of a store can act on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No such thing in this tenant.
    #[error("{what} not found")]
    NotFound {
        /// What was looked for, with its id.
        what: String,
    },
    /// The name or path is taken.
    #[error("{what} exists already")]
    AlreadyExists {
        /// What is in the way.
        what: String,
    },
    /// The thing is not in the state that the caller expected.
    #[error("{what} has changed: its revision is {current}")]
    Conflict {
        /// What has changed.
        what: String,
        /// Its present revision.
        current: Revision,
    },
    /// Someone else owns the lane: stop at once.
    #[error("the lane is owned at epoch {epoch}")]
    Fenced {
        /// The present epoch.
        epoch: u64,
    },
    /// A limit is reached.
    #[error("limit reached: {limit} is {max}")]
    Limit {
        /// The limit's name in the operator manual.
        limit: &'static str,
        /// Its value.
        max: u64,
    },
    /// The write may have happened. Read again by id; never guess.
    #[error("the store did not answer; the write may have happened")]
    Unknown,
    /// The store can't be reached or has no room; nothing was written.
    #[error("the store is unavailable: {reason}")]
    Unavailable {
        /// What the store said, safe to show: «database or disk is full».
        reason: String,
    },
    /// A fault. The cause is for the log.
    #[error("internal error of the store")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// Its place among the error codes.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound { .. } => ErrorCode::NotFound,
            Self::AlreadyExists { .. } => ErrorCode::AlreadyExists,
            Self::Conflict { .. } | Self::Fenced { .. } => ErrorCode::Conflict,
            Self::Limit { .. } => ErrorCode::TooManyRequests,
            Self::Unknown | Self::Unavailable { .. } => ErrorCode::Unavailable,
            Self::Internal(_) => ErrorCode::Internal,
        }
    }
}

/// Largest page that a store returns.
pub const PAGE_ROWS_MAX: u32 = 1_000;

/// Which part of a list is wanted.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Where the last page ended; opaque, from [`Slice::next`].
    pub after: Option<String>,
    /// At most so many rows; 0 and more than [`PAGE_ROWS_MAX`] mean [`PAGE_ROWS_MAX`].
    pub limit: u32,
}

impl Page {
    /// The first so many rows.
    #[must_use]
    pub fn first(limit: u32) -> Self {
        Self { after: None, limit }
    }

    /// The limit that holds.
    #[must_use]
    pub fn rows(&self) -> u32 {
        if self.limit == 0 { PAGE_ROWS_MAX } else { self.limit.min(PAGE_ROWS_MAX) }
    }
}

/// One page of a list.
#[derive(Clone, Debug)]
pub struct Slice<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// Where the next page begins; `None` on the last.
    pub next: Option<String>,
}
