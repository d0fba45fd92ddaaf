//! Lanes: the single writer of one process, and the durable things that it writes.
//!
//! A process is one aggregate: a head, an append-only log with a dense sequence, an inbox and an
//! outbox. One verb writes ([`store::Own::commit`]): atomic, fenced by the lane's epoch and
//! idempotent by its id. Steps, chat and durable client events are views of the log.

pub mod entry;
pub mod head;
pub mod inbox;
pub mod store;
pub mod usage;

mod gate;
mod lane;
mod runner;
mod shared;
mod writer;

pub use gate::{Error, Lanes, Wake};
pub use runner::Runner;
pub use shared::RunnerParts;
