//! Fresh ids: random, or from a seed in tests and simulation.

use std::sync::Mutex;

use rand::rngs::StdRng;
use rand::{RngCore, SeedableRng};

/// Makes ids. A seeded one makes the same ids each time.
#[derive(Debug)]
pub struct IdGen(Mutex<StdRng>);

impl IdGen {
    /// Ids that nobody can guess.
    #[must_use]
    pub fn random() -> Self {
        Self(Mutex::new(StdRng::from_os_rng()))
    }

    /// The same ids for the same seed.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self(Mutex::new(StdRng::seed_from_u64(seed)))
    }

    /// 128 fresh bits.
    #[must_use]
    pub fn bits(&self) -> u128 {
        let mut rng = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        (u128::from(rng.next_u64()) << 64) | u128::from(rng.next_u64())
    }
}
