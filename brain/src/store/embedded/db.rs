//! Opens the database file, one connection for each use.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::port::{Error, Result};

/// The database inside the data folder.
pub(super) const FILE: &str = "brain.db";
/// The file that a process locks as long as it uses the folder.
const LOCK_FILE: &str = "brain.lock";
/// Prepared statements that a connection keeps.
const STATEMENTS_MAX: usize = 256;
/// The write-ahead log is cut back to this when it starts over.
const WAL_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Only a checkpoint and a writer can meet; they wait for each other at most so long.
const BUSY_TIME_MAX: Duration = Duration::from_secs(5);

/// The right to use a data folder; ends with the value, also when the process is killed.
#[derive(Debug)]
pub(super) struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Takes the folder, making it if need be.
    pub(super) fn take(folder: &Path) -> Result<Self> {
        let shown = folder.display();
        let unusable = |e: std::io::Error| Error::Unavailable {
            reason: format!(
                "the data folder {shown} can't be used: {e}; make it writable or name another with --data"
            ),
        };
        create(folder).map_err(unusable)?;
        let path = folder.join(LOCK_FILE);
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::Error(e)) => Err(unusable(e)),
            Err(TryLockError::WouldBlock) => Err(Error::Unavailable {
                reason: format!(
                    "another brain uses the data folder {shown}; stop it, or give this one its own folder with --data"
                ),
            }),
        }
    }
}

/// Makes the folder for its owner's eyes only: it holds every document.
fn create(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// The one connection that writes a folder.
pub(super) fn writer(folder: &Path) -> Result<Connection> {
    let conn = Connection::open(file(folder))?;
    conn.pragma_update(None, "journal_mode", "WAL")?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "wal_autocheckpoint", 0)?;
    conn.pragma_update(None, "journal_size_limit", WAL_BYTES_MAX)?;
    common(conn)
}

/// A connection that only moves the log into the database.
pub(super) fn checkpointer(folder: &Path) -> Result<Connection> {
    let conn = Connection::open(file(folder))?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    common(conn)
}

/// A connection that only reads.
pub(super) fn reader(folder: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    common(Connection::open_with_flags(file(folder), flags)?)
}

/// A database of its own in memory.
pub(super) fn in_memory() -> Result<Connection> {
    common(Connection::open_in_memory()?)
}

fn file(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

fn common(conn: Connection) -> Result<Connection> {
    conn.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    conn.busy_timeout(BUSY_TIME_MAX)?;
    conn.pragma_update(None, "foreign_keys", false)?;
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    Ok(conn)
}
