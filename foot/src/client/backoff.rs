//! When to try again.

use std::time::Duration;

use tokio::time::Instant;

/// Pause before the first try.
const FIRST: Duration = Duration::from_millis(100);
/// Longest pause.
const CAP: Duration = Duration::from_secs(5);

/// Pauses that double up to a cap, until a time is used up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Backoff {
    began: Instant,
    total: Duration,
    pause: Duration,
    due: Instant,
}

impl Backoff {
    /// Begins now; gives up after `total`.
    pub(super) fn begin(total: Duration) -> Self {
        let now = Instant::now();
        Self { began: now, total, pause: FIRST, due: now + FIRST }
    }

    /// When the next try is.
    pub(super) fn due(&self) -> Instant {
        self.due
    }

    /// How long it was tried.
    pub(super) fn total(&self) -> Duration {
        self.total
    }

    /// A try failed; `false` when the time is used up. `chance` in 0..1 spreads clients that lost
    /// one brain together.
    pub(super) fn failed(&mut self, chance: f64) -> bool {
        let now = Instant::now();
        if now.duration_since(self.began) >= self.total {
            return false;
        }
        self.pause = (self.pause * 2).min(CAP);
        let pause = self.pause.mul_f64(0.75 + chance.clamp(0.0, 1.0) / 4.0);
        self.due = (now + pause).min(self.began + self.total);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_and_end() {
        let total = Duration::from_secs(60);
        let mut backoff = Backoff::begin(total);
        let began = Instant::now();
        let mut tries = 0;
        loop {
            tokio::time::sleep_until(backoff.due()).await;
            tries += 1;
            if !backoff.failed(1.0) {
                break;
            }
        }
        assert_eq!(began.elapsed(), total);
        assert!((15..25).contains(&tries), "{tries}");
    }
}
