//! Opening, listing and closing sessions, and sending to their processes.

use std::sync::Arc;

use api_types::frames::{
    ACTIVATIONS_MAX, Activation, MESSAGE_BYTES_MAX, SKILL_ARGS_BYTES_MAX, SkillCommand, SteerMode,
};
use api_types::ids::{LaneId, ProcessName, Profile, ProjectId, RecipeName, SessionId, UserLogin};
use api_types::sessions::SessionStatus;

use super::error::Error;
use super::model::{Binding, NewSession, Session, SessionFilter, TITLE_CHARS_MAX};
use super::store::Store;
use crate::bus::{Bus, Signal, Topic};
use crate::ctx::OpCtx;
use crate::lanes::head::{Head, LaneView, Spec};
use crate::lanes::inbox::Body;
use crate::lanes::store::{NewLane, Sent};
use crate::lanes::{self, Lanes};
use crate::port::{self, Page, Slice};
use crate::recipes::{Recipes, Spawn};
use crate::runtime::{Clock, IdGen};
use crate::skills::{Scope, Skills};
use crate::tenants;

/// Name of every session's chat process.
const CHAT: &str = "chat";

/// A session to be made or resumed, and bound.
#[derive(Clone, Debug)]
pub struct OpenRequest {
    /// Resume this one; `None` = make one.
    pub session: Option<SessionId>,
    /// Project of a new one.
    pub project: Option<ProjectId>,
    /// Recipe of a new one's chat process; `None` = the configured default.
    pub recipe: Option<RecipeName>,
    /// The client's kind.
    pub profile: Profile,
    /// The connection that will hold it.
    pub connection: String,
    /// Take it from another connection.
    pub takeover: bool,
    /// Skills to activate first.
    pub activations: Vec<Activation>,
    /// First message.
    pub message: Option<String>,
    /// A repeat of the same request, by this key, does nothing twice.
    pub key: Option<String>,
}

/// A session is bound.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The session.
    pub session: Session,
    /// Its chat process, as it was before anything was queued.
    pub chat: LaneView,
    /// This request made it.
    pub created: bool,
    /// The connection's hold on it.
    pub binding: Binding,
    /// Inbox places of the activations, then of the message.
    pub queued: Vec<api_types::ids::Seq>,
}

/// What [`Sessions`] needs.
pub struct SessionsParts {
    /// Keeps sessions.
    pub store: Arc<dyn Store>,
    /// Tells which projects there are.
    pub tenants: Arc<dyn tenants::Store>,
    /// Their processes.
    pub lanes: Lanes,
    /// What processes are made from.
    pub recipes: Arc<Recipes>,
    /// What recipes may start with.
    pub skills: Arc<Skills>,
    /// Tells watchers.
    pub bus: Arc<dyn Bus>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Fresh ids.
    pub ids: Arc<IdGen>,
    /// Recipe of a chat whose maker names none.
    pub default_recipe: RecipeName,
}

/// Sessions of one node's tenants.
pub struct Sessions {
    parts: SessionsParts,
}

impl Sessions {
    /// The service over these parts.
    #[must_use]
    pub fn new(parts: SessionsParts) -> Self {
        Self { parts }
    }

