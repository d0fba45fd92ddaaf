//! A few threads that read, each on its own connection, from one queue.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use rusqlite::Connection;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use super::db;
use super::job::guarded;
use crate::port::{Error, Result};

/// Threads that read.
const READERS: usize = 3;
/// Reads that may wait; more are refused at once.
const QUEUE_MAX: usize = 4_096;

type Read = Box<dyn FnOnce(&Connection) + Send>;

/// Takes reads and has them done by whichever thread is free.
pub(super) struct Readers {
    queue: Arc<Queue>,
    threads: Vec<JoinHandle<()>>,
}

impl Readers {
    pub(super) fn start(folder: &Path) -> Result<Self> {
        let mut readers = Self { queue: Arc::default(), threads: Vec::with_capacity(READERS) };
        for _ in 0..READERS {
            let (conn, queue) = (db::reader(folder)?, Arc::clone(&readers.queue));
            let thread = std::thread::Builder::new()
                .name("store-reader".into())
                .spawn(move || run(&conn, &queue))
                .map_err(|e| Error::Internal(e.into()))?;
            readers.threads.push(thread);
        }
        Ok(readers)
    }

    pub(super) async fn send<T, F>(&self, deadline: Instant, job: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        let (answer, receiver) = oneshot::channel();
        let sent = self.queue.push(Box::new(move |conn| {
            if !answer.is_closed() {
                // The caller may leave while the job runs.
                let _ = answer.send(guarded(|| snapshot(conn, job)));
            }
        }));
        if !sent {
            return Err(unavailable("4,096 reads wait already; try again later"));
        }
        match timeout_at(deadline, receiver).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(unavailable("the store's readers have stopped; restart the brain")),
            Err(_) => Err(unavailable("the store did not answer a read before the deadline")),
        }
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.queue.close();
        for thread in self.threads.drain(..) {
            // A panic was reported when it happened; there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

fn unavailable(reason: &str) -> Error {
    Error::Unavailable { reason: reason.to_owned() }
}

fn run(conn: &Connection, queue: &Queue) {
    while let Some(job) = queue.pop() {
        job(conn);
    }
}

/// Several statements of a job see one state.
fn snapshot<T>(conn: &Connection, job: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
    conn.prepare_cached("BEGIN")?.execute([])?;
    let result = guarded(|| job(conn));
    conn.prepare_cached("ROLLBACK")?.execute([])?;
    result
}

#[derive(Default)]
struct Queue {
    state: Mutex<QueueState>,
    wake: Condvar,
}

#[derive(Default)]
struct QueueState {
    jobs: VecDeque<Read>,
    closed: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, job: Read) -> bool {
        let mut state = self.lock();
        if state.jobs.len() >= QUEUE_MAX {
            return false;
        }
        state.jobs.push_back(job);
        drop(state);
        self.wake.notify_one();
        true
    }

    fn pop(&self) -> Option<Read> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                return Some(job);
            }
            if state.closed {
                return None;
            }
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn close(&self) {
        self.lock().closed = true;
        self.wake.notify_all();
    }
}
