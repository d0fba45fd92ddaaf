//! When a failed attempt is made again, and how long to wait for it.

use std::time::Duration;

/// Longest wait inside a call. Whoever must wait longer gets [`Error::Busy`](super::Error::Busy) and parks.
pub const WAIT_IN_CALL_MAX: Duration = Duration::from_secs(5);

/// Longest wait that a provider's `retry-after` is believed.
pub const RETRY_AFTER_MAX: Duration = Duration::from_secs(60 * 60);

/// How often, and how far apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Most attempts of a call, the first included.
    pub attempts_max: u32,
    /// Wait before the second attempt; doubles from there. The real wait is between half of it and all of it.
    pub wait_first: Duration,
    /// Longest wait inside a call.
    pub wait_max: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { attempts_max: 4, wait_first: Duration::from_millis(500), wait_max: WAIT_IN_CALL_MAX }
    }
}

/// What a failure permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// It would fail the same way.
    Never,
    /// It may have been an accident, but not twice.
    Once,
    /// It passes.
    Soon,
    /// There is no capacity; the provider may say when there is.
    WhenFree(Option<Duration>),
}

/// What to do after a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Wait(Duration),
    Park(Duration),
    GiveUp,
}

impl RetryPolicy {
    /// Decides after `made` attempts. `chance` is any number: the jitter.
    pub(crate) fn next(&self, made: u32, again: Again, chance: u128) -> Next {
        let left = made < self.attempts_max;
        let backoff = self.backoff(made, chance);
        match again {
            Again::Never => Next::GiveUp,
            Again::Once if made > 1 => Next::GiveUp,
            Again::Once | Again::Soon if left => Next::Wait(backoff.min(self.wait_max)),
            Again::Once | Again::Soon => Next::GiveUp,
            Again::WhenFree(None) if left => Next::Wait(backoff.min(self.wait_max)),
            Again::WhenFree(None) => Next::Park(backoff.max(self.wait_max)),
            Again::WhenFree(Some(asked)) => {
                // Never earlier than asked, and not everybody at once.
                let asked = asked.min(RETRY_AFTER_MAX);
                let wait = (asked + jitter(asked / 10, chance)).max(backoff.min(self.wait_max));
                if left && asked <= self.wait_max { Next::Wait(wait) } else { Next::Park(wait) }
            }
        }
    }

    fn backoff(&self, made: u32, chance: u128) -> Duration {
        let doubled = 2u32.saturating_pow(made.saturating_sub(1).min(10));
        let full = self.wait_first.saturating_mul(doubled);
        full / 2 + jitter(full / 2, chance)
    }
}

/// A part of `most`, as chance will have it.
fn jitter(most: Duration, chance: u128) -> Duration {
    let thousandths = u32::try_from(chance % 1001).expect("less than 1001");
    most * thousandths / 1000
}

/// How long the headers ask to wait. Dates are read against the answer's own `date`, so no clocks are compared.
pub(crate) fn retry_after(headers: &reqwest::header::HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    let number = |name: &str| text(name)?.trim().parse::<f64>().ok();
    if let Some(ms) = number("retry-after-ms") {
        return Duration::try_from_secs_f64(ms / 1000.0).ok();
    }
    if let Some(seconds) = number("retry-after") {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let until = httpdate::parse_http_date(text("retry-after")?.trim()).ok()?;
    let now = httpdate::parse_http_date(text("date")?).ok()?;
    Some(until.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderMap, HeaderValue};

    const SECOND: Duration = Duration::from_secs(1);

    #[track_caller]
    fn check(made: u32, again: Again, expect: Next) {
        assert_eq!(RetryPolicy::default().next(made, again, 1000), expect);
    }

    #[test]
    fn waits_double_up_to_the_limit_and_end_with_the_attempts() {
        check(1, Again::Soon, Next::Wait(SECOND / 2));
        check(2, Again::Soon, Next::Wait(SECOND));
        check(3, Again::Soon, Next::Wait(SECOND * 2));
        check(4, Again::Soon, Next::GiveUp);
        check(1, Again::Once, Next::Wait(SECOND / 2));
        check(2, Again::Once, Next::GiveUp);
        check(1, Again::Never, Next::GiveUp);
    }

    #[test]
    fn lack_of_capacity_parks_when_the_wait_is_long_or_the_attempts_are_used_up() {
        check(1, Again::WhenFree(None), Next::Wait(SECOND / 2));
        check(4, Again::WhenFree(None), Next::Park(SECOND * 5));
        check(1, Again::WhenFree(Some(SECOND * 2)), Next::Wait(Duration::from_millis(2200)));
        check(4, Again::WhenFree(Some(SECOND * 2)), Next::Park(SECOND * 4));
        check(1, Again::WhenFree(Some(SECOND * 10)), Next::Park(SECOND * 11));
        check(1, Again::WhenFree(Some(Duration::ZERO)), Next::Wait(SECOND / 2));
        let absurd = RetryPolicy::default().next(1, Again::WhenFree(Some(Duration::MAX)), 0);
        assert_eq!(absurd, Next::Park(RETRY_AFTER_MAX));
    }

    #[test]
    fn jitter_halves_a_wait_at_most() {
        let policy = RetryPolicy::default();
        for chance in [0, 1, 500, 1000, u128::MAX] {
            let Next::Wait(wait) = policy.next(2, Again::Soon, chance) else { panic!("no wait") };
            assert!(wait >= SECOND / 2 && wait <= SECOND, "{wait:?}");
        }
    }

    #[track_caller]
    fn check_header(headers: &[(&'static str, &'static str)], expect: Option<Duration>) {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)))
            .collect();
        assert_eq!(retry_after(&headers), expect);
    }

    #[test]
    fn retry_after_is_read_as_number_and_as_date() {
        let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        check_header(&[("retry-after", "3")], Some(SECOND * 3));
        check_header(&[("retry-after", "0.5")], Some(SECOND / 2));
        check_header(&[("retry-after-ms", "1500"), ("retry-after", "9")], Some(SECOND * 3 / 2));
        check_header(&[date, ("retry-after", "Sun, 06 Nov 1994 08:49:47 GMT")], Some(SECOND * 10));
        check_header(
            &[date, ("retry-after", "Sun, 06 Nov 1994 08:49:30 GMT")],
            Some(Duration::ZERO),
        );
        check_header(&[("retry-after", "Sun, 06 Nov 1994 08:49:47 GMT")], None);
        check_header(&[("retry-after", "soon")], None);
        check_header(&[("retry-after", "-1")], None);
        check_header(&[("retry-after", "NaN")], None);
        check_header(&[], None);
    }
}
