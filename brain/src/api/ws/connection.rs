//! One connection: a loop over what can happen to it.

use std::future::{pending, poll_fn};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use api_types::error::ErrorCode;
use api_types::events::{Event, SessionResync};
use api_types::frames::{
    Channel, LiveEnvelope, PROTOCOL_VERSION, ServerInfo, WebSocketEnvelope, Welcome,
};
use api_types::ids::{Profile, SessionId};
use axum::extract::ws::{CloseFrame, Message, WebSocket};
use bytes::Bytes;
use futures::FutureExt;
use serde::Serialize;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite;
use tokio_util::sync::CancellationToken;

use super::follow::{Follow, Halt, Start, push_text};
use super::frame::{self, BadFrame};
use super::outbound::{Io, Outbound};
use crate::api::Services;
use crate::api::error::{ApiError, Result};
use crate::api::status;
use crate::bus::{Signal, Subscription};
use crate::ctx::{Actor, OPERATION_TIME_MAX, OpCtx};
use crate::sessions::Binding;
use crate::tenants::Identity;

/// Time between the service's pings.
const PING_EVERY: Duration = Duration::from_secs(20);
/// Pings without a sign of life after which the connection is given up.
const PINGS_MISSED_MAX: u32 = 2;
/// Time between two looks at the logs; the bus may lose what it should tell.
const LOOK_EVERY_MS: u64 = 1_000;
/// Every so many looks, new lanes and the binding are looked at, too.
const FULL_LOOK_EVERY: u32 = 5;
/// Most malformed frames of a connection in a minute.
pub const FAULTS_MAX: u32 = 60;
/// See [`FAULTS_MAX`].
const FAULTS_WINDOW: Duration = Duration::from_secs(60);
/// Longest wait for a client to take and to answer the close frame.
const CLOSE_TIME_MAX: Duration = Duration::from_secs(2);
/// Most reads of logs between two looks at the socket.
const PULLS_MAX: u32 = 8;

/// The session that a connection holds.
pub(super) struct Bound {
    pub(super) session: SessionId,
    pub(super) binding: Binding,
    pub(super) follow: Follow,
    pub(super) signals: Subscription,
}

/// Why a connection ends.
#[derive(Debug)]
pub(super) enum End {
    /// The client is gone, or can't be written to.
    Gone,
    /// At the client's wish.
    Bye,
    /// Because of an error, with this close code.
    Error(u16, ApiError),
}

impl End {
    /// An error ends the connection with the close code of its kind.
    pub(super) fn because(error: ApiError) -> Self {
        Self::Error(status::close(error.code()), error)
    }
}

/// What woke the connection.
enum Wake {
    Stop,
    Io(Io),
    Signal(Option<Signal>),
    Time,
}

/// One connection.
pub(super) struct Connection {
    pub(super) services: Arc<Services>,
    pub(super) who: Identity,
    pub(super) profile: Profile,
    /// Its name in bindings and in the welcome.
    pub(super) id: String,
    pub(super) bound: Option<Box<Bound>>,
    out: Outbound,
    /// Fires when the connection ends: its operations are taken back.
    ended: CancellationToken,
    ping_at: Instant,
    missed: u32,
    look_at: Instant,
    looks: u32,
    faults: (Instant, u32),
}

impl Connection {
    pub(super) fn new(services: Arc<Services>, who: Identity, profile: Profile) -> Self {
        let now = Instant::now();
        let id = format!("conn_{:032x}", services.ids.bits());
        let mut connection = Self {
            services,
            who,
            profile,
            id,
            bound: None,
            out: Outbound::default(),
            ended: CancellationToken::new(),
            ping_at: now + PING_EVERY,
            missed: 0,
            look_at: now,
            looks: 0,
            faults: (now, 0),
        };
        connection.look_later();
        connection
    }

    /// Serves the client until it leaves, misbehaves, or the service stops.
    pub(super) async fn run(mut self, mut socket: WebSocket) {
        let stop = self.services.tasks.stopping();
        let mut end = self.welcome().err();
        while end.is_none() {
            end = self.round(&mut socket, &stop).await.err();
        }
        if let Some(end) = end {
            Box::pin(self.finish(socket, end)).await;
        }
    }

    /// A context for one operation of this connection.
    pub(super) fn ctx(&self) -> OpCtx {
        OpCtx {
            tenant: self.who.tenant.clone(),
            actor: Actor::User(self.who.user.clone()),
            deadline: Instant::now() + OPERATION_TIME_MAX,
            cancel: self.ended.child_token(),
        }
    }

