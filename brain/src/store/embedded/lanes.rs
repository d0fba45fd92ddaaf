//! Lanes on SQLite. Values become text before a job is sent and after its answer came: the
//! writer thread, which all lanes share, neither makes nor reads JSON.

mod inbox;
mod own;
mod prepared;
mod read;
mod receipts;
mod rows;
mod send;
mod sweep;

use tokio::time::Instant;

use crate::ctx::OPERATION_TIME_MAX;

/// The tables.
pub(super) const SCHEMA: &str = include_str!("lanes/schema.sql");

/// Deadline of the runner's and the sweep's operations, which no caller waits for.
fn soon() -> Instant {
    Instant::now() + OPERATION_TIME_MAX
}
