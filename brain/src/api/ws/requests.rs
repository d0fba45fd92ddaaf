//! What a connection does for each request.

use std::sync::Arc;

use api_types::error::ErrorCode;
use api_types::frames::{
    ClientFrame, Empty, IDEMPOTENCY_KEY_BYTES_MAX, Ping, Pong, ProcessCancel, ProcessListReply,
    ProcessMessages, ProcessMessagesReply, ProcessSkillRequest, ProcessSkillResponse, ProcessSteer,
    Queued, ReplyFrame, SessionBootstrap, SessionBound, SessionCreate, SessionListReply,
    SessionListRequest, SessionResume, SkillCommand,
};
use api_types::ids::{ProcessName, SessionId};
use api_types::skills::SkillRef;

use super::connection::{Bound, Connection};
use super::cursor::Cursor;
use super::follow::{Follow, Start};
use crate::api::dto;
use crate::api::error::{ApiError, Result};
use crate::bus::Topic;
use crate::ctx::OpCtx;
use crate::lanes::head::LaneView;
use crate::lanes::inbox::Body;
use crate::lanes::store::Sent;
use crate::port::Page;
use crate::sessions::{OpenRequest, Opened};
use crate::skills::Scope;

/// Messages of a `process-messages` whose sender names no limit.
const MESSAGES_DEFAULT: u32 = 100;
/// Most messages of one `process-messages`.
const MESSAGES_MAX: u32 = 500;
/// Bytes of chat text in one reply, after which older messages are left out.
const MESSAGES_BYTES_MAX: usize = 768 * 1024;
/// Most sessions in one listing.
const SESSIONS_LISTED_MAX: u32 = 1_000;

impl Connection {
    /// Answers a request.
    pub(super) async fn answer(&mut self, frame: ClientFrame) -> Result<ReplyFrame> {
        Ok(match frame {
            ClientFrame::Ping(data) => ReplyFrame::Pong(self.pong(&data)),
            ClientFrame::SessionCreate(data) => {
                ReplyFrame::SessionCreate(self.open(create(data), None).await?)
            }
            ClientFrame::SessionResume(data) => {
                let (open, cursor) = resume(data);
                ReplyFrame::SessionResume(self.open(open, cursor).await?)
            }
            ClientFrame::SessionBootstrap(data) => {
                let (open, cursor) = bootstrap(data)?;
                ReplyFrame::SessionBootstrap(self.open(open, cursor).await?)
            }
            ClientFrame::SessionUnbind(Empty {}) => {
                self.session()?;
                self.unbind().await;
                ReplyFrame::SessionUnbind(Empty {})
            }
            ClientFrame::SessionList(data) => ReplyFrame::SessionList(self.list(data).await?),
            ClientFrame::ProcessList(Empty {}) => ReplyFrame::ProcessList(self.processes().await?),
            ClientFrame::ProcessMessages(data) => {
                ReplyFrame::ProcessMessages(self.messages(&data).await?)
            }
            ClientFrame::ProcessSteer(data) => ReplyFrame::ProcessSteer(self.steer(data).await?),
            ClientFrame::ProcessCancel(data) => {
                ReplyFrame::ProcessCancel(self.cancel(&data).await?)
            }
            ClientFrame::ProcessSkill(data) => ReplyFrame::ProcessSkill(self.skill(data).await?),
            ClientFrame::Logout(Empty {}) => {
                let session = self.session()?;
                self.services.sessions.close(&self.ctx(), &session).await?;
                ReplyFrame::Logout(Empty {})
            }
        })
    }

    fn pong(&self, ping: &Ping) -> Pong {
        Pong {
            client_timestamp: ping.client_timestamp,
            server_timestamp: self.services.clock.now().0,
        }
    }

    /// The bound session.
    fn session(&self) -> Result<SessionId> {
        let bound = self.bound.as_ref().map(|bound| bound.session.clone());
        bound.ok_or_else(|| {
            let message = "no session is bound: send `session-create`, `session-resume` or \
                `session-bootstrap` first";
            ApiError::new(ErrorCode::Forbidden, message).because("no_session_bound")
        })
    }

    async fn open(&mut self, open: Open, cursor: Option<String>) -> Result<SessionBound> {
        if let Some(bound) = &self.bound {
            let message = format!(
                "this connection holds the session {}; send `session-unbind` first",
                bound.session
            );
            return Err(ApiError::new(ErrorCode::Forbidden, message).because("session_bound"));
        }
        let ctx = self.ctx();
        let request = OpenRequest {
            session: open.session,
            project: open.project,
            recipe: open.recipe,
            profile: self.profile.clone(),
            connection: self.id.clone(),
            takeover: open.takeover,
            activations: open.activations,
            message: open.message,
            key: open.key,
        };
        let opened = self.services.sessions.open(&ctx, request).await?;
        match self.follow(&ctx, &opened, cursor.as_deref()).await {
            Ok((bound, resync)) => Ok(self.hold(bound, opened, resync)),
            Err(error) => {
                // Held, but not followed: let it go, so that the client's next try finds it free.
                let (session, binding) = (&opened.session.id, &opened.binding);
                if let Err(error) = self.services.sessions.unbind(&ctx, session, binding).await {
                    tracing::warn!(session.id = %session, %error, "could not let the session go");
                }
                Err(error)
            }
        }
    }