    async fn round(
        &mut self,
        socket: &mut WebSocket,
        stop: &CancellationToken,
    ) -> std::result::Result<(), End> {
        let mut time = self.ping_at;
        if self.bound.is_some() {
            time = time.min(self.look_at);
        }
        if let Some(deadline) = self.out.deadline() {
            time = time.min(deadline);
        }
        let (out, bound) = (&mut self.out, &mut self.bound);
        let wake = tokio::select! {
            () = stop.cancelled() => Wake::Stop,
            io = poll_fn(|cx| out.poll(socket, cx)) => Wake::Io(io),
            signal = signal(bound) => Wake::Signal(signal),
            () = tokio::time::sleep_until(time) => Wake::Time,
        };
        match wake {
            Wake::Stop => {
                let error = ApiError::new(ErrorCode::Unavailable, "the service is stopping");
                return Err(End::Error(
                    status::CLOSE_GOING_AWAY,
                    error.because("service_stopping").retry_after(1_000),
                ));
            }
            Wake::Io(io) => self.on_io(io).await?,
            Wake::Signal(signal) => self.on_signal(signal)?,
            Wake::Time => self.on_time().await?,
        }
        self.pump().await
    }

    async fn on_io(&mut self, io: Io) -> std::result::Result<(), End> {
        match io {
            Io::Flushed => Ok(()),
            Io::Ended => Err(End::Gone),
            Io::Failed(error) => Err(failed(error)),
            Io::Frame(message) => {
                self.missed = 0;
                match message {
                    Message::Text(text) => self.on_text(text.as_str()).await,
                    Message::Binary(_) => {
                        let error = ApiError::invalid("frames are text frames of JSON");
                        self.on_bad(BadFrame { id: None, error: error.because("binary_frame") })
                    }
                    Message::Close(_) => Err(End::Bye),
                    // The protocol's own pings are answered below us.
                    Message::Ping(_) | Message::Pong(_) => Ok(()),
                }
            }
        }
    }

    async fn on_text(&mut self, text: &str) -> std::result::Result<(), End> {
        let request = match frame::read(text) {
            Ok(request) => request,
            Err(bad) => return self.on_bad(*bad),
        };
        let leaves = matches!(request.frame, api_types::frames::ClientFrame::Logout(_));
        // Boxed, so that an idle connection does not carry the space of a request.
        let answer = Box::pin(AssertUnwindSafe(self.answer(request.frame)).catch_unwind()).await;
        let answer = answer.unwrap_or_else(|_| Err(ApiError::internal("the request panicked")));
        match answer {
            Ok(reply) => {
                self.send(None, request.id, reply)?;
                if leaves { Err(End::Bye) } else { Ok(()) }
            }
            Err(error) => self.send_error(request.id, error),
        }
    }

    /// A malformed frame costs an error, not the connection, unless they are many.
    fn on_bad(&mut self, bad: BadFrame) -> std::result::Result<(), End> {
        let now = Instant::now();
        if now.duration_since(self.faults.0) > FAULTS_WINDOW {
            self.faults = (now, 0);
        }
        self.faults.1 += 1;
        if self.faults.1 > FAULTS_MAX {
            let message = format!("more than {FAULTS_MAX} malformed frames in a minute");
            let error = ApiError::new(ErrorCode::TooManyRequests, message);
            return Err(End::because(error.because("too_many_malformed_frames")));
        }
        self.send_error(bad.id, bad.error)
    }

    fn on_signal(&mut self, signal: Option<Signal>) -> std::result::Result<(), End> {
        let Some(bound) = &mut self.bound else { return Ok(()) };
        match signal {
            Some(Signal::Advanced { lane, tail, rows }) => {
                match bound.follow.advanced(&lane, tail, &rows, &mut self.out) {
                    Ok(true) => Ok(()),
                    Ok(false) => {
                        self.look_fully_now();
                        Ok(())
                    }
                    Err(halt) => self.on_halt(halt),
                }
            }
            Some(Signal::Overlay(event)) => {
                if !self.out.takes_overlay() {
                    return Ok(());
                }
                let text = push_text(&bound.session, None, Event::clone(&event));
                self.push(text)
            }
            Some(Signal::Bound { connection }) if connection != self.id => Err(taken(bound)),
            Some(Signal::Bound { .. }) => Ok(()),
            Some(Signal::Session) | None => {
                self.look_fully_now();
                Ok(())
            }
        }
    }

