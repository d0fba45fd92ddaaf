//! The nouns of documents.

use api_types::ids::{DocumentId, DocumentPath, Revision};
use bytes::Bytes;
use serde_json::value::RawValue;
use std::sync::Arc;

use crate::runtime::Timestamp;

/// Largest body, in bytes.
pub const DOCUMENT_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Most changes in one change set.
pub const CHANGES_MAX: usize = 1_000;
/// Most projects of a tenant that hold documents.
pub const PROJECTS_MAX: u64 = 100_000;
/// Where configuration lies.
const CONFIG: &str = "_vance";
/// Where the system logs; not configuration.
const LOGS: &str = "_vance/logs";
/// Where deleted documents go: `_vance/trash/<revision>_<file name>`.
pub const TRASH: &str = "_vance/trash";

/// Whether a write here counts for [`Revisions::config`].
#[must_use]
pub fn is_config(path: &DocumentPath) -> bool {
    path.is_below(CONFIG) && !path.is_below(LOGS) && !path.is_below(TRASH)
}

/// Whether everything below this folder counts for [`Revisions::config`].
#[must_use]
pub fn is_config_folder(folder: &str) -> bool {
    let is_or_below =
        |of: &str| folder.strip_prefix(of).is_some_and(|r| r.is_empty() || r.starts_with('/'));
    folder.len() > CONFIG.len() && is_or_below(CONFIG) && !is_or_below(LOGS) && !is_or_below(TRASH)
}

/// The two counters of a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Revisions {
    /// Counts every write.
    pub all: Revision,
    /// The number of the last write below `_vance/`, except `_vance/logs/` and `_vance/trash/`.
    pub config: Revision,
}

/// What was read out of a body when it was written, so that nobody parses it again.
///
/// `version` is the parser's; a row of another version is parsed anew by its reader.
#[derive(Clone, Debug)]
pub struct ParsedHead {
    /// The parser's version.
    pub version: u32,
    /// What it read, as JSON.
    pub json: Arc<RawValue>,
}

/// A document without its body.
#[derive(Clone, Debug)]
pub struct HeadRow {
    /// Stable id.
    pub id: DocumentId,
    /// Where it lies.
    pub path: DocumentPath,
    /// `skill`, `recipe`, `markdown`, ….
    pub kind: String,
    /// MIME type.
    pub mime: String,
    /// Bytes of the body.
    pub size: u64,
    /// The write that made this state.
    pub revision: Revision,
    /// A tombstone: the path is empty since `revision`. Only `changed` returns such rows.
    pub deleted: bool,
    /// Where it lay before it was trashed.
    pub trashed_from: Option<DocumentPath>,
    /// Sender name of who wrote it last.
    pub updated_by: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was written last.
    pub updated_at: Timestamp,
    /// What its parser read.
    pub head: Option<ParsedHead>,
}

/// A document with its body.
#[derive(Clone, Debug)]
pub struct Document {
    /// Everything but the body.
    pub row: HeadRow,
    /// The body.
    pub body: Bytes,
}

/// Which state of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// The present one.
    Latest,
    /// The one that held at this project revision: the newest version not newer than it.
    Revision(Revision),
}

/// What a change expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// No document at the path.
    Absent,
    /// The document at this revision.
    Revision(Revision),
    /// Whatever is there. For a put: create or replace; last writer wins.
    Any,
}

/// One change.
#[derive(Clone, Debug)]
pub enum Change {
    /// Creates or replaces the document at `path`. With the same body, kind and MIME type it is
    /// no write: nothing takes a revision.
    Put {
        /// Where.
        path: DocumentPath,
        /// The body, at most [`DOCUMENT_BYTES_MAX`].
        body: Bytes,
        /// What it is.
        shape: Shape,
        /// What must hold.
        expected: Expected,
    },
    /// Moves the document at `path` to `to`, which must be free. Id and history go with it.
    Move {
        /// From.
        path: DocumentPath,
        /// To.
        to: DocumentPath,
        /// What must hold of `path`.
        expected: Expected,
        /// What to record: [`Action::Move`], [`Action::Trash`] or [`Action::Restore`].
        action: Action,
        /// What the body is at its new place; `None` = what it was.
        shape: Option<Shape>,
    },
    /// Removes the document at `path`, with its history, for good.
    Purge {
        /// Where.
        path: DocumentPath,
        /// What must hold.
        expected: Expected,
    },
}

/// What a body is, at its path.
#[derive(Clone, Debug)]
pub struct Shape {
    /// See [`HeadRow::kind`].
    pub kind: String,
    /// See [`HeadRow::mime`].
    pub mime: String,
    /// See [`HeadRow::head`].
    pub head: Option<ParsedHead>,
}

/// What a version records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Created or replaced.
    Put,
    /// Moved.
    Move,
    /// Moved to the trash; the row remembers where from.
    Trash,
    /// Moved out of the trash.
    Restore,
}

/// Changes of one project that happen together or not at all.
#[derive(Clone, Debug)]
pub struct ChangeSet {
    /// 1 to [`CHANGES_MAX`], applied in order.
    pub changes: Vec<Change>,
    /// Recorded as the writer.
    pub by: String,
    /// Recorded as the time.
    pub at: Timestamp,
    /// Ids for new documents, one for each `Put`, used where the path was free.
    pub ids: Vec<DocumentId>,
}

/// A change set was applied.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The project's counters after it.
    pub revisions: Revisions,
    /// The documents as they are now, in the order of the changes; none for a purge.
    pub rows: Vec<HeadRow>,
}

/// One past state of a document.
#[derive(Clone, Debug)]
pub struct Version {
    /// The write that made it.
    pub revision: Revision,
    /// Where the document lay.
    pub path: DocumentPath,
    /// Bytes of the body.
    pub size: u64,
    /// Who wrote it.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// What was done.
    pub action: Action,
}
