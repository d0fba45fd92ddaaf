//! REST bodies of documents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{DocumentId, DocumentPath, ProjectId, Revision};

/// A document without its body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct DocumentDto {
    /// Stable id.
    pub id: DocumentId,
    /// The project that holds it.
    pub project_id: ProjectId,
    /// Path in the project. A trashed document lies below `_vance/trash/`.
    pub path: DocumentPath,
    /// What the body is, from its head or its file name: `skill`, `recipe`, `markdown`, ….
    pub kind: String,
    /// MIME type, such as `text/markdown`.
    pub mime_type: String,
    /// Size of the body in bytes.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub size: u64,
    /// Project revision of the last write of this document; also its `ETag`.
    pub revision: Revision,
    /// Who wrote it last.
    pub updated_by: String,
    /// When it was created, milliseconds since 1970.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub created_at: i64,
    /// When it was written last, milliseconds since 1970.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub updated_at: i64,
    /// Where it lay before it was trashed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trashed_from: Option<DocumentPath>,
}

/// One page of documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct DocumentListResponse {
    /// The documents, by path.
    pub items: Vec<DocumentDto>,
    /// Send it back as `cursor` for the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// The project's revision that the page shows.
    pub revision: Revision,
}

/// One past state of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct DocumentVersionDto {
    /// Project revision of that write.
    pub revision: Revision,
    /// Path at that time.
    pub path: DocumentPath,
    /// Size of that body in bytes.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub size: u64,
    /// Who wrote it.
    pub updated_by: String,
    /// When, milliseconds since 1970.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub updated_at: i64,
    /// What was done: `put`, `move`, `trash`, `restore`, `purge`.
    pub action: String,
}

/// The history of a document, newest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct DocumentHistoryResponse {
    /// Versions, newest first.
    pub versions: Vec<DocumentVersionDto>,
    /// Send it back as `cursor` for the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// What a change expects of the document that it touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum ExpectedDto {
    /// No document at the path.
    Absent,
    /// The document, at this revision.
    Revision(Revision),
    /// Whatever is there.
    Any,
}

/// One change of a change set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "op")]
pub enum ChangeDto {
    /// Creates or replaces a document.
    Put {
        /// Where.
        path: DocumentPath,
        /// The body as text; exactly one of `text` and `base64`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// The body as base64, for bytes that are not text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base64: Option<String>,
        /// What must hold now.
        expected: ExpectedDto,
    },
    /// Moves a document.
    Move {
        /// From.
        path: DocumentPath,
        /// To; must be free.
        to: DocumentPath,
        /// What must hold now.
        expected: ExpectedDto,
    },
    /// Moves a document to the trash; a second time, from there, removes it for good.
    Delete {
        /// Where.
        path: DocumentPath,
        /// What must hold now.
        expected: ExpectedDto,
    },
}

/// Changes of one project that happen together or not at all, as one revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ChangeSetRequest {
    /// 1 to 1,000 changes.
    pub changes: Vec<ChangeDto>,
}

/// Answer to a write.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ChangeSetResponse {
    /// The project's new revision: a token that later reads may demand at least.
    pub revision: Revision,
    /// The documents as they are now; purged ones are absent.
    pub items: Vec<DocumentDto>,
}

/// Body of a restore.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct RestoreRequest {
    /// Which version's body; absent = out of the trash, as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
    /// Where to; absent = where that version lay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<DocumentPath>,
}
