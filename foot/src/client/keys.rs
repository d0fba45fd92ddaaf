//! Keys that make a request safe to repeat.

/// A fresh key.
#[must_use]
pub(crate) fn idempotency_key() -> String {
    format!("foot-{:032x}", rand::random::<u128>())
}
