//! The one thread that writes: what waits is drained, run and committed together.

use std::path::Path;
use std::thread::JoinHandle;

use rusqlite::Connection;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use super::checkpoint::Checkpointer;
use super::error::in_doubt;
use super::fault;
use super::job::{Job, Lost, Write};
use crate::port::{Error, Result};

/// Writes that may wait.
pub(super) const QUEUE_MAX: usize = 1_024;
/// Writes that share one commit at most.
const GROUP_MAX: usize = 256;

type BoxedJob = Box<dyn Job>;

/// Takes writes and has them done in order.
pub(super) struct Writer {
    queue: Option<mpsc::Sender<BoxedJob>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(conn: Connection, folder: &Path) -> Result<Self> {
        let (queue, jobs) = mpsc::channel(QUEUE_MAX);
        let checkpointer = Checkpointer::start(folder)?;
        let thread = std::thread::Builder::new()
            .name("store-writer".into())
            .spawn(move || run(&conn, jobs, checkpointer))
            .map_err(|e| Error::Internal(e.into()))?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    pub(super) async fn send<T, F, C>(&self, deadline: Instant, job: F, then: C) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
        C: FnOnce(&T) + Send + 'static,
    {
        let queue = self.queue.as_ref().ok_or_else(|| fault("the writer is closed"))?;
        let (job, answer) = Write::new(job, then);
        match timeout_at(deadline, queue.send(Box::new(job))).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => {
                return Err(unavailable("the store's writer has stopped; restart the brain"));
            }
            Err(_) => return Err(unavailable("1,024 writes wait already; try again later")),
        }
        match timeout_at(deadline, answer).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) | Err(_) => Err(Error::Unknown),
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // A panic was reported when it happened; there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

fn unavailable(reason: &str) -> Error {
    Error::Unavailable { reason: reason.to_owned() }
}

fn run(conn: &Connection, mut jobs: mpsc::Receiver<BoxedJob>, mut checkpointer: Checkpointer) {
    let mut group = Vec::with_capacity(GROUP_MAX);
    while jobs.blocking_recv_many(&mut group, GROUP_MAX) > 0 {
        while !group.is_empty() {
            run_group(conn, &mut group);
        }
        checkpointer.after_commit(conn);
    }
}

/// Runs one write on the caller.
pub(super) fn run_alone<T, F, C>(conn: &Connection, job: F, then: C) -> Result<T>
where
    T: Send + 'static,
    F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    C: FnOnce(&T) + Send + 'static,
{
    let (job, mut answer) = Write::new(job, then);
    let mut group: Vec<BoxedJob> = vec![Box::new(job)];
    run_group(conn, &mut group);
    answer.try_recv().unwrap_or(Err(Error::Unknown))
}

/// Runs and answers a group, or as much of it as shares one fate; the rest stays for the next round.
fn run_group(conn: &Connection, group: &mut Vec<BoxedJob>) {
    let mut ran = 0;
    let outcome = transaction(conn, group, &mut ran);
    if outcome.is_err() && !conn.is_autocommit() {
        // If this fails too, the next BEGIN does and says so.
        let _ = exec(conn, "ROLLBACK");
    }
    // Without one that ran, the database can't even begin: then all fail, or this would never end.
    let shared = if ran == 0 { group.len() } else { ran };
    for job in group.drain(..shared) {
        match &outcome {
            Ok(()) => job.committed(),
            Err(why) => job.lost(why),
        }
    }
}

fn transaction(
    conn: &Connection,
    group: &mut [BoxedJob],
    ran: &mut usize,
) -> std::result::Result<(), Lost> {
    exec(conn, "BEGIN IMMEDIATE").map_err(nothing)?;
    let alone = group.len() == 1;
    for job in group {
        *ran += 1;
        let kept = if alone { job.run(conn) } else { in_savepoint(conn, job).map_err(nothing)? };
        if conn.is_autocommit() {
            // A full disk makes SQLite end the whole transaction.
            return Err(Lost::Nothing(
                "a write of the same group failed; nothing was written, try again".into(),
            ));
        }
        if alone && !kept {
            return exec(conn, "ROLLBACK").map_err(nothing);
        }
    }
    exec(conn, "COMMIT").map_err(|e| if in_doubt(&e) { Lost::InDoubt } else { nothing(e) })
}

fn in_savepoint(conn: &Connection, job: &mut BoxedJob) -> rusqlite::Result<bool> {
    exec(conn, "SAVEPOINT job")?;
    let keep = job.run(conn);
    if !keep && !conn.is_autocommit() {
        exec(conn, "ROLLBACK TO job")?;
    }
    if !conn.is_autocommit() {
        exec(conn, "RELEASE job")?;
    }
    Ok(keep)
}

fn nothing(error: rusqlite::Error) -> Lost {
    Lost::Nothing(match Error::from(error) {
        Error::Unavailable { reason } => reason,
        error => {
            tracing::error!(?error, "the store's transaction failed");
            "the store's transaction failed; see the brain's log".to_owned()
        }
    })
}

fn exec(conn: &Connection, sql: &str) -> rusqlite::Result<()> {
    conn.prepare_cached(sql)?.execute([]).map(|_| ())
}
