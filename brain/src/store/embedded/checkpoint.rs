//! Moves the write-ahead log into the database, beside the writer instead of inside its commits.
//!
//! A checkpoint that runs while someone writes never catches up wholly, and only a log that was
//! wholly moved starts over. So when the log has grown large, the writer itself moves the short
//! rest between two groups.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use rusqlite::Connection;

use super::db;
use crate::port::{Error, Result};

/// A checkpoint is due after so many commits …
const COMMITS: u32 = 256;
/// … or after so many bytes.
const BYTES: u64 = 4 * 1024 * 1024;
/// Looks at the file's size once in so many commits.
const LOOK_EVERY: u32 = 16;
/// From so many bytes on, the writer moves the log itself.
const LOG_BYTES_MAX: u64 = 96 * 1024 * 1024;
/// From so many pages on, the writer finishes the checkpoint.
const LOG_PAGES_MAX: i64 = 8_192;

/// The writer's side.
pub(super) struct Checkpointer {
    wal: PathBuf,
    commits: u32,
    seen_bytes: u64,
    log_is_long: Arc<AtomicBool>,
    nudge: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpointer {
    pub(super) fn start(folder: &Path) -> Result<Self> {
        let conn = db::checkpointer(folder)?;
        let log_is_long = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&log_is_long);
        let (nudge, nudges) = sync_channel(1);
        let thread = std::thread::Builder::new()
            .name("store-checkpoint".into())
            .spawn(move || run(&conn, &nudges, &flag))
            .map_err(|e| Error::Internal(e.into()))?;
        Ok(Self {
            wal: folder.join(format!("{}-wal", db::FILE)),
            commits: 0,
            seen_bytes: 0,
            log_is_long,
            nudge: Some(nudge),
            thread: Some(thread),
        })
    }

    /// Counts a commit and has the log moved when it is time.
    pub(super) fn after_commit(&mut self, conn: &Connection) {
        if self.log_is_long.swap(false, Ordering::AcqRel) || self.is_too_long() {
            let _ = checkpoint(conn);
        }
        self.commits += 1;
        if self.commits >= COMMITS || (self.commits.is_multiple_of(LOOK_EVERY) && self.has_grown())
        {
            self.commits = 0;
            if let Some(nudge) = &self.nudge {
                // Full means that one is due already.
                let _ = nudge.try_send(());
            }
        }
    }

    /// The thread can't keep up with a writer of large bodies: then the writer waits for the move.
    fn is_too_long(&self) -> bool {
        std::fs::metadata(&self.wal).is_ok_and(|m| m.len() >= LOG_BYTES_MAX)
    }

    fn has_grown(&mut self) -> bool {
        let bytes = std::fs::metadata(&self.wal).map_or(0, |m| m.len());
        let grown = bytes >= self.seen_bytes + BYTES;
        if grown || bytes < self.seen_bytes {
            self.seen_bytes = bytes;
        }
        grown
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.nudge = None;
        if let Some(thread) = self.thread.take() {
            // A panic was reported when it happened; there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

fn run(conn: &Connection, nudges: &Receiver<()>, log_is_long: &AtomicBool) {
    while nudges.recv().is_ok() {
        match checkpoint(conn) {
            Ok(pages) => log_is_long.store(pages > LOG_PAGES_MAX, Ordering::Release),
            // The log stays longer; the next commit that needs the disk reports it to its caller.
            Err(error) => tracing::warn!(%error, "checkpoint of the store failed"),
        }
    }
}

/// Moves what no reader still needs; answers the log's length in pages.
fn checkpoint(conn: &Connection) -> rusqlite::Result<i64> {
    conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get(1))
}
