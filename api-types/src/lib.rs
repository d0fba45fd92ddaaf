//! Wire types shared by brain, foot and the browser: ids, error codes, REST bodies,
//! WebSocket frames and events.
//!
//! Every public type here is a compatibility promise; features keep their own types and
//! convert at the edge. With the feature `typescript` the types export themselves as
//! TypeScript (`cargo xtask typescript`).

pub mod ids;

pub mod error;

pub mod documents;
pub mod recipes;
pub mod sessions;
pub mod skills;

pub mod events;
pub mod frames;
