//! `/skills`: what a scope sees, what is active, and why. Writing goes through documents.

use api_types::ids::{ProcessName, SessionId, SkillName};
use api_types::skills::{
    ActiveSkillsResponse, EffectiveSkillsResponse, ExplainSkillResponse, SkillMatchesResponse,
    SkillScope,
};

use super::call::Call;
use super::reply::Reply;
use super::route::{Access, Gives, Param, Route, Takes, Verb, schema, shared};
use crate::api::dto;
use crate::api::error::{ApiError, Result};
use crate::skills::Scope;

const NAME: Param = Param::query("name", schema::<SkillName>, "The skill.");
const LAYER: Param = Param::query(
    "layer",
    schema::<SkillScope>,
    "The copy of this layer, instead of the winner: `USER`, `PROJECT`, `VANCE`, `RESOURCE`.",
)
.optional();

const TEXT: Param = Param::query("text", schema::<String>, "What a user might write.");

pub(super) const ROUTES: &[Route] = &[
    Route {
        verb: Verb::Get,
        path: "/brain/{tenant}/skills/effective",
        name: "getEffectiveSkills",
        summary: "The winning copy of each skill's name.",
        access: Access::Tenant,
        params: &[shared::PROJECT, shared::AT_LEAST],
        takes: Takes::Nothing,
        gives: Gives::Json(schema::<EffectiveSkillsResponse>),
        handler: |call| Box::pin(effective(call)),
    },
    Route {
        verb: Verb::Get,
        path: "/brain/{tenant}/skills/active",
        name: "getActiveSkills",
        summary: "Skills active on a process.",
        access: Access::Tenant,
        params: &[
            Param::query("sessionId", schema::<SessionId>, "The session."),
            Param::query("processName", schema::<ProcessName>, "The process; default `chat`.")
                .optional(),
        ],
        takes: Takes::Nothing,
        gives: Gives::Json(schema::<ActiveSkillsResponse>),
        handler: |call| Box::pin(active(call)),
    },
    Route {
        verb: Verb::Get,
        path: "/brain/{tenant}/skills/explain",
        name: "explainSkill",
        summary: "How a name resolves, with all copies and the reasons.",
        access: Access::Tenant,
        params: &[shared::PROJECT, NAME, LAYER, shared::AT_LEAST],
        takes: Takes::Nothing,
        gives: Gives::Json(schema::<ExplainSkillResponse>),
        handler: |call| Box::pin(explain(call)),
    },
    Route {
        verb: Verb::Get,
        path: "/brain/{tenant}/skills/matches",
        name: "explainText",
        summary: "What the triggers of all skills make of a text: what matched, what missed, what was skipped and why.",
        access: Access::Tenant,
        params: &[shared::PROJECT, TEXT, shared::AT_LEAST],
        takes: Takes::Nothing,
        gives: Gives::Json(schema::<SkillMatchesResponse>),
        handler: |call| Box::pin(matches(call)),
    },
    Route {
        verb: Verb::Get,
        path: "/brain/{tenant}/skills/file",
        name: "getSkillFile",
        summary: "A file of a skill's folder, from the layer that counts.",
        access: Access::Tenant,
        params: &[
            shared::PROJECT,
            NAME,
            LAYER,
            Param::query("path", schema::<String>, "Path inside the skill's folder."),
            shared::AT_LEAST,
        ],
        takes: Takes::Nothing,
        gives: Gives::Bytes,
        handler: |call| Box::pin(file(call)),
    },
];

async fn effective(call: Call) -> Result<Reply> {
    let scope = scope(&call).await?;
    let skills = call.services.skills.effective(&call.ctx, &scope).await?;
    Reply::json(&dto::skills::effective(&skills))
}

async fn active(call: Call) -> Result<Reply> {
    let session: SessionId = call.required("sessionId")?;
    let name = match call.optional::<ProcessName>("processName")? {
        Some(name) => name,
        None => dto::chat_name(),
    };
    let lane = call.services.sessions.process(&call.ctx, &session, &name).await?;
    Reply::json(&ActiveSkillsResponse { skills: dto::active_skills(&lane.head.active_skills) })
}

async fn explain(call: Call) -> Result<Reply> {
    let scope = scope(&call).await?;
    let name: SkillName = call.required("name")?;
    let layer = layer(&call)?;
    let shown = call.services.skills.show(&call.ctx, &scope, &name, layer).await?;
    Reply::json(&dto::skills::explain(name, shown))
}

async fn matches(call: Call) -> Result<Reply> {
    let scope = scope(&call).await?;
    let text: String = call.required("text")?;
    let skills = call.services.skills.effective(&call.ctx, &scope).await?;
    Reply::json(&dto::matches::of(&skills, &text))
}

async fn file(call: Call) -> Result<Reply> {
    let scope = scope(&call).await?;
    let name: SkillName = call.required("name")?;
    let path: String = call.required("path")?;
    let layer = layer(&call)?;
    let skills = &call.services.skills;
    let (body, revision) = skills.read_file(&call.ctx, &scope, &name, layer, &path).await?;
    let mime = mime(&path, &body).to_owned();
    Ok(Reply::Content { body, mime, revision })
}

/// The caller's view of the query's project.
async fn scope(call: &Call) -> Result<Scope> {
    let project = call.project().await?;
    Ok(Scope { project, user: call.ctx.actor.user().cloned() })
}

/// A skill's file may come from a layer that stores no types.
fn mime(path: &str, body: &[u8]) -> &'static str {
    if std::str::from_utf8(body).is_err() {
        return "application/octet-stream";
    }
    match path.rsplit_once('.').map(|(_, end)| end) {
        Some("md") => "text/markdown; charset=utf-8",
        Some("json") => "application/json",
        _ => "text/plain; charset=utf-8",
    }
}

/// The layer, in its wire or its command-line spelling.
fn layer(call: &Call) -> Result<Option<SkillScope>> {
    let Some(text) = call.optional::<String>("layer")? else { return Ok(None) };
    let scope = SkillScope::from_cli(&text).ok_or_else(|| {
        let shown: String = text.chars().take(80).collect();
        let known = SkillScope::ALL.map(SkillScope::cli_name).join(", ");
        ApiError::invalid(format!("`layer`: {shown:?} is none of {known}"))
            .because("invalid_parameter")
    })?;
    Ok(Some(scope))
}
