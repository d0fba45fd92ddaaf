//! `/sessions`: the caller's own.

use api_types::ids::{ProcessName, ProjectId, Seq, SessionId};
use api_types::sessions::{MessageListResponse, SessionDto, SessionListResponse};

use super::call::Call;
use super::reply::Reply;
use super::route::{Access, Gives, Param, Route, Takes, Verb, schema, shared};
use crate::api::dto;
use crate::api::error::{ApiError, Result};
use crate::lanes::store::View;
use crate::port::Page;

const ID: Param = Param::path("id", schema::<SessionId>, "The session.");
/// Most sessions in one listing.
const SESSIONS_LISTED_MAX: u32 = 1_000;

pub(super) const ROUTES: &[Route] = &[
    Route {
        verb: Verb::Get,
        path: "/brain/{tenant}/sessions",
        name: "listSessions",
        summary: "The caller's sessions, newest activity first; at most 1,000.",
        access: Access::Tenant,
        params: &[shared::PROJECT.optional()],
        takes: Takes::Nothing,
        gives: Gives::Json(schema::<SessionListResponse>),
        handler: |call| Box::pin(list(call)),
    },
    Route {
        verb: Verb::Get,
        path: "/brain/{tenant}/sessions/{id}",
        name: "getSession",
        summary: "A session with its processes.",
        access: Access::Tenant,
        params: &[ID],
        takes: Takes::Nothing,
        gives: Gives::Json(schema::<SessionDto>),
        handler: |call| Box::pin(get(call)),
    },
    Route {
        verb: Verb::Get,
        path: "/brain/{tenant}/sessions/{id}/messages",
        name: "listMessages",
        summary: "Chat messages of a process, oldest first.",
        access: Access::Tenant,
        params: &[
            ID,
            Param::query("processName", schema::<ProcessName>, "The process; default `chat`.")
                .optional(),
            shared::CURSOR,
            shared::LIMIT,
        ],
        takes: Takes::Nothing,
        gives: Gives::Json(schema::<MessageListResponse>),
        handler: |call| Box::pin(messages(call)),
    },
    Route {
        verb: Verb::Delete,
        path: "/brain/{tenant}/sessions/{id}",
        name: "closeSession",
        summary: "Ends a session and its processes for good.",
        access: Access::Tenant,
        params: &[ID],
        takes: Takes::Nothing,
        gives: Gives::Nothing,
        handler: |call| Box::pin(close(call)),
    },
];

async fn list(call: Call) -> Result<Reply> {
    let project = call.optional::<ProjectId>("projectId")?;
    if let Some(project) = &project {
        call.reach(project).await?;
    }
    let sessions = &call.services.sessions;
    let slice = sessions.list(&call.ctx, project, Page::first(SESSIONS_LISTED_MAX)).await?;
    Reply::json(&SessionListResponse {
        sessions: slice.rows.into_iter().map(dto::session).collect(),
    })
}

async fn get(call: Call) -> Result<Reply> {
    let id: SessionId = call.in_path("id")?;
    let mut session = call.services.sessions.get(&call.ctx, &id).await?;
    let processes = call.services.sessions.processes(&call.ctx, &id).await?;
    session.status = session.rollup(processes.iter().map(|lane| lane.head.status));
    Reply::json(&SessionDto {
        summary: dto::session(session),
        processes: processes.iter().map(dto::process).collect(),
    })
}

async fn messages(call: Call) -> Result<Reply> {
    let id: SessionId = call.in_path("id")?;
    let name = match call.optional::<ProcessName>("processName")? {
        Some(name) => name,
        None => dto::chat_name(),
    };
    let page = call.page()?;
    let after = page.after.as_deref().map_or(Ok(Seq(0)), parse_cursor)?;
    let lane = call.services.sessions.process(&call.ctx, &id, &name).await?;
    let lanes = &call.services.lanes;
    let slice = lanes.log(&call.ctx, &lane.id, after, View::Chat, page.rows()).await?;
    let more = slice.upto < slice.tail && !slice.rows.is_empty();
    Reply::json(&MessageListResponse {
        messages: slice.rows.iter().filter_map(|row| dto::message(&lane, row)).collect(),
        next_cursor: more.then(|| slice.upto.to_string()),
    })
}

async fn close(call: Call) -> Result<Reply> {
    let id: SessionId = call.in_path("id")?;
    call.services.sessions.close(&call.ctx, &id).await?;
    Ok(Reply::Nothing)
}

fn parse_cursor(text: &str) -> Result<Seq> {
    text.parse().map(Seq).map_err(|_| {
        ApiError::invalid("`cursor` is not one that this route gave out")
            .because("invalid_parameter")
    })
}