    /// Makes or resumes a session, binds it to the connection, and queues activations and message together.
    ///
    /// # Errors
    /// [`Error`]; nothing is queued unless the session is bound.
    pub async fn open(&self, ctx: &OpCtx, request: OpenRequest) -> Result<Opened, Error> {
        let bodies = opening_bodies(&request)?;
        let (session, chat, created) = match &request.session {
            Some(id) => {
                let session = self.get(ctx, id).await?;
                if session.status == SessionStatus::Closed {
                    return Err(Error::Closed(id.clone()));
                }
                let chat = self.parts.lanes.view(ctx, &session.chat).await?;
                (session, chat, false)
            }
            None => self.make(ctx, &request).await?,
        };
        let bound =
            self.parts.store.bind(ctx, &session.id, &request.connection, request.takeover).await;
        let binding = match bound {
            Err(port::Error::AlreadyExists { .. }) => {
                return Err(Error::BoundElsewhere(session.id));
            }
            other => other?,
        };
        let signal = Signal::Bound { connection: request.connection.clone() };
        self.parts.bus.publish(&topic(ctx, &session.id), signal);
        let mut queued = Vec::new();
        if !bodies.is_empty() {
            let sent = self
                .parts
                .lanes
                .enqueue(ctx, &session.chat, bodies, request.key.as_deref())
                .await?;
            queued = sent.messages.iter().map(|m| m.seq).collect();
            self.note_activity(ctx, &session, request.message.as_deref()).await;
        }
        Ok(Opened { session, chat, created, binding, queued })
    }

    async fn make(
        &self,
        ctx: &OpCtx,
        request: &OpenRequest,
    ) -> Result<(Session, LaneView, bool), Error> {
        let user = ctx
            .actor
            .user()
            .ok_or_else(|| Error::Invalid("only a user can open a session".to_owned()))?;
        let project = request.project.clone().ok_or_else(|| {
            Error::Invalid(
                "a new session needs `projectId`; to resume one, send `sessionId`".to_owned(),
            )
        })?;
        self.check_project(ctx, user, &project).await?;
        let name = request.recipe.as_ref().unwrap_or(&self.parts.default_recipe);
        let at = self.parts.clock.now();
        let scope = Scope { project: project.clone(), user: Some(user.clone()) };
        let params = serde_json::Map::new();
        let spawn = Spawn { scope: &scope, profile: &request.profile, params: &params, at };
        let recipe = self.parts.recipes.snapshot(ctx, &self.parts.skills, name, spawn).await?;
        if crate::engines::by_name(&recipe.spec.engine).is_none() {
            let engines: Vec<_> = crate::engines::names().collect();
            return Err(Error::NoEngine {
                recipe: recipe.spec.name,
                engine: recipe.spec.engine,
                known: engines.join(", "),
            });
        }
        let (id, chat) = self.fresh_ids(ctx, request.key.as_deref());
        let new = NewSession {
            id,
            project: project.clone(),
            user: user.clone(),
            profile: request.profile.clone(),
            chat: chat.clone(),
            at,
        };
        let session = self.parts.store.create(ctx, new).await?;
        let spec = Spec {
            session: session.id.clone(),
            project,
            user: user.clone(),
            name: CHAT.parse().expect("`chat` is a name"),
            profile: request.profile.clone(),
            created_at: at,
            recipe: recipe.spec,
        };
        let head = Head { active_skills: recipe.active_skills, ..Head::default() };
        let lane = NewLane { id: chat.clone(), spec, head, messages: Vec::new() };
        self.parts.lanes.create(ctx, lane).await?;
        let view = self.parts.lanes.view(ctx, &chat).await?;
        Ok((session, view, true))
    }

    /// Ids of a new session and its chat; derived from the key, so that a repeat finds the first one's.
    fn fresh_ids(&self, ctx: &OpCtx, key: Option<&str>) -> (SessionId, LaneId) {
        let Some(key) = key else {
            return (
                SessionId::from_bits(self.parts.ids.bits()),
                LaneId::from_bits(self.parts.ids.bits()),
            );
        };
        let text = format!("session\0{}\0{}\0{key}", ctx.tenant, ctx.actor.sender());
        let hash = blake3::hash(text.as_bytes());
        let half = |from: usize| {
            let bytes = hash.as_bytes()[from..from + 16].try_into().expect("a digest has 32 bytes");
            u128::from_be_bytes(bytes)
        };
        (SessionId::from_bits(half(0)), LaneId::from_bits(half(16)))
    }

