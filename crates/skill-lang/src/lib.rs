//! The skill language: pure, without I/O.
//!
//! [`load`](load::load) reads a `SKILL.md` of either dialect into one model, with every problem
//! as a diagnostic; [`rewrite`] changes a head and nothing else; [`template`] renders bodies.

pub mod load;
pub mod rewrite;
pub mod skill;
pub mod validate;

pub mod invocation;

pub mod diagnostic;
pub mod limits;
pub mod name;
pub mod text;

pub mod compose;
pub mod recipe;
pub mod template;
pub mod triggers;

mod keys;
mod split;
mod yaml;

#[cfg(test)]
mod bundled_tests;
