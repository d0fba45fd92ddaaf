//! Turns: what a process does with the messages that it claimed.
//!
//! [`turn`] decides, purely, what comes next from the entries so far; the lane (`lanes::lane`)
//! persists and performs. [`prepare`](TurnParts::prepare) composes what the model reads,
//! [`activation`] changes the active skills, [`session`] asks the model and runs its tool calls.

pub mod activation;
pub mod chat;
pub mod session;
pub mod turn;

mod parts;
mod prepared;
mod prompt;
mod stream;
mod tool_calls;

pub use parts::TurnParts;
pub use prompt::Prompts;
