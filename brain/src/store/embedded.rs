//! The store of one machine: SQLite in a folder, or in memory.
//!
//! In a folder, one thread writes with group commit and a few threads read; nothing blocks the
//! async runtime. In memory, jobs run inline on the caller: threads of their own would not hold
//! back tokio's paused clock, which simulations live by.

mod checkpoint;
mod db;
mod documents;
mod error;
mod job;
mod lanes;
mod readers;
mod rows;
mod schema;
mod sessions;
mod tenants;
mod writer;

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use tokio::time::Instant;

use crate::ctx::OPERATION_TIME_MAX;
use crate::port::{Error, Result};
use db::FolderLock;
use readers::Readers;
use writer::Writer;

/// Where the store lives.
#[derive(Clone, Debug)]
pub enum OpenMode {
    /// In this folder, which is made if need be. One process at a time.
    Folder(PathBuf),
    /// In memory, gone with the value. Jobs run on the caller.
    InMemory,
}

/// The embedded store. Every feature's port is implemented on it.
pub struct Embedded {
    jobs: Jobs,
    boot: u64,
    counters: Arc<documents::Counters>,
}

enum Jobs {
    // Fields drop in this order: the lock goes last.
    Threads { writer: Writer, readers: Readers, _lock: FolderLock },
    Inline(Mutex<Connection>),
}

impl Embedded {
    /// Opens the store, brings its schema up to date and counts the boot.
    ///
    /// # Errors
    /// `Unavailable` when another process has the folder, the folder can't be used, or a newer
    /// version wrote it; the reason says what to do.
    pub fn open(mode: OpenMode) -> Result<Arc<Self>> {
        let (conn, folder) = match mode {
            OpenMode::InMemory => (db::in_memory()?, None),
            OpenMode::Folder(folder) => {
                let lock = FolderLock::take(&folder)?;
                (db::writer(&folder)?, Some((folder, lock)))
            }
        };
        schema::migrate(&conn)?;
        let boot = schema::count_boot(&conn)?;
        let counters = Arc::new(documents::Counters::load(&conn)?);
        let jobs = match folder {
            None => Jobs::Inline(Mutex::new(conn)),
            Some((folder, lock)) => Jobs::Threads {
                readers: Readers::start(&folder)?,
                writer: Writer::start(conn, &folder)?,
                _lock: lock,
            },
        };
        Ok(Arc::new(Self { jobs, boot, counters }))
    }

    /// How often this store was opened, this time included: an epoch that no earlier process had.
    #[must_use]
    pub fn boot(&self) -> u64 {
        self.boot
    }

    /// Runs `job` in a transaction that is durable before this returns. An error rolls back what
    /// this job did, and nothing else. Use `conn.prepare_cached`.
    ///
    /// # Errors
    /// The job's; `Unavailable`: nothing was written; `Unknown`: sent, but no answer in time.
    pub async fn write<T, F>(&self, deadline: Instant, job: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        self.write_then(deadline, job, |_| ()).await
    }

    /// Like [`Self::write`]; `then` runs after the commit and before any later write, also when
    /// the caller has stopped waiting. It must be short, and must not own the store.
    ///
    /// # Errors
    /// See [`Self::write`].
    pub async fn write_then<T, F, C>(&self, deadline: Instant, job: F, then: C) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
        C: FnOnce(&T) + Send + 'static,
    {
        match &self.jobs {
            Jobs::Threads { writer, .. } => writer.send(deadline, job, then).await,
            Jobs::Inline(conn) => {
                let conn = conn.lock().unwrap_or_else(PoisonError::into_inner);
                writer::run_alone(&conn, job, then)
            }
        }
    }

    /// Runs `job` on one consistent snapshot that holds every answered write. It must not write.
    ///
    /// # Errors
    /// The job's; `Unavailable` when no reader got to it in time. Dropping the future takes an
    /// unstarted job back.
    pub async fn read<T, F>(&self, deadline: Instant, job: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        match &self.jobs {
            Jobs::Threads { readers, .. } => readers.send(deadline, job).await,
            Jobs::Inline(conn) => job(&conn.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }
}

impl std::fmt::Debug for Embedded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Embedded").field("boot", &self.boot).finish_non_exhaustive()
    }
}

/// The deadline of operations whose caller names none.
fn soon() -> Instant {
    Instant::now() + OPERATION_TIME_MAX
}

/// A fault that names itself.
fn fault(text: impl Into<String>) -> Error {
    Error::Internal(text.into().into())
}
