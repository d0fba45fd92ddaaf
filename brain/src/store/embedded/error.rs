//! What SQLite's errors mean to a caller.

use rusqlite::ErrorCode;

use crate::port::Error;

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        match remedy(error.sqlite_error_code()) {
            Some(remedy) => Self::Unavailable { reason: format!("{error}; {remedy}") },
            None => Self::Internal(error.into()),
        }
    }
}

/// What an operator can do about it; `None` for faults of ours.
fn remedy(code: Option<ErrorCode>) -> Option<&'static str> {
    Some(match code? {
        ErrorCode::DiskFull => {
            "free some space on the disk of the data folder; nothing was written"
        }
        ErrorCode::SystemIoFailure => "check the disk of the data folder",
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => "make the data folder writable",
        ErrorCode::CannotOpen => "check that the data folder exists and can be read and written",
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
            "another program holds the database file; close it"
        }
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
            "the database file is damaged; restore the data folder from a backup"
        }
        ErrorCode::OutOfMemory => "the machine is out of memory",
        _ => return None,
    })
}

/// Whether a commit that failed with this may still turn out to have happened: the log was
/// written, but not provably flushed.
pub(super) fn in_doubt(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::SystemIoFailure)
}
