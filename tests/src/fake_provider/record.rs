//! What the fake remembers of requests.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::Bytes;
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio::time::Instant;

/// Most requests that are kept; the oldest go first.
pub const REQUESTS_KEPT_MAX: usize = 10_000;

/// Most bytes of bodies that are kept; the oldest go first.
pub const BODY_BYTES_KEPT_MAX: usize = 256 * 1024 * 1024;

/// How an exchange ended, seen from the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It goes on.
    Running,
    /// All that was to be sent was taken.
    Completed,
    /// The fake broke it, as told.
    Broken,
    /// The client closed the connection before the end.
    ClosedByClient,
}

/// A request as it came.
#[derive(Clone, Debug, Serialize)]
pub struct Recorded {
    /// Position since the start of the server.
    pub id: u64,
    /// Milliseconds since the server started.
    pub at_ms: u64,
    /// The same moment, for whoever measures in this process.
    #[serde(skip)]
    pub at: Instant,
    /// Port that the client called from: tells connections apart.
    pub peer_port: u16,
    /// Path of the request.
    pub path: String,
    /// Headers; keys are replaced by `***`.
    pub headers: BTreeMap<String, String>,
    /// The body, byte for byte. Shown as JSON; null if it is none.
    #[serde(rename = "body", serialize_with = "as_json")]
    pub raw: Bytes,
    /// How it ended.
    pub outcome: Outcome,
}

fn as_json<S: Serializer>(raw: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
    serde_json::from_slice::<&RawValue>(raw).ok().serialize(serializer)
}

impl Recorded {
    /// The body as JSON; null if it is none.
    #[must_use]
    pub fn body(&self) -> Value {
        serde_json::from_slice(&self.raw).unwrap_or_default()
    }

    /// The last user message contains `text`.
    #[must_use]
    pub fn says(&self, text: &str) -> bool {
        super::incoming::Incoming::parse(&self.raw).is_ok_and(|i| i.last_user.contains(text))
    }
}

#[derive(Debug, Default)]
struct Entries {
    next: u64,
    bytes: usize,
    kept: VecDeque<Recorded>,
}

impl Entries {
    fn push(&mut self, request: Recorded) {
        self.next += 1;
        self.bytes += request.raw.len();
        self.kept.push_back(request);
        while self.kept.len() > REQUESTS_KEPT_MAX || self.bytes > BODY_BYTES_KEPT_MAX {
            let gone = self.kept.pop_front();
            self.bytes -= gone.map_or(self.bytes, |request| request.raw.len());
        }
    }

    fn clear(&mut self) {
        self.kept.clear();
        self.bytes = 0;
    }
}

/// The log of requests. Cheap to clone; clones share it.
#[derive(Clone, Debug)]
pub struct Log {
    entries: Arc<Mutex<Entries>>,
    changed: watch::Sender<u64>,
    start: Instant,
}

impl Default for Log {
    fn default() -> Self {
        Self { entries: Arc::default(), changed: watch::Sender::new(0), start: Instant::now() }
    }
}

impl Log {
    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn tell(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    pub(super) fn add(
        &self,
        peer_port: u16,
        path: &str,
        headers: BTreeMap<String, String>,
        raw: Bytes,
    ) -> Ticket {
        let at = Instant::now();
        let at_ms = u64::try_from((at - self.start).as_millis()).unwrap_or(u64::MAX);
        let (path, outcome) = (path.to_owned(), Outcome::Running);
        let mut entries = self.lock();
        let id = entries.next;
        entries.push(Recorded { id, at_ms, at, peer_port, path, headers, raw, outcome });
        drop(entries);
        self.tell();
        Ticket { open: Some((self.clone(), id)) }
    }

    fn settle(&self, id: u64, outcome: Outcome) {
        if let Some(entry) = self.lock().kept.iter_mut().find(|entry| entry.id == id) {
            entry.outcome = outcome;
        }
        self.tell();
    }

    /// Everything recorded, oldest first.
    #[must_use]
    pub fn all(&self) -> Vec<Recorded> {
        self.lock().kept.iter().cloned().collect()
    }

    /// The requests whose last user message contains `text`.
    #[must_use]
    pub fn saying(&self, text: &str) -> Vec<Recorded> {
        self.all().into_iter().filter(|request| request.says(text)).collect()
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.lock().clear();
        self.tell();
    }

    /// Waits until the log satisfies `done`; false if it did not within `patience`.
    pub async fn wait(&self, patience: Duration, done: impl Fn(&[Recorded]) -> bool) -> bool {
        let mut changes = self.changed.subscribe();
        let satisfied = async {
            while !done(&self.all()) {
                if changes.changed().await.is_err() {
                    return;
                }
            }
        };
        tokio::time::timeout(patience, satisfied).await.is_ok()
    }
}

/// Follows one exchange to its end. Dropped without a word, it means that the client left.
#[derive(Debug, Default)]
pub(super) struct Ticket {
    open: Option<(Log, u64)>,
}

impl Ticket {
    pub(super) fn end(&mut self, outcome: Outcome) {
        if let Some((log, id)) = self.open.take() {
            log.settle(id, outcome);
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.end(Outcome::ClosedByClient);
    }
}
