//! The skill language: pure, no I/O.

pub mod compose;
pub mod template;
