//! Which call fails, and how.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// How a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `Unavailable`; nothing happened.
    Outage,
    /// `Unknown`; nothing happened.
    LostRequest,
    /// `Unknown`; it happened.
    LostAnswer,
    /// `Conflict`; nothing happened. Only for writes that can have one.
    Conflict,
}

/// How often calls fail, each in calls of a thousand. Outages hit reads too.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rates {
    /// See [`Fault::Outage`].
    pub outage: u32,
    /// See [`Fault::LostRequest`].
    pub lost_request: u32,
    /// See [`Fault::LostAnswer`].
    pub lost_answer: u32,
    /// See [`Fault::Conflict`].
    pub conflict: u32,
}

/// Faults to come: first those that were listed, then by chance.
#[derive(Debug)]
pub struct Plan(Mutex<State>);

#[derive(Debug)]
struct State {
    listed: VecDeque<Fault>,
    rates: Rates,
    rng: StdRng,
}

impl Plan {
    /// By chance; the same for the same seed, if the calls come in the same order.
    #[must_use]
    pub fn seeded(seed: u64, rates: Rates) -> Self {
        let rng = StdRng::seed_from_u64(seed);
        Self(Mutex::new(State { listed: VecDeque::new(), rates, rng }))
    }

    /// No faults until some are listed.
    #[must_use]
    pub fn calm() -> Self {
        Self::seeded(0, Rates::default())
    }

    /// The next write fails like this.
    pub fn fail_next_write(&self, fault: Fault) {
        self.state().listed.push_back(fault);
    }

    /// From now on so often.
    pub fn set_rates(&self, rates: Rates) {
        self.state().rates = rates;
    }

    pub(super) fn next_read(&self) -> Option<Fault> {
        let mut state = self.state();
        let rate = state.rates.outage;
        (state.draw() < rate).then_some(Fault::Outage)
    }

    pub(super) fn next_write(&self, may_conflict: bool) -> Option<Fault> {
        let mut state = self.state();
        if let Some(fault) = state.listed.pop_front() {
            return Some(fault);
        }
        let rates = state.rates;
        let mut rest = state.draw();
        let kinds = [
            (Fault::Outage, rates.outage),
            (Fault::LostRequest, rates.lost_request),
            (Fault::LostAnswer, rates.lost_answer),
            (Fault::Conflict, if may_conflict { rates.conflict } else { 0 }),
        ];
        for (fault, rate) in kinds {
            if rest < rate {
                return Some(fault);
            }
            rest -= rate;
        }
        None
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn draw(&mut self) -> u32 {
        self.rng.random_range(0..1_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OFTEN: Rates = Rates { outage: 100, lost_request: 100, lost_answer: 100, conflict: 100 };

    fn faults(seed: u64, may_conflict: bool) -> Vec<Option<Fault>> {
        let plan = Plan::seeded(seed, OFTEN);
        (0..1_000).map(|_| plan.next_write(may_conflict)).collect()
    }

    #[test]
    fn a_seed_repeats_its_plan() {
        assert_eq!(faults(1, true), faults(1, true));
        assert_ne!(faults(1, true), faults(2, true));
    }

    #[test]
    fn each_kind_comes_as_often_as_it_should() {
        let all = faults(3, true);
        for kind in [Fault::Outage, Fault::LostRequest, Fault::LostAnswer, Fault::Conflict] {
            let count = all.iter().filter(|f| **f == Some(kind)).count();
            assert!((50..150).contains(&count), "{kind:?}: {count} of 1,000");
        }
        assert!(!faults(3, false).contains(&Some(Fault::Conflict)));
    }

    #[test]
    fn listed_faults_come_first_and_once() {
        let plan = Plan::calm();
        plan.fail_next_write(Fault::LostAnswer);
        plan.fail_next_write(Fault::Outage);
        let next: Vec<_> = (0..3).map(|_| plan.next_write(false)).collect();
        assert_eq!(next, [Some(Fault::LostAnswer), Some(Fault::Outage), None]);
    }
}
