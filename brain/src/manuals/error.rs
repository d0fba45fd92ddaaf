//! Why a manual can't be read.

use api_types::error::ErrorCode;

use crate::ctx::Stopped;
use crate::near::nearest;
use crate::{port, skills};

/// Why a manual can't be read, in words for the one who asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No folder and no active skill has it.
    #[error("there is no manual `{name}`{}; `manual_list` shows all", did_you_mean(.suggestion.as_ref()))]
    Unknown {
        /// What was asked for.
        name: String,
        /// A manual that is called much alike.
        suggestion: Option<String>,
    },
    /// The name contains `..`.
    #[error("`{name}` leads outside the manuals; ask by the bare name, as `manual_list` shows it")]
    LeadsOut {
        /// What was asked for.
        name: String,
    },
    /// The recipe's list of folders is wrong.
    #[error(
        "the recipe's `params.manualPaths` {problem}; it must be a list of folders such as `manuals/review`"
    )]
    Folders {
        /// What is wrong with it.
        problem: String,
    },
    /// The part asked for does not exist.
    #[error("the manual `{name}` has {lines} lines; line {line} is not among them")]
    Range {
        /// The manual.
        name: String,
        /// The line asked for.
        line: u32,
        /// Lines that it has.
        lines: usize,
    },
    /// A reference of an active skill can't be read.
    #[error("the reference `{title}` can't be read: {source}")]
    Reference {
        /// Its title.
        title: String,
        /// Why.
        source: skills::Error,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] port::Error),
    /// The caller stopped waiting.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl Error {
    pub(super) fn unknown<'c>(name: &str, known: impl Iterator<Item = &'c str>) -> Self {
        let suggestion = nearest(name, known).map(str::to_owned);
        Self::Unknown { name: name.to_owned(), suggestion }
    }

    /// Its place among the error codes.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Unknown { .. } => ErrorCode::NotFound,
            Self::LeadsOut { .. } | Self::Folders { .. } | Self::Range { .. } => {
                ErrorCode::InvalidArgument
            }
            Self::Reference { source, .. } => source.code(),
            Self::Store(error) => error.code(),
            Self::Stopped(stopped) => stopped.code(),
        }
    }
}

fn did_you_mean(suggestion: Option<&String>) -> String {
    suggestion.map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}
