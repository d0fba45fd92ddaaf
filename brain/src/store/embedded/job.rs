//! One write on its way through the writer.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::fault;
use crate::port::{Error, Result};

/// Why a group of writes did not become durable.
#[derive(Clone, Debug)]
pub(super) enum Lost {
    /// Certainly nothing was written.
    Nothing(String),
    /// It may have been written.
    InDoubt,
}

impl Lost {
    fn error(&self) -> Error {
        match self {
            Self::Nothing(reason) => Error::Unavailable { reason: reason.clone() },
            Self::InDoubt => Error::Unknown,
        }
    }
}

/// A write with its types forgotten.
pub(super) trait Job: Send {
    /// Does it. `false`: undo what it did.
    fn run(&mut self, conn: &Connection) -> bool;
    /// Its group was committed: answer.
    fn committed(self: Box<Self>);
    /// Its group was not: answer.
    fn lost(self: Box<Self>, why: &Lost);
}

/// A write, its result once it has run, and who waits for it.
pub(super) struct Write<T, F, C> {
    job: Option<F>,
    then: C,
    result: Option<Result<T>>,
    answer: oneshot::Sender<Result<T>>,
}

impl<T, F, C> Write<T, F, C> {
    pub(super) fn new(job: F, then: C) -> (Self, oneshot::Receiver<Result<T>>) {
        let (answer, receiver) = oneshot::channel();
        (Self { job: Some(job), then, result: None, answer }, receiver)
    }
}

impl<T, F, C> Job for Write<T, F, C>
where
    T: Send,
    F: FnOnce(&Connection) -> Result<T> + Send,
    C: FnOnce(&T) + Send,
{
    fn run(&mut self, conn: &Connection) -> bool {
        let Some(job) = self.job.take() else { return false };
        let result = guarded(|| job(conn));
        let keep = result.is_ok();
        self.result = Some(result);
        keep
    }

    fn committed(self: Box<Self>) {
        let result = self.result.unwrap_or_else(|| Err(fault("a write was committed unrun")));
        if let Ok(value) = &result {
            (self.then)(value);
        }
        // Nobody waits any more: the write stands all the same.
        let _ = self.answer.send(result);
    }

    fn lost(self: Box<Self>, why: &Lost) {
        let result = match self.result {
            Some(Err(error)) => Err(error),
            Some(Ok(_)) | None => Err(why.error()),
        };
        let _ = self.answer.send(result);
    }
}

/// Runs a job whose panic must not take the thread with it.
pub(super) fn guarded<T>(job: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(job))
        .unwrap_or_else(|_| Err(fault("a job of the store panicked")))
}
