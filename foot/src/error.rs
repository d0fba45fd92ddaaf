//! What a command can end with instead of an answer.

use crate::exit::Exit;
use crate::{client, config, output};

/// A command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Settings can't be found or read.
    #[error(transparent)]
    Config(#[from] config::Error),
    /// The brain can't be reached, or refused.
    #[error(transparent)]
    Client(#[from] client::Error),
    /// Standard output can't be written.
    #[error(transparent)]
    Output(#[from] output::Error),
    /// A file of this machine can't be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// Anything else that a command found, with the exit code that it means.
    #[error("{message}")]
    Command {
        /// What happened, where, and what to do.
        message: String,
        /// How the program ends.
        exit: Exit,
    },
}

/// Result of a command.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The work failed.
    #[must_use]
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::Command { message: message.into(), exit: Exit::Failed }
    }

    /// The command line is wrong.
    #[must_use]
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Command { message: message.into(), exit: Exit::Usage }
    }

    /// A file can't be read or written.
    #[must_use]
    pub(crate) fn file(path: &std::path::Path, source: std::io::Error) -> Self {
        Self::File { path: path.display().to_string(), source }
    }

    /// How the program ends.
    #[must_use]
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Config(error) => error.exit(),
            Self::Client(error) => error.exit(),
            Self::Output(_) | Self::File { .. } => Exit::Failed,
            Self::Command { exit, .. } => *exit,
        }
    }
}
