//! Tenants, projects, users and their tokens: as much as one machine needs.

mod model;
mod store;

pub use model::{Bootstrap, Identity, TokenDigest};
pub use store::Store;
