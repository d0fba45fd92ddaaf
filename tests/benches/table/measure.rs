//! Samples, their distribution, and the row that sets it against a target.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use tokio::time::Instant;

/// What numbers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Milliseconds,
    Microseconds,
    PerSecond,
    KibiBytes,
    /// A ratio of two measurements.
    Times,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Milliseconds => " ms",
            Self::Microseconds => " µs",
            Self::PerSecond => " /s",
            Self::KibiBytes => " KiB",
            Self::Times => " ×",
        }
    }

    fn of(self, time: Duration) -> f64 {
        match self {
            Self::Microseconds => time.as_secs_f64() * 1e6,
            _ => time.as_secs_f64() * 1e3,
        }
    }
}

/// A place in a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stat {
    P50,
    P95,
    P99,
    Max,
    /// The only number that there is.
    Value,
}

impl Stat {
    fn name(self) -> &'static str {
        match self {
            Self::P50 => "p50 ",
            Self::P95 => "p95 ",
            Self::P99 => "p99 ",
            Self::Max => "max ",
            Self::Value => "",
        }
    }

    /// Of sorted samples: the smallest that so many are not above.
    fn of(self, sorted: &[f64]) -> f64 {
        let percent = match self {
            Self::P50 => 50,
            Self::P95 => 95,
            Self::P99 => 99,
            Self::Max | Self::Value => 100,
        };
        let rank = (sorted.len() * percent).div_ceil(100);
        sorted.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN)
    }
}

/// One line of the table.
#[derive(Debug)]
pub(crate) struct Row {
    what: String,
    unit: Unit,
    sorted: Vec<f64>,
    targets: Vec<(Stat, f64)>,
}

impl Row {
    /// A distribution of times.
    pub(crate) fn times(what: impl Into<String>, unit: Unit, times: &[Duration]) -> Self {
        let mut sorted: Vec<f64> = times.iter().map(|time| unit.of(*time)).collect();
        sorted.sort_by(f64::total_cmp);
        Self { what: what.into(), unit, sorted, targets: Vec::new() }
    }

    /// One number.
    pub(crate) fn value(what: impl Into<String>, unit: Unit, value: f64) -> Self {
        Self { what: what.into(), unit, sorted: vec![value], targets: Vec::new() }
    }

    /// Adds a target, in the row's unit: a rate is to be at least that, all else at most.
    pub(crate) fn target(mut self, stat: Stat, value: f64) -> Self {
        self.targets.push((stat, value));
        self
    }

    fn measured(&self) -> String {
        let unit = self.unit.name();
        if let [value] = self.sorted[..] {
            return format!("{}{unit}", Short(value));
        }
        let stats = [Stat::P50, Stat::P95, Stat::P99, Stat::Max];
        let stats = stats.map(|stat| format!("{}{}", stat.name(), Short(stat.of(&self.sorted))));
        format!("{}{unit} (n = {})", stats.join(" · "), self.sorted.len())
    }
}

impl Display for Row {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (unit, rate) = (self.unit.name(), self.unit == Unit::PerSecond);
        let sign = if rate { '≥' } else { '≤' };
        let target =
            |(stat, value): &(Stat, f64)| format!("{}{sign} {}{unit}", stat.name(), Short(*value));
        let ratio = |(stat, value): &(Stat, f64)| {
            let ratio = stat.of(&self.sorted) / value;
            let met = if rate { ratio >= 1.0 } else { ratio <= 1.0 };
            format!("{ratio:.2} {}", if met { "met" } else { "**missed**" })
        };
        let list = |cells: Vec<String>| {
            if cells.is_empty() { "—".to_owned() } else { cells.join(" · ") }
        };
        let targets = list(self.targets.iter().map(target).collect());
        let ratios = list(self.targets.iter().map(ratio).collect());
        write!(f, "| {} | {targets} | {} | {ratios} |", self.what, self.measured())
    }
}

/// A number with about three digits that say something.
struct Short(f64);

impl Display for Short {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let places = match self.0.abs() {
            big if big >= 100.0 => 0,
            middle if middle >= 10.0 => 1,
            _ => 2,
        };
        write!(f, "{:.places$}", self.0)
    }
}

/// Times of `rounds` calls, after a tenth as many to warm up.
pub(crate) fn repeat(rounds: usize, mut call: impl FnMut(usize)) -> Vec<Duration> {
    (0..rounds / 10).for_each(&mut call);
    let timed = |round| {
        let start = Instant::now();
        call(round);
        start.elapsed()
    };
    (0..rounds).map(timed).collect()
}
