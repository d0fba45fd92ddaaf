//! The brain: stores skills, resolves them, activates them on processes and runs the turns.
//!
//! Reading order: a feature owns its model, rules and ports (`documents`, `lanes`, …); `store`
//! adapts the ports to a database; `api` carries the features over HTTP and WebSocket;
//! `app` wires all of it. Features know neither database drivers nor web crates.

pub mod cache;
pub mod config;
pub mod ctx;
pub mod near;
pub mod port;
pub mod runtime;

pub mod bundled;
pub mod documents;
pub mod engines;
pub mod lanes;
pub mod manuals;
pub mod mirror;
pub mod models;
pub mod recipes;
pub mod sessions;
pub mod skills;
pub mod tenants;
pub mod tools;
pub mod turns;

pub mod api;
pub mod app;
pub mod bus;
pub mod store;
