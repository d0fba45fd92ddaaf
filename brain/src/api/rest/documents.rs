//! `/documents`: paths in a project, with revisions and history.

use api_types::documents::{
    ChangeDto, ChangeSetRequest, ChangeSetResponse, DocumentDto, DocumentHistoryResponse,
    DocumentListResponse, RestoreRequest,
};
use api_types::error::ErrorCode;
use api_types::ids::{DocumentId, DocumentPath, ProjectId, Revision};
use base64::Engine;
use bytes::Bytes;

use super::call::{Call, IfMatch};
use super::reply::Reply;
use super::route::{Access, Gives, Param, Route, Takes, Verb, schema, shared};
use crate::api::dto;
use crate::api::error::{ApiError, Result};
use crate::api::status::Refinement;
use crate::documents::{Applied, At, DOCUMENT_BYTES_MAX, Document, Edit, Error, Expected};

/// Longest body of a change set, in bytes: several large documents, or a thousand small ones.
pub(super) const CHANGE_SET_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Longest body of a restore, in bytes.
const RESTORE_BYTES_MAX: usize = 8 * 1024;

const ID: Param = Param::path("id", schema::<DocumentId>, "The document.");
const IF_MATCH: Param = Param::header(
    "If-Match",
    schema::<String>,
    "The revision that the document must be at, as its `ETag` tells; otherwise 412.",
);

pub(super) const ROUTES: &[Route] = &[
    Route {
        verb: Verb::Get,
        path: "/brain/{tenant}/documents",
        name: "listDocuments",
        summary: "Documents of a project, by path.",
        access: Access::Tenant,
        params: &[
            shared::PROJECT,
            Param::query(
                "pathPrefix",
                schema::<String>,
                "Only documents below this folder, without a trailing `/`.",
            )
            .optional(),
            shared::CURSOR,
            shared::LIMIT,
            shared::AT_LEAST,
        ],
        takes: Takes::Nothing,
        gives: Gives::Json(schema::<DocumentListResponse>),
        handler: |call| Box::pin(list(call)),
    },
    Route {
        verb: Verb::Get,
        path: "/brain/{tenant}/documents/by-path",
        name: "getDocumentByPath",
        summary: "The document at a path, without its body.",
        access: Access::Tenant,
        params: &[
            shared::PROJECT,
            Param::query("path", schema::<DocumentPath>, "The path in the project."),
            shared::AT_LEAST,
        ],
        takes: Takes::Nothing,
        gives: Gives::Json(schema::<DocumentDto>),
        handler: |call| Box::pin(by_path(call)),
    },
    Route {
        verb: Verb::Get,
        path: "/brain/{tenant}/documents/{id}",
        name: "getDocument",
        summary: "A document, without its body.",
        access: Access::Tenant,
        params: &[ID, shared::AT_LEAST],
        takes: Takes::Nothing,
        gives: Gives::Json(schema::<DocumentDto>),
        handler: |call| Box::pin(get(call)),
    },
    Route {
        verb: Verb::Get,
        path: "/brain/{tenant}/documents/{id}/content",
        name: "getDocumentContent",
        summary: "The body of a document, as it is or as it was.",
        access: Access::Tenant,
        params: &[
            ID,
            Param::query(
                "revision",
                schema::<Revision>,
                "The body as of this revision of the project.",
            )
            .optional(),
            Param::header(
                "If-None-Match",
                schema::<String>,
                "`ETag`s that the caller has: 304 when one of them is still right.",
            ),
            shared::AT_LEAST,
        ],
        takes: Takes::Nothing,
        gives: Gives::Bytes,
        handler: |call| Box::pin(content(call)),
    },
    Route {
        verb: Verb::Put,
        path: "/brain/{tenant}/documents/{id}/content",
        name: "putDocumentContent",
        summary: "Replaces the body of a document.",
        access: Access::Tenant,
        params: &[ID, IF_MATCH],
        takes: Takes::Bytes { bytes_max: DOCUMENT_BYTES_MAX },
        gives: Gives::Json(schema::<ChangeSetResponse>),
        handler: |call| Box::pin(put(call)),
    },
    Route {
        verb: Verb::Post,
        path: "/brain/{tenant}/documents/changes",
        name: "changeDocuments",
        summary: "Changes documents of a project, all or none, as one revision.",
        access: Access::Tenant,
        params: &[shared::PROJECT, shared::AT_LEAST],
        takes: Takes::Json { schema: schema::<ChangeSetRequest>, bytes_max: CHANGE_SET_BYTES_MAX },
        gives: Gives::Json(schema::<ChangeSetResponse>),
        handler: |call| Box::pin(change(call)),
    },
    Route {
        verb: Verb::Delete,
        path: "/brain/{tenant}/documents/{id}",
        name: "deleteDocument",
        summary: "Moves a document to the trash; from there, removes it for good.",
        access: Access::Tenant,
        params: &[ID, IF_MATCH],
        takes: Takes::Nothing,
        gives: Gives::Nothing,
        handler: |call| Box::pin(delete(call)),
    },
    Route {
        verb: Verb::Get,
        path: "/brain/{tenant}/documents/{id}/history",
        name: "getDocumentHistory",
        summary: "Past states of a document, newest first.",
        access: Access::Tenant,
        params: &[ID, shared::CURSOR, shared::LIMIT, shared::AT_LEAST],
        takes: Takes::Nothing,
        gives: Gives::Json(schema::<DocumentHistoryResponse>),
        handler: |call| Box::pin(history(call)),
    },
    Route {
        verb: Verb::Post,
        path: "/brain/{tenant}/documents/{id}/restore",
        name: "restoreDocument",
        summary: "Brings back a past body, or a document out of the trash.",
        access: Access::Tenant,
        params: &[ID],
        takes: Takes::Json { schema: schema::<RestoreRequest>, bytes_max: RESTORE_BYTES_MAX },
        gives: Gives::Json(schema::<DocumentDto>),
        handler: |call| Box::pin(restore(call)),
    },
];

