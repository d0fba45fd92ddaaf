//! Runs lanes: takes the ones that have something to do, one task for each, and finds forgotten ones.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use api_types::ids::{LaneId, NodeBoot, TenantId};
use tokio::sync::Semaphore;

use super::gate::Wake;
use super::lane::Lane;
use super::shared::{LaneSignal, RunnerParts, Shared};
use super::store::Takeover;
use crate::ctx::{Actor, OpCtx, SystemCtx};
use crate::port::Error;

/// Pause between two sweeps.
const SWEEP_PAUSE: Duration = Duration::from_millis(500);
/// Most lanes that one sweep wakes.
const SWEEP_ROWS_MAX: u32 = 256;
/// Most turns that run at once on this node.
const ACTIVE_TURNS_MAX: usize = 256;

type Key = (TenantId, LaneId);

/// Runs the lanes of a node.
#[derive(Clone)]
pub struct Runner {
    shared: Arc<Shared>,
    running: Arc<Mutex<HashMap<Key, Arc<LaneSignal>>>>,
    dead: Arc<Mutex<Vec<NodeBoot>>>,
}

impl std::fmt::Debug for Runner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runner").field("me", &self.shared.parts.me).finish_non_exhaustive()
    }
}

impl Runner {
    /// A runner that does nothing until it is woken or [`Runner::start`]ed.
    #[must_use]
    pub fn new(parts: RunnerParts) -> Self {
        let stopping = parts.tasks.stopping();
        let shared = Shared { parts, turns: Semaphore::new(ACTIVE_TURNS_MAX), stopping };
        Self { shared: Arc::new(shared), running: Arc::default(), dead: Arc::default() }
    }

    /// Sweeps from now on. `dead`: boots whose lanes may be taken at once.
    pub fn start(&self, ctx: SystemCtx, dead: Vec<NodeBoot>) {
        *self.dead.lock().unwrap_or_else(PoisonError::into_inner) = dead;
        let runner = self.clone();
        self.shared.parts.tasks.spawn("sweep", async move {
            while !runner.shared.stopping.is_cancelled() {
                runner.sweep(&ctx).await;
                tokio::select! {
                    () = runner.shared.stopping.cancelled() => {}
                    () = tokio::time::sleep(runner.jittered(SWEEP_PAUSE)) => {}
                }
            }
        });
    }

    /// Between three quarters and five quarters of `pause`, so that nodes don't march in step.
    fn jittered(&self, pause: Duration) -> Duration {
        let share = u32::try_from(self.shared.parts.ids.bits() % 512).unwrap_or(0);
        pause * (768 + share) / 1024
    }

    /// Finds lanes with something to do that nobody runs.
    async fn sweep(&self, ctx: &SystemCtx) {
        let parts = &self.shared.parts;
        let dead = self.dead.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let found = parts.sweep.runnable(ctx, &dead, parts.clock.now(), SWEEP_ROWS_MAX).await;
        let delivered = parts.sweep.deliver(ctx, SWEEP_ROWS_MAX).await;
        for result in [found, delivered] {
            match result {
                Ok(lanes) => lanes.iter().for_each(|l| self.wake(&l.tenant, &l.lane, true)),
                Err(error) => tracing::warn!(%error, "sweep failed; the next one tries again"),
            }
        }
    }

    fn running(&self) -> MutexGuard<'_, HashMap<Key, Arc<LaneSignal>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs one lane until it has been idle for long, or is lost.
    async fn run(self, key: Key, signal: Arc<LaneSignal>) {
        loop {
            self.own_and_run(&key, &signal).await;
            let mut running = self.running();
            // A wake that came after the lane's last look must not be lost with the entry.
            if self.shared.stopping.is_cancelled() || !signal.pending.load(Ordering::SeqCst) {
                running.remove(&key);
                return;
            }
        }
    }

    async fn own_and_run(&self, (tenant, lane): &Key, signal: &Arc<LaneSignal>) {
        signal.pending.store(false, Ordering::SeqCst);
        let ctx = OpCtx::new(tenant.clone(), Actor::Process(lane.clone()));
        let parts = &self.shared.parts;
        let dead = self.dead.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match parts.own.acquire(&ctx, lane, &parts.me, Takeover::From(dead)).await {
            Ok(owned) => {
                Lane::new(ctx, owned, Arc::clone(&self.shared), Arc::clone(signal)).run().await
            }
            Err(Error::Fenced { .. }) => {
                tracing::debug!(lane.id = %lane, "another node owns the lane")
            }
            Err(error) => {
                tracing::warn!(lane.id = %lane, %error, "could not take the lane; the sweep tries again");
                tokio::time::sleep(SWEEP_PAUSE).await;
            }
        }
    }
}

impl Wake for Runner {
    fn wake(&self, tenant: &TenantId, lane: &LaneId, control: bool) {
        if self.shared.stopping.is_cancelled() {
            return;
        }
        let key = (tenant.clone(), lane.clone());
        let signal = match self.running().entry(key.clone()) {
            Slot::Occupied(slot) => {
                slot.get().raise(control);
                return;
            }
            Slot::Vacant(slot) => Arc::clone(slot.insert(Arc::default())),
        };
        let runner = self.clone();
        self.shared.parts.tasks.spawn("lane", runner.run(key, signal));
    }
}