    /// Follows the session from the client's cursor, or from where its chat was before the request
    /// queued anything: nothing that the request causes is missed.
    async fn follow(
        &self,
        ctx: &OpCtx,
        opened: &Opened,
        cursor: Option<&str>,
    ) -> Result<(Bound, bool)> {
        let session = &opened.session.id;
        let topic = Topic { tenant: ctx.tenant.clone(), session: session.clone() };
        let signals = self.services.bus.subscribe(topic);
        let list = self.services.lanes.list(ctx, session, Page::default());
        let lanes = ctx.bound(list).await??.rows;
        let resumed = cursor.map(|text| {
            let cursor = Cursor::decode(text)?;
            Follow::from(session, &lanes, &Start::After(cursor))
        });
        let resync = matches!(resumed, Some(None));
        let follow = match resumed.flatten() {
            Some(follow) => follow,
            None => {
                let chat = opened.chat.id.clone();
                let start = Start::Now { chat, tail: opened.chat.tail };
                Follow::from(session, &lanes, &start)
                    .ok_or_else(|| ApiError::internal("the present end fits always"))?
            }
        };
        let bound =
            Bound { session: session.clone(), binding: opened.binding.clone(), follow, signals };
        Ok((bound, resync))
    }

    fn hold(&mut self, bound: Bound, opened: Opened, resync: bool) -> SessionBound {
        let answer = SessionBound {
            session_id: opened.session.id,
            project_id: opened.session.project,
            session_created: opened.created,
            chat_process_id: opened.chat.id,
            chat_process_name: opened.chat.spec.name,
            chat_engine: opened.chat.spec.recipe.engine,
            active_skills: dto::active_skills(&opened.chat.head.active_skills),
            cursor: bound.follow.cursor(),
            resync,
            queued: opened.queued,
        };
        self.bound = Some(Box::new(bound));
        answer
    }

    async fn list(&self, request: SessionListRequest) -> Result<SessionListReply> {
        let page = Page::first(SESSIONS_LISTED_MAX);
        let slice = self.services.sessions.list(&self.ctx(), request.project_id, page).await?;
        Ok(SessionListReply { sessions: slice.rows.into_iter().map(dto::session).collect() })
    }

    async fn processes(&self) -> Result<ProcessListReply> {
        let session = self.session()?;
        let lanes = self.services.sessions.processes(&self.ctx(), &session).await?;
        Ok(ProcessListReply { processes: lanes.iter().map(dto::process).collect() })
    }

    async fn messages(&self, request: &ProcessMessages) -> Result<ProcessMessagesReply> {
        let limit = request.limit.unwrap_or(MESSAGES_DEFAULT);
        if limit == 0 || limit > MESSAGES_MAX {
            let message = format!("`limit` is {limit}; it must be from 1 to {MESSAGES_MAX}");
            return Err(ApiError::invalid(message).because("invalid_parameter"));
        }
        let ctx = self.ctx();
        let lane = self.process(&ctx, &request.process_name).await?;
        let wait = self.services.lanes.chat_before(&ctx, &lane.id, lane.tail.next(), limit + 1);
        let rows = ctx.bound(wait).await??;
        let all: Vec<_> = rows.iter().filter_map(|row| dto::message(&lane, row)).collect();
        let keep = newest(all.iter().map(|message| message.content.len()), limit as usize);
        let older_truncated = keep < all.len();
        let messages = all.into_iter().rev().take(keep).collect::<Vec<_>>();
        let messages = messages.into_iter().rev().collect();
        Ok(ProcessMessagesReply { messages, older_truncated })
    }

    async fn steer(&self, request: ProcessSteer) -> Result<Queued> {
        let body = Body::Chat { text: request.content, mode: request.mode, needs_skills: false };
        self.queue(&request.process_name, body, request.idempotency_key.as_deref()).await
    }

    async fn cancel(&self, request: &ProcessCancel) -> Result<Queued> {
        let body = Body::Cancel { turn: request.turn_id };
        self.queue(&request.process_name, body, None).await
    }

    async fn skill(&self, request: ProcessSkillRequest) -> Result<ProcessSkillResponse> {
        if request.command == SkillCommand::List {
            return self.list_skills(request.process_name).await;
        }
        let key = request.idempotency_key.clone();
        let name = request.process_name.clone();
        let (lane, sent) = self.send_to(&name, change(request)?, key.as_deref()).await?;
        Ok(ProcessSkillResponse {
            process_name: name,
            queued: sent.messages.first().map(|message| message.seq),
            active_skills: dto::active_skills(&lane.head.active_skills),
            available_skills: Vec::new(),
        })
    }