async fn list(call: Call) -> Result<Reply> {
    let project = call.project().await?;
    let under: String = call.optional("pathPrefix")?.unwrap_or_default();
    let page = call.page()?;
    let (slice, revisions) =
        call.services.documents.list(&call.ctx, &project, &under, page).await?;
    Reply::json(&DocumentListResponse {
        items: slice.rows.into_iter().map(|row| dto::document(&project, row)).collect(),
        next_cursor: slice.next,
        revision: revisions.all,
    })
}

async fn by_path(call: Call) -> Result<Reply> {
    let project = call.project().await?;
    let path: DocumentPath = call.required("path")?;
    let found = call.services.documents.get(&call.ctx, &project, &path).await?;
    Reply::json(&dto::document(&project, found.row))
}

async fn get(call: Call) -> Result<Reply> {
    let (project, found) = find(&call, At::Latest).await?;
    Reply::json(&dto::document(&project, found.row))
}

async fn content(call: Call) -> Result<Reply> {
    let at = call.optional::<u64>("revision")?.map_or(At::Latest, |n| At::Revision(Revision(n)));
    let (_, found) = find(&call, at).await?;
    let revision = found.row.revision;
    if call.has(revision) {
        return Ok(Reply::NotModified(revision));
    }
    Ok(Reply::Content { body: found.body, mime: found.row.mime, revision })
}

async fn put(call: Call) -> Result<Reply> {
    let (project, found) = find(&call, At::Latest).await?;
    let body = call.body.clone();
    let edit = Edit::Put { path: found.row.path, body, expected: expected(&call)? };
    let outcome = call.services.documents.apply(&call.ctx, &project, vec![edit]).await;
    Reply::json(&changed(&project, conditional(&call, outcome)?))
}

async fn change(call: Call) -> Result<Reply> {
    let project = call.project().await?;
    let request: ChangeSetRequest = call.json()?;
    let edits = request.changes.into_iter().enumerate().map(|(index, change)| edit(index, change));
    let edits = edits.collect::<Result<Vec<Edit>>>()?;
    let applied = call.services.documents.apply(&call.ctx, &project, edits).await?;
    Reply::json(&changed(&project, applied))
}

