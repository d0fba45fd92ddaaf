//! Documents: paths in a project, each with a body, a revision and a history.
//!
//! A project is one aggregate. Every write takes the project's next [`Revision`]; a document
//! carries the number of its last write, which is also its `ETag`. Writes come as a [`ChangeSet`]:
//! all or none, one revision. Nothing is lost by a delete: the first moves the document to
//! `_vance/trash/`, the second, from there, removes it and leaves a tombstone.

pub mod access;
pub mod kind;

mod cascade;
mod error;
mod model;
mod service;
mod store;

pub use cascade::Cascade;
pub use error::Error;
pub use model::{
    Action, Applied, At, CHANGES_MAX, Change, ChangeSet, DOCUMENT_BYTES_MAX, Document, Expected,
    HeadRow, PROJECTS_MAX, ParsedHead, Revisions, Shape, TRASH, Version, is_config,
    is_config_folder,
};
pub use service::{Documents, Edit, HeadParser};
pub use store::Store;