    async fn list_skills(&self, name: ProcessName) -> Result<ProcessSkillResponse> {
        let ctx = self.ctx();
        let lane = self.process(&ctx, &name).await?;
        let (project, user) = (lane.spec.project.clone(), Some(lane.spec.user.clone()));
        let available = self.services.skills.effective(&ctx, &Scope { project, user }).await?;
        Ok(ProcessSkillResponse {
            process_name: name,
            queued: None,
            active_skills: dto::active_skills(&lane.head.active_skills),
            available_skills: dto::skills::effective(&available).skills,
        })
    }

    async fn process(&self, ctx: &OpCtx, name: &ProcessName) -> Result<LaneView> {
        let session = self.session()?;
        Ok(self.services.sessions.process(ctx, &session, name).await?)
    }

    async fn queue(&self, name: &ProcessName, body: Body, key: Option<&str>) -> Result<Queued> {
        let (lane, sent) = self.send_to(name, body, key).await?;
        let message = sent.messages.first();
        let message = message.ok_or_else(|| ApiError::internal("a message has a receipt"))?;
        Ok(Queued {
            think_process_id: lane.id,
            process_name: lane.spec.name,
            status: sent.status,
            queued: message.seq,
            duplicate: message.duplicate,
        })
    }

    async fn send_to(
        &self,
        name: &ProcessName,
        body: Body,
        key: Option<&str>,
    ) -> Result<(LaneView, Sent)> {
        check_key(key)?;
        let session = self.session()?;
        let sessions = Arc::clone(&self.services.sessions);
        Ok(sessions.send(&self.ctx(), &session, name, body, key).await?)
    }
}

/// What of the three opening requests differs.
#[derive(Default)]
struct Open {
    session: Option<SessionId>,
    project: Option<api_types::ids::ProjectId>,
    recipe: Option<api_types::ids::RecipeName>,
    takeover: bool,
    activations: Vec<api_types::frames::Activation>,
    message: Option<String>,
    key: Option<String>,
}

fn create(data: SessionCreate) -> Open {
    Open { project: Some(data.project_id), recipe: data.chat_recipe, ..Open::default() }
}

fn resume(data: SessionResume) -> (Open, Option<String>) {
    let open = Open { session: Some(data.session_id), takeover: data.takeover, ..Open::default() };
    (open, data.cursor)
}

fn bootstrap(data: SessionBootstrap) -> Result<(Open, Option<String>)> {
    check_key(data.idempotency_key.as_deref())?;
    let open = Open {
        session: data.session_id,
        project: data.project_id,
        recipe: data.chat_recipe,
        takeover: data.takeover,
        activations: data.activations,
        message: data.initial_message,
        key: data.idempotency_key,
    };
    Ok((open, data.cursor))
}

/// The change that a `process-skill` asks for.
fn change(request: ProcessSkillRequest) -> Result<Body> {
    let skill = request.skill_name.as_deref().map(str::parse::<SkillRef>).transpose();
    let skill = skill.map_err(|error| {
        ApiError::invalid(format!("`skillName`: {error}")).because("invalid_skill_name")
    })?;
    let skill = match request.command {
        SkillCommand::ClearAll | SkillCommand::List => None,
        SkillCommand::Activate | SkillCommand::Clear => Some(skill.ok_or_else(|| {
            ApiError::invalid("`skillName` is missing").because("missing_skill_name")
        })?),
    };
    let activates = request.command == SkillCommand::Activate;
    Ok(Body::Skill {
        command: request.command,
        skill,
        one_shot: activates && request.one_shot,
        args: request.args.filter(|_| activates),
    })
}

fn check_key(key: Option<&str>) -> Result<()> {
    match key {
        Some(key) if key.is_empty() || key.len() > IDEMPOTENCY_KEY_BYTES_MAX => {
            let message =
                format!("`idempotencyKey` must have 1 to {IDEMPOTENCY_KEY_BYTES_MAX} bytes");
            Err(ApiError::invalid(message).because("invalid_idempotency_key"))
        }
        _ => Ok(()),
    }
}

/// How many of these sizes, counted from the last, fit into a reply; at least one.
fn newest(sizes: impl DoubleEndedIterator<Item = usize>, limit: usize) -> usize {
    let mut bytes = 0;
    let fits = |size: &usize| {
        bytes += size;
        bytes <= MESSAGES_BYTES_MAX
    };
    let mut sizes = sizes.rev().take(limit).peekable();
    let least = usize::from(sizes.peek().is_some());
    sizes.take_while(fits).count().max(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_keep_the_newest_messages_that_fit() {
        let check = |sizes: &[usize], limit, expect| {
            assert_eq!(newest(sizes.iter().copied(), limit), expect, "{sizes:?}");
        };
        check(&[], 10, 0);
        check(&[1, 2, 3], 2, 2);
        check(&[1, 2, 3], 10, 3);
        check(&[MESSAGES_BYTES_MAX, 10], 10, 1);
        check(&[10, MESSAGES_BYTES_MAX], 10, 1);
        check(&[10, MESSAGES_BYTES_MAX + 1], 10, 1);
    }
}