async fn delete(call: Call) -> Result<Reply> {
    let id: DocumentId = call.in_path("id")?;
    let outcome = call.services.documents.delete(&call.ctx, &id, expected(&call)?).await;
    conditional(&call, outcome)?;
    Ok(Reply::Nothing)
}

async fn history(call: Call) -> Result<Reply> {
    let (_, found) = find(&call, At::Latest).await?;
    let page = call.page()?;
    let slice = call.services.documents.history(&call.ctx, &found.row.id, page).await?;
    Reply::json(&DocumentHistoryResponse {
        versions: slice.rows.into_iter().map(dto::version).collect(),
        next_cursor: slice.next,
    })
}

async fn restore(call: Call) -> Result<Reply> {
    let request: RestoreRequest = call.json()?;
    let (project, found) = find(&call, At::Latest).await?;
    let documents = &call.services.documents;
    let applied =
        documents.restore(&call.ctx, &found.row.id, request.revision, request.path).await?;
    let row = applied.rows.into_iter().next().unwrap_or(found.row);
    Reply::json(&dto::document(&project, row))
}

/// The document of the path, in a project that is as far as the request demands.
async fn find(call: &Call, at: At) -> Result<(ProjectId, Document)> {
    let id: DocumentId = call.in_path("id")?;
    let documents = &call.services.documents;
    let found = documents.get_by_id(&call.ctx, &id, at).await?;
    let (project, now) = (&found.0, documents.revisions(&call.ctx, &found.0).await?.all);
    if call.at_least()?.is_none_or(|least| least <= now) {
        return Ok(found);
    }
    call.reach(project).await?;
    Ok(documents.get_by_id(&call.ctx, &id, at).await?)
}

fn expected(call: &Call) -> Result<Expected> {
    Ok(match call.if_match()? {
        None | Some(IfMatch::Any) => Expected::Any,
        Some(IfMatch::Revision(revision)) => Expected::Revision(revision),
    })
}

/// An expectation that came as `If-Match` and does not hold: HTTP has a status of its own for it.
fn conditional(call: &Call, outcome: std::result::Result<Applied, Error>) -> Result<Applied> {
    let conditional = call.if_match()?.is_some();
    outcome.map_err(|error| match ApiError::from(error) {
        error if conditional && error.code() == ErrorCode::Conflict => {
            error.refined(Refinement::Precondition)
        }
        error => error,
    })
}

fn changed(project: &ProjectId, applied: Applied) -> ChangeSetResponse {
    ChangeSetResponse {
        revision: applied.revisions.all,
        items: applied.rows.into_iter().map(|row| dto::document(project, row)).collect(),
    }
}

fn edit(index: usize, change: ChangeDto) -> Result<Edit> {
    Ok(match change {
        ChangeDto::Put { path, text, base64, expected } => {
            let body = body(index, text, base64)?;
            Edit::Put { path, body, expected: dto::expected(expected) }
        }
        ChangeDto::Move { path, to, expected } => {
            Edit::Move { path, to, expected: dto::expected(expected) }
        }
        ChangeDto::Delete { path, expected } => {
            Edit::Delete { path, expected: dto::expected(expected) }
        }
    })
}

fn body(index: usize, text: Option<String>, base64: Option<String>) -> Result<Bytes> {
    let bad = |problem: String| {
        ApiError::invalid(format!("`changes[{index}]`: {problem}")).because("invalid_json")
    };
    match (text, base64) {
        (Some(text), None) => Ok(text.into()),
        (None, Some(coded)) => {
            let engine = base64::engine::general_purpose::STANDARD;
            let bytes = engine.decode(coded).map_err(|error| bad(format!("`base64`: {error}")))?;
            Ok(bytes.into())
        }
        _ => Err(bad("give exactly one of `text` and `base64`".to_owned())),
    }
}