    async fn on_time(&mut self) -> std::result::Result<(), End> {
        let now = Instant::now();
        if self.out.deadline().is_some_and(|deadline| deadline <= now) {
            tracing::info!(connection = self.id, "the client takes nothing; closing");
            return Err(End::Gone);
        }
        if self.ping_at <= now {
            self.ping_at = now + PING_EVERY;
            if self.missed >= PINGS_MISSED_MAX {
                return Err(End::Gone);
            }
            self.missed += 1;
            self.out.push_control(Message::Ping(Bytes::new()));
        }
        if self.bound.is_some() && self.look_at <= now {
            self.look_later();
            Box::pin(self.look()).await?;
        }
        Ok(())
    }

    /// Looks for what the bus may have lost.
    async fn look(&mut self) -> std::result::Result<(), End> {
        let ctx = self.ctx();
        let services = Arc::clone(&self.services);
        self.looks += 1;
        let full = self.looks.is_multiple_of(FULL_LOOK_EVERY);
        let Some(bound) = &mut self.bound else { return Ok(()) };
        if full {
            let held = services.sessions.holder(&ctx, &bound.session).await;
            if let Ok(Some(holder)) = &held
                && *holder != bound.binding
            {
                return Err(taken(bound));
            }
            if let Err(error) = bound.follow.find_new(&services.lanes, &ctx).await {
                return self.on_halt(Halt::Failed(error));
            }
            return Ok(());
        }
        match bound.follow.look(&services.lanes, &ctx).await {
            Ok(()) => Ok(()),
            Err(error) => self.on_halt(Halt::Failed(error)),
        }
    }

    fn look_later(&mut self) {
        // Spread, so that a thousand connections don't ask at the same moment.
        let jitter = u64::try_from(self.services.ids.bits() % 200).unwrap_or(0);
        self.look_at = Instant::now() + Duration::from_millis(LOOK_EVERY_MS - 100 + jitter);
    }

    fn look_fully_now(&mut self) {
        self.look_at = Instant::now();
        self.looks = FULL_LOOK_EVERY - 1;
    }

    /// Reads and tells what is durable, while the client takes it.
    async fn pump(&mut self) -> std::result::Result<(), End> {
        for _ in 0..PULLS_MAX {
            let ready = self.out.takes_events();
            let Some(bound) = &mut self.bound else { return Ok(()) };
            if !ready || !bound.follow.behind() {
                return Ok(());
            }
            let (services, ctx) = (Arc::clone(&self.services), self.ctx());
            let Some(bound) = &mut self.bound else { return Ok(()) };
            let pull = Box::pin(bound.follow.pull(&services.lanes, &ctx, &mut self.out)).await;
            match pull {
                Ok(()) => {}
                Err(Halt::Gone) => Box::pin(self.resync()).await?,
                Err(halt) => self.on_halt(halt)?,
            }
        }
        Ok(())
    }

    fn on_halt(&mut self, halt: Halt) -> std::result::Result<(), End> {
        match halt {
            Halt::Full(full) => {
                tracing::info!(connection = self.id, error = %full, "closing");
                let error = ApiError::new(ErrorCode::TooManyRequests, full.to_string());
                Err(End::because(error.because("slow_client")))
            }
            // The client keeps its place: the next look tries again.
            Halt::Failed(error) => {
                tracing::warn!(connection = self.id, ?error, "could not read the session's logs");
                if let Some(bound) = &mut self.bound {
                    bound.follow.rest();
                }
                Ok(())
            }
            Halt::Gone => {
                self.look_fully_now();
                Ok(())
            }
        }
    }

    /// Follows from the present end, and tells the client to read what it missed.
    async fn resync(&mut self) -> std::result::Result<(), End> {
        let (services, ctx) = (Arc::clone(&self.services), self.ctx());
        let Some(bound) = &mut self.bound else { return Ok(()) };
        let list = services.lanes.list(&ctx, &bound.session, crate::port::Page::default());
        let lanes = match ctx.bound(list).await.map_err(ApiError::from) {
            Ok(Ok(lanes)) => lanes.rows,
            Ok(Err(error)) => return self.on_halt(Halt::Failed(error.into())),
            Err(error) => return self.on_halt(Halt::Failed(error)),
        };
        let Some(follow) = Follow::from(&bound.session, &lanes, &Start::Ends) else {
            return Ok(());
        };
        bound.follow = follow;
        let event = Event::SessionResync(SessionResync {
            cursor: bound.follow.cursor(),
            reason: "events between the last one and this one are no longer kept".to_owned(),
        });
        let text = push_text(&bound.session, Some(bound.follow.cursor()), event);
        self.push(text)
    }

