//! Documents: paths in a project, each with a body, a revision and a history.
//!
//! A project is one aggregate. Every write takes the project's next [`Revision`]; a document
//! carries the number of its last write, which is also its `ETag`. Writes come as a [`ChangeSet`]:
//! all or none, one revision. Nothing is lost by a delete: the first moves the document to
//! `_vance/trash/`, the second, from there, removes it and leaves a tombstone.

mod model;
mod store;

pub use model::{
    Action, Applied, At, CHANGES_MAX, Change, ChangeSet, DOCUMENT_BYTES_MAX, Document, Expected,
    HeadRow, PROJECTS_MAX, ParsedHead, Revisions, TRASH, Version, is_config, is_config_folder,
};
pub use store::Store;
