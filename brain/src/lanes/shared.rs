//! What all lanes of a node share, and how the outside reaches one of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use api_types::ids::NodeBoot;
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;

use super::store::{Own, Read, Sweep};
use crate::runtime::{Clock, IdGen, Tasks};
use crate::turns::TurnParts;

/// Time that running turns get at a shutdown to reach a step boundary.
pub(super) const DRAIN_TIME_MAX: Duration = Duration::from_secs(20);

/// What the runner needs.
pub struct RunnerParts {
    /// Reads lanes.
    pub read: Arc<dyn Read>,
    /// Owns lanes.
    pub own: Arc<dyn Own>,
    /// Finds lanes.
    pub sweep: Arc<dyn Sweep>,
    /// What turns need.
    pub turns: TurnParts,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Fresh ids.
    pub ids: Arc<IdGen>,
    /// This start of this node.
    pub me: NodeBoot,
    /// Owns the lanes' tasks.
    pub tasks: Tasks,
}

/// How the outside reaches a running lane.
#[derive(Debug, Default)]
pub(super) struct LaneSignal {
    notify: Notify,
    pub(super) pending: AtomicBool,
    control: AtomicBool,
}

impl LaneSignal {
    pub(super) fn raise(&self, control: bool) {
        if control {
            self.control.store(true, Ordering::SeqCst);
        }
        self.pending.store(true, Ordering::SeqCst);
        self.notify.notify_one();
    }

    /// Waits for the next wake. Cancel-safe.
    pub(super) async fn woken(&self) {
        while !self.pending.swap(false, Ordering::SeqCst) {
            self.notify.notified().await;
        }
    }

    /// Whether a control message may have arrived since this was asked last.
    pub(super) fn take_control(&self) -> bool {
        self.control.swap(false, Ordering::SeqCst)
    }

    /// Waits until a control message may have arrived; leaves wakes for work in place. Cancel-safe.
    pub(super) async fn control(&self) {
        while !self.take_control() {
            self.notify.notified().await;
        }
    }
}

/// Everything that a lane of this node shares with the others.
pub(super) struct Shared {
    pub(super) parts: RunnerParts,
    pub(super) turns: Semaphore,
    pub(super) stopping: CancellationToken,
}