    fn welcome(&mut self) -> std::result::Result<(), End> {
        let welcome = Event::Welcome(Welcome {
            user_id: self.who.user.clone(),
            tenant_id: self.who.tenant.clone(),
            editor_id: self.id.clone(),
            server: ServerInfo {
                version: self.services.version.clone(),
                protocol_version: PROTOCOL_VERSION,
                ping_interval: 30,
                capabilities: vec!["session-cursor".to_owned()],
            },
        });
        self.send(None, None, welcome)
    }

    fn send_error(
        &mut self,
        reply_to: Option<String>,
        error: ApiError,
    ) -> std::result::Result<(), End> {
        let body = error.into_body(&self.services.request_id());
        self.send(None, reply_to, Event::Error(body))
    }

    /// Sends a reply, or a push of this connection.
    fn send<T: Serialize>(
        &mut self,
        cursor: Option<String>,
        reply_to: Option<String>,
        body: T,
    ) -> std::result::Result<(), End> {
        let session_id = self.bound.as_ref().map(|bound| bound.session.clone());
        let payload = WebSocketEnvelope { id: None, reply_to, cursor, body };
        let frame = LiveEnvelope { channel: Channel::Session, session_id, payload };
        self.push(serde_json::to_string(&frame).map_err(ApiError::internal))
    }

    fn push(&mut self, text: Result<String>) -> std::result::Result<(), End> {
        let text = text.map_err(End::because)?;
        match self.out.push(text) {
            Ok(()) => Ok(()),
            Err(full) => self.on_halt(Halt::Full(full)),
        }
    }

    /// Lets the session go, says why the connection ends, and waits a little for the client to hear it.
    async fn finish(mut self, mut socket: WebSocket, end: End) {
        self.unbind().await;
        self.ended.cancel();
        let close = match end {
            End::Gone => return,
            End::Bye => CloseFrame { code: status::CLOSE_NORMAL, reason: "bye".into() },
            End::Error(code, error) => {
                let reason = error.reason().unwrap_or("error").to_owned();
                // A full buffer is no reason to be silent, but the close frame says enough then.
                drop(self.send_error(None, error));
                CloseFrame { code, reason: reason.into() }
            }
        };
        self.out.push_control(Message::Close(Some(close)));
        let farewell = async {
            loop {
                match poll_fn(|cx| self.out.poll(&mut socket, cx)).await {
                    Io::Ended | Io::Failed(_) => break,
                    Io::Flushed | Io::Frame(_) => {}
                }
            }
        };
        // The client that does not answer has been told often enough.
        drop(tokio::time::timeout(CLOSE_TIME_MAX, farewell).await);
    }

    /// Lets the bound session go, if there is one.
    pub(super) async fn unbind(&mut self) {
        let Some(bound) = self.bound.take() else { return };
        let ctx = OpCtx::new(self.who.tenant.clone(), Actor::User(self.who.user.clone()));
        let sessions = &self.services.sessions;
        if let Err(error) = sessions.unbind(&ctx, &bound.session, &bound.binding).await {
            tracing::warn!(session.id = %bound.session, %error, "could not let the session go");
        }
    }
}

/// The next signal of the bound session; none ever without one.
async fn signal(bound: &mut Option<Box<Bound>>) -> Option<Signal> {
    match bound {
        Some(bound) => bound.signals.next().await,
        None => pending().await,
    }
}

fn taken(bound: &Bound) -> End {
    let message = format!("another connection took the session {}", bound.session);
    End::because(ApiError::new(ErrorCode::Conflict, message).because("session_taken_over"))
}

/// A socket that can't be read any more: too large a frame is told, all else is a lost connection.
fn failed(error: axum::Error) -> End {
    let inner = error.into_inner();
    match inner.downcast_ref::<tungstenite::Error>() {
        Some(tungstenite::Error::Capacity(_)) => {
            let max = api_types::frames::FRAME_BYTES_MAX;
            let message = format!("a frame has more than {max} bytes");
            let error = ApiError::invalid(message).because("frame_too_large");
            End::Error(status::CLOSE_TOO_BIG, error)
        }
        Some(tungstenite::Error::Utf8(_)) => {
            End::because(ApiError::invalid("a text frame is not UTF-8").because("not_utf8"))
        }
        _ => End::Gone,
    }
}
