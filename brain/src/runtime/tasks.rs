//! Tasks that someone owns: named, joined at shutdown, and a panic ends the node instead of vanishing.

use std::time::Duration;

use futures::FutureExt;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TrackedFuture;
use tracing::Instrument;

/// A group of tasks with one stop signal.
#[derive(Clone, Debug)]
pub struct Tasks {
    tracker: TaskTracker,
    stop: CancellationToken,
    panicked: CancellationToken,
}

impl Default for Tasks {
    fn default() -> Self {
        Self {
            tracker: TaskTracker::new(),
            stop: CancellationToken::new(),
            panicked: CancellationToken::new(),
        }
    }
}

impl Tasks {
    /// Starts a task; the name appears in its log lines.
    pub fn spawn(&self, name: &'static str, future: impl Future<Output = ()> + Send + 'static) {
        let panicked = self.panicked.clone();
        let watched = async move {
            if std::panic::AssertUnwindSafe(future).catch_unwind().await.is_err() {
                tracing::error!(task = name, "task panicked; the node stops");
                panicked.cancel();
            }
        };
        self.tracker.spawn(watched.instrument(tracing::info_span!("task", name)));
    }

    /// A future that the stop waits for, although something else runs it.
    pub fn track<F: Future>(&self, future: F) -> TrackedFuture<F> {
        self.tracker.track_future(future)
    }

    /// Fires when the group shall stop.
    #[must_use]
    pub fn stopping(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// Fires when a task has panicked.
    #[must_use]
    pub fn panicked(&self) -> CancellationToken {
        self.panicked.clone()
    }

    /// Signals the stop and waits for all tasks, at most `grace`. Tells whether all ended.
    pub async fn stop(&self, grace: Duration) -> bool {
        self.stop.cancel();
        self.tracker.close();
        tokio::time::timeout(grace, self.tracker.wait()).await.is_ok()
    }
}
