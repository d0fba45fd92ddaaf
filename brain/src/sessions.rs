//! Sessions: a user's conversation in a project; owns processes and outlives connections.

mod model;
mod store;

pub use model::{Binding, NewSession, Session, SessionFilter, TITLE_CHARS_MAX};
pub use store::Store;
