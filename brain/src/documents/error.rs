//! Why an operation on documents failed.

use api_types::error::ErrorCode;
use api_types::ids::{DocumentId, DocumentPath, InvalidDocumentPath, ProjectId};

use super::model::{CHANGES_MAX, DOCUMENT_BYTES_MAX, TRASH};
use crate::port;

/// Why an operation on documents failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No such document, or none that the caller may know of.
    #[error("{what} not found")]
    NotFound {
        /// What was looked for.
        what: String,
    },
    /// No such project, or none that the caller may know of.
    #[error("project {0} not found")]
    NoProject(ProjectId),
    /// A text is no path.
    #[error(transparent)]
    Path(#[from] InvalidDocumentPath),
    /// A body is too large.
    #[error("document {path} has {bytes} bytes; at most {DOCUMENT_BYTES_MAX} are allowed")]
    TooLarge {
        /// Where it should go.
        path: DocumentPath,
        /// Its size.
        bytes: usize,
    },
    /// A change set is empty or too long.
    #[error("the change set has {0} changes; there must be 1 to {CHANGES_MAX}")]
    ChangeCount(usize),
    /// The trash is filled by deleting and emptied by restoring or deleting.
    #[error(
        "nothing can be written to {0}: below {TRASH} documents can be restored or deleted only"
    )]
    Trash(DocumentPath),
    /// There is nothing to restore.
    #[error(
        "document {0} is not in the trash; name the revision whose body you want back (`history` lists them)"
    )]
    NotTrashed(DocumentId),
    /// It is unknown where to restore to.
    #[error("where document {0} lay before the trash is not known; name a path")]
    NoPlace(DocumentId),
    /// The store refused.
    #[error(transparent)]
    Store(port::Error),
}

impl Error {
    /// Its place among the error codes.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound { .. } | Self::NoProject(_) => ErrorCode::NotFound,
            Self::Path(_)
            | Self::TooLarge { .. }
            | Self::ChangeCount(_)
            | Self::Trash(_)
            | Self::NotTrashed(_)
            | Self::NoPlace(_) => ErrorCode::InvalidArgument,
            Self::Store(error) => error.code(),
        }
    }

    /// The stable reason, for machines.
    #[must_use]
    pub fn reason(&self) -> Option<&'static str> {
        match self {
            Self::Path(_) => Some("invalid_path"),
            Self::TooLarge { .. } => Some("document_too_large"),
            Self::ChangeCount(_) => Some("changes_count"),
            Self::Trash(_) => Some("trash_is_not_writable"),
            Self::NotTrashed(_) => Some("not_in_trash"),
            Self::NoPlace(_) => Some("no_place_to_restore"),
            Self::NotFound { .. } | Self::NoProject(_) | Self::Store(_) => None,
        }
    }
}

impl From<port::Error> for Error {
    fn from(error: port::Error) -> Self {
        match error {
            port::Error::NotFound { what } => Self::NotFound { what },
            error => Self::Store(error),
        }
    }
}