    async fn check_project(
        &self,
        ctx: &OpCtx,
        user: &UserLogin,
        project: &ProjectId,
    ) -> Result<(), Error> {
        let known = if project.is_system() {
            project == &ProjectId::user_layer(user)
        } else {
            self.parts.tenants.project_exists(&ctx.tenant, project).await?
        };
        if known { Ok(()) } else { Err(Error::NoProject(project.clone())) }
    }

    /// The session, if it is the caller's.
    ///
    /// # Errors
    /// `NotFound` for foreign ones too.
    pub async fn get(&self, ctx: &OpCtx, id: &SessionId) -> Result<Session, Error> {
        match self.parts.store.get(ctx, id).await {
            Ok(session) if Some(&session.user) == ctx.actor.user() => Ok(session),
            Ok(_) | Err(port::Error::NotFound { .. }) => Err(Error::NotFound(id.clone())),
            Err(error) => Err(error.into()),
        }
    }

    /// The caller's sessions, newest activity first.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn list(
        &self,
        ctx: &OpCtx,
        project: Option<ProjectId>,
        page: Page,
    ) -> Result<Slice<Session>, Error> {
        let filter = SessionFilter { user: ctx.actor.user().cloned(), project };
        Ok(self.parts.store.list(ctx, &filter, page).await?)
    }

    /// The processes of a session.
    ///
    /// # Errors
    /// `NotFound`, or those of the store.
    pub async fn processes(&self, ctx: &OpCtx, id: &SessionId) -> Result<Vec<LaneView>, Error> {
        self.get(ctx, id).await?;
        Ok(self.parts.lanes.read.list(ctx, id, Page::default()).await?.rows)
    }

    /// One process of a session.
    ///
    /// # Errors
    /// `NotFound`, `NoProcess`, or those of the store.
    pub async fn process(
        &self,
        ctx: &OpCtx,
        id: &SessionId,
        name: &ProcessName,
    ) -> Result<LaneView, Error> {
        let session = self.get(ctx, id).await?;
        self.process_of(ctx, &session, name).await
    }

    async fn process_of(
        &self,
        ctx: &OpCtx,
        session: &Session,
        name: &ProcessName,
    ) -> Result<LaneView, Error> {
        // Nearly every request is about the chat, whose lane the session names.
        if name.as_str() == CHAT {
            return Ok(self.parts.lanes.view(ctx, &session.chat).await?);
        }
        let all = self.parts.lanes.read.list(ctx, &session.id, Page::default()).await?.rows;
        let found = all.into_iter().find(|lane| &lane.spec.name == name);
        found.ok_or_else(|| Error::NoProcess { session: session.id.clone(), name: name.clone() })
    }

    /// Sends a message to a process: it is durable when this returns.
    ///
    /// # Errors
    /// [`Error`]; nothing was queued then, unless the store says `Unknown`: repeat with the same key.
    pub async fn send(
        &self,
        ctx: &OpCtx,
        id: &SessionId,
        name: &ProcessName,
        body: Body,
        key: Option<&str>,
    ) -> Result<(LaneView, Sent), Error> {
        check_body(&body)?;
        let session = self.get(ctx, id).await?;
        let lane = self.process_of(ctx, &session, name).await?;
        let title = match &body {
            Body::Chat { text, .. } => Some(text.clone()),
            _ => None,
        };
        let sent = self.parts.lanes.enqueue(ctx, &lane.id, vec![body], key).await?;
        self.note_activity(ctx, &session, title.as_deref()).await;
        Ok((lane, sent))
    }

    /// Lets a connection's hold go; a hold that another took is left alone.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn unbind(
        &self,
        ctx: &OpCtx,
        id: &SessionId,
        binding: &Binding,
    ) -> Result<(), Error> {
        Ok(self.parts.store.unbind(ctx, id, binding).await?)
    }

    /// Who holds a session now.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn holder(&self, ctx: &OpCtx, id: &SessionId) -> Result<Option<Binding>, Error> {
        Ok(self.parts.store.binding(ctx, id).await?)
    }

    /// Ends a session and its processes for good. What is queued is discarded.
    ///
    /// # Errors
    /// `NotFound`, or those of the store.
    pub async fn close(&self, ctx: &OpCtx, id: &SessionId) -> Result<Session, Error> {
        loop {
            let mut session = self.get(ctx, id).await?;
            if session.status == SessionStatus::Closed {
                return Ok(session);
            }
            session.status = SessionStatus::Closed;
            session.last_activity_at = self.parts.clock.now();
            let session = match self.parts.store.update(ctx, &session).await {
                Err(port::Error::Conflict { .. }) => continue,
                other => other?,
            };
            for lane in self.parts.lanes.read.list(ctx, id, Page::default()).await?.rows {
                let sent =
                    self.parts.lanes.enqueue(ctx, &lane.id, vec![Body::Close], Some("close")).await;
                match sent {
                    Ok(_) | Err(lanes::Error::Store(port::Error::Conflict { .. })) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            self.parts.bus.publish(&topic(ctx, id), Signal::Session);
            return Ok(session);
        }
    }

    /// Lossy by design: the listing's order and title, nothing that anyone relies on.
    async fn note_activity(&self, ctx: &OpCtx, session: &Session, message: Option<&str>) {
        let title: Option<String> = message
            .filter(|_| session.title.is_none())
            .map(|text| text.trim().chars().take(TITLE_CHARS_MAX).collect());
        let at = self.parts.clock.now();
        if title.is_none() && at.0 - session.last_activity_at.0 < ACTIVITY_NOTED_EVERY_MS {
            return;
        }
        if let Err(error) = self.parts.store.touch(ctx, &session.id, at, title.as_deref()).await {
            tracing::warn!(session.id = %session.id, %error, "could not note the session's activity");
        }
    }
}

/// Activity is noted at most so often: it only orders a listing.
const ACTIVITY_NOTED_EVERY_MS: i64 = 5_000;

fn topic(ctx: &OpCtx, session: &SessionId) -> Topic {
    Topic { tenant: ctx.tenant.clone(), session: session.clone() }
}

fn opening_bodies(request: &OpenRequest) -> Result<Vec<Body>, Error> {
    if request.activations.len() > ACTIVATIONS_MAX {
        return Err(Error::Invalid(format!(
            "at most {ACTIVATIONS_MAX} activations in one request"
        )));
    }
    let activate = |a: &Activation| Body::Skill {
        command: SkillCommand::Activate,
        skill: Some(a.skill_name.clone()),
        one_shot: a.one_shot,
        args: a.args.clone(),
    };
    let mut bodies: Vec<Body> = request.activations.iter().map(activate).collect();
    if let Some(text) = &request.message {
        let needs_skills = !bodies.is_empty();
        bodies.push(Body::Chat { text: text.clone(), mode: SteerMode::Steer, needs_skills });
    }
    bodies.iter().try_for_each(check_body)?;
    Ok(bodies)
}

fn check_body(body: &Body) -> Result<(), Error> {
    let too_long = |what, len: usize, max| {
        Err(Error::Invalid(format!(
            "the {what} has {len} bytes, more than the {max} that are allowed: put it into a document"
        )))
    };
    match body {
        Body::Chat { text, .. } if text.trim().is_empty() => {
            Err(Error::Invalid("the message is empty".to_owned()))
        }
        Body::Chat { text, .. } if text.len() > MESSAGE_BYTES_MAX => {
            too_long("message", text.len(), MESSAGE_BYTES_MAX)
        }
        Body::Skill { args: Some(args), .. } if args.len() > SKILL_ARGS_BYTES_MAX => {
            too_long("rest of the skill line", args.len(), SKILL_ARGS_BYTES_MAX)
        }
        _ => Ok(()),
    }
}
