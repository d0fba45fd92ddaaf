//! Sessions: a user's conversation in a project; owns processes and outlives connections.

mod model;
mod service;
mod store;

pub use model::{Binding, NewSession, Session, SessionFilter, TITLE_CHARS_MAX};
pub use service::{Error, OpenRequest, Opened, Sessions, SessionsParts};
pub use store::Store;
