//! The skill language: pure, no I/O.

pub mod template;
