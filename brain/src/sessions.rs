//! Sessions: a user's conversation in a project; owns processes and outlives connections.

mod error;
mod model;
mod service;
mod store;

pub use error::Error;
pub use model::{Binding, NewSession, Session, SessionFilter, TITLE_CHARS_MAX};
pub use service::{OpenRequest, Opened, Sessions, SessionsParts};
pub use store::Store;
