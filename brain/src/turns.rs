//! Turns: what a process does with the messages that it claimed.
//!
//! [`turn`] decides, purely, what comes next from the entries so far; the lane (`lanes::lane`)
//! persists and performs. [`prompt`] composes what the model reads, [`activation`] changes the
//! active skills, [`tool_calls`] runs what the model asks for.

pub mod turn;
