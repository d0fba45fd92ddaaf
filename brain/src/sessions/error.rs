//! Why a request to a session failed.

use api_types::error::ErrorCode;
use api_types::ids::{ProcessName, ProjectId, RecipeName, SessionId};

use crate::{lanes, port, recipes};

/// Why a request to a session failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such session of this user.
    #[error("session {0} not found: `foot sessions` lists yours")]
    NotFound(SessionId),
    /// The session has no such process.
    #[error("session {session} has no process {name:?}")]
    NoProcess {
        /// The session.
        session: SessionId,
        /// The name.
        name: ProcessName,
    },
    /// The user can't work in this project.
    #[error("project {0} not found")]
    NoProject(ProjectId),
    /// Another connection holds the session.
    #[error("session {0} is open in another client; send `takeover` to take it over")]
    BoundElsewhere(SessionId),
    /// The session has ended.
    #[error("session {0} is closed; start a new one")]
    Closed(SessionId),
    /// The request is malformed.
    #[error("{0}")]
    Invalid(String),
    /// The recipe names an engine that this version lacks.
    #[error("recipe {recipe} names the engine {engine:?}; this version has: {known}")]
    NoEngine {
        /// The recipe.
        recipe: RecipeName,
        /// What it names.
        engine: String,
        /// What there is.
        known: String,
    },
    /// The chat's recipe can't be used.
    #[error(transparent)]
    Recipe(#[from] recipes::Error),
    /// A lane refused.
    #[error(transparent)]
    Lane(#[from] lanes::Error),
    /// The store refused.
    #[error(transparent)]
    Store(#[from] port::Error),
}

impl Error {
    /// Its place among the error codes.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound(_) | Self::NoProcess { .. } | Self::NoProject(_) => ErrorCode::NotFound,
            Self::BoundElsewhere(_) | Self::Closed(_) => ErrorCode::Conflict,
            Self::Invalid(_) | Self::NoEngine { .. } => ErrorCode::InvalidArgument,
            Self::Recipe(error) => error.code(),
            Self::Lane(error) => error.code(),
            Self::Store(error) => error.code(),
        }
    }

    /// The stable reason, for machines.
    #[must_use]
    pub fn reason(&self) -> Option<&'static str> {
        match self {
            Self::NotFound(_) => Some("unknown_session"),
            Self::NoProcess { .. } => Some("unknown_process"),
            Self::NoProject(_) => Some("unknown_project"),
            Self::BoundElsewhere(_) => Some("session_bound_elsewhere"),
            Self::Closed(_) => Some("session_closed"),
            Self::NoEngine { .. } => Some("unknown_engine"),
            _ => None,
        }
    }
}
