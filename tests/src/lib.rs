//! What end-to-end tests and benchmarks share. Depends on no product crate but the wire types, so that product crates
//! may use it in their own tests.

pub mod client;
pub mod fake_provider;
pub mod node;
pub mod provider;
