//! A connection that comes back: requests and events of one session over any number of sockets.
//!
//! What was asked and not yet answered is asked again after a reconnect; requests that change
//! something carry idempotency keys. Events go on after the last cursor, so none is missed or
//! told twice.

mod up;

use std::pin::Pin;
use std::time::Duration;

use api_types::error::{ErrorBody, ErrorCode};
use api_types::events::Event;
use api_types::frames::{
    Channel, ClientFrame, LiveEnvelope, PROTOCOL_VERSION, ReplyFrame, SessionBound, SessionResume,
    WebSocketEnvelope,
};
use api_types::ids::SessionId;

use self::up::{Heard, Up};
use super::backoff::Backoff;
use super::incoming::{Body, Incoming};
use super::{Error, connect};
use crate::config::Settings;

/// Names a request; its answer repeats it.
pub(crate) type RequestId = String;

/// What comes from the brain, or becomes of the connection to it.
#[derive(Debug)]
pub(crate) enum Next {
    /// A frame.
    Frame(Box<Incoming>),
    /// The connection was lost; it is tried again.
    Lost(String),
    /// The connection is back, and so is the session.
    Back,
    /// Events are missing: read the messages again.
    Resync(String),
}

#[derive(Debug)]
struct Bound {
    session: SessionId,
    cursor: String,
}

#[derive(Debug)]
struct Pending {
    id: RequestId,
    frame: ClientFrame,
}

type Try = Pin<Box<dyn Future<Output = Result<connect::Socket, Error>> + Send>>;

enum State {
    Up(Box<Up>),
    /// Waits for its next try.
    Down,
    /// Tries. The try is kept, so that who stops waiting for [`Link::next`] does not end it.
    Trying(Try),
}

/// A connection that comes back.
pub(crate) struct Link {
    settings: Settings,
    retry_time_max: Duration,
    state: State,
    bound: Option<Bound>,
    pending: Vec<Pending>,
    requests: u64,
    /// Begun at the first loss, over when the session is back: a brain that accepts and drops
    /// connections does not get more time.
    trouble: Option<Backoff>,
    /// What the brain said before it closed the connection.
    farewell: Option<ErrorBody>,
}

impl Link {
    /// Connects. A lost connection is tried again for at most `retry_time_max`; the first one
    /// is not.
    ///
    /// # Errors
    ///
    /// When the brain can't be reached or does not accept the token.
    pub(crate) async fn open(settings: Settings, retry_time_max: Duration) -> Result<Self, Error> {
        let socket = connect::connect(&settings).await?;
        Ok(Self {
            settings,
            retry_time_max,
            state: State::Up(Box::new(Up::new(socket))),
            bound: None,
            pending: Vec::new(),
            requests: 0,
            trouble: None,
            farewell: None,
        })
    }

    /// Asks for something. It is sent while [`Link::next`] is waited for.
    pub(crate) fn request(&mut self, frame: ClientFrame) -> RequestId {
        self.requests += 1;
        let id = self.requests.to_string();
        if let State::Up(up) = &mut self.state
            && !up.is_resuming()
        {
            up.send(envelope(&id, &frame));
        }
        self.pending.push(Pending { id: id.clone(), frame });
        id
    }

    /// The next frame, or what became of the connection. Cancel-safe.
    ///
    /// # Errors
    ///
    /// When the connection is lost for good, or the brain ended it on purpose.
    pub(crate) async fn next(&mut self) -> Result<Next, Error> {
        loop {
            let heard = match &mut self.state {
                State::Up(up) => up.hear().await,
                State::Trying(attempt) => {
                    match attempt.await {
                        Ok(socket) => self.greet(socket),
                        Err(error) if error.is_transient() => self.struggle(error.to_string())?,
                        Err(error) => return Err(error),
                    }
                    continue;
                }
                State::Down => {
                    if let Some(backoff) = &self.trouble {
                        tokio::time::sleep_until(backoff.due()).await;
                    }
                    let settings = self.settings.clone();
                    let attempt = async move { connect::connect(&settings).await };
                    self.state = State::Trying(Box::pin(attempt));
                    continue;
                }
            };
            let next = match heard {
                Heard::Frame(incoming) => self.take(incoming)?,
                Heard::Unreadable(problem) => {
                    let url = self.settings.url.clone();
                    return Err(Error::Protocol { url, problem });
                }
                Heard::Closed { code, reason } => Some(self.closed(code, &reason)?),
                Heard::Broken(problem) => Some(self.down(problem)?),
            };
            if let Some(next) = next {
                return Ok(next);
            }
        }
    }

    /// Says good-bye; the brain need not find out by itself.
    pub(crate) async fn close(self) {
        if let State::Up(up) = self.state {
            up.close().await;
        }
    }

    /// The next try waits longer, until the time is used up.
    fn struggle(&mut self, problem: String) -> Result<(), Error> {
        self.state = State::Down;
        let trouble = self.trouble.get_or_insert_with(|| Backoff::begin(self.retry_time_max));
        if trouble.failed(rand::random()) {
            return Ok(());
        }
        let after = trouble.total();
        Err(Error::Lost { url: self.settings.url.clone(), after, problem })
    }

    /// Takes up where the last socket ended.
    fn greet(&mut self, socket: connect::Socket) {
        let mut up = Up::new(socket);
        if let Some(bound) = &self.bound {
            let resume = ClientFrame::SessionResume(SessionResume {
                session_id: bound.session.clone(),
                // The brain may not have noticed yet that the old socket is dead.
                takeover: true,
                cursor: Some(bound.cursor.clone()),
            });
            self.requests += 1;
            let id = self.requests.to_string();
            up.send(envelope(&id, &resume));
            up.resume_with(id);
            self.state = State::Up(Box::new(up));
        } else {
            self.state = State::Up(Box::new(up));
            self.repeat();
        }
    }

    /// Asks again what was not answered.
    fn repeat(&mut self) {
        let State::Up(up) = &mut self.state else { return };
        for Pending { id, frame } in &mut self.pending {
            if let ClientFrame::SessionBootstrap(bootstrap) = frame {
                bootstrap.takeover |= bootstrap.session_id.is_some();
            }
            up.send(envelope(id, frame));
        }
    }

    fn take(&mut self, incoming: Box<Incoming>) -> Result<Option<Next>, Error> {
        if let (Some(cursor), Some(bound)) = (&incoming.cursor, &mut self.bound) {
            bound.cursor.clone_from(cursor);
        }
        match &incoming.body {
            Body::Reply(_, ReplyFrame::Pong(_)) => return Ok(None),
            Body::Reply(to, reply) => {
                if let Some(next) = self.resumed(to, reply) {
                    return Ok(Some(next));
                }
                self.pending.retain(|pending| pending.id != *to);
                self.trouble = None;
                self.bind(reply);
            }
            Body::Refused(to, error) => {
                if self.is_resume(to) {
                    return self.not_resumed(error.clone()).map(Some);
                }
                self.pending.retain(|pending| pending.id != *to);
            }
            Body::Event(Event::Welcome(welcome)) => {
                let theirs = welcome.server.protocol_version;
                if theirs != PROTOCOL_VERSION {
                    let problem = format!(
                        "it speaks version {theirs} of the protocol, this foot speaks {PROTOCOL_VERSION}; install the foot that belongs to it"
                    );
                    return Err(Error::Protocol { url: self.settings.url.clone(), problem });
                }
                if let State::Up(up) = &mut self.state {
                    up.ping_every(welcome.server.ping_interval);
                }
            }
            Body::Event(Event::SessionResync(resync)) => {
                if let Some(bound) = &mut self.bound {
                    bound.cursor.clone_from(&resync.cursor);
                }
                return Ok(Some(Next::Resync(resync.reason.clone())));
            }
            Body::Event(Event::Error(error)) => self.farewell = Some(error.clone()),
            Body::Event(_) | Body::Unknown { .. } => {}
        }
        Ok(Some(Next::Frame(incoming)))
    }

    fn is_resume(&self, to: &str) -> bool {
        matches!(&self.state, State::Up(up) if up.resume_id() == Some(to))
    }

    fn resumed(&mut self, to: &str, reply: &ReplyFrame) -> Option<Next> {
        if !self.is_resume(to) {
            return None;
        }
        let State::Up(up) = &mut self.state else { return None };
        up.resume_done();
        self.trouble = None;
        let mut missing = false;
        if let ReplyFrame::SessionResume(session) = reply {
            missing = session.resync;
            self.bound = Some(bound(session));
        }
        self.repeat();
        Some(if missing {
            Next::Resync(
                "the brain no longer keeps the events since the connection was lost".into(),
            )
        } else {
            Next::Back
        })
    }

    /// The session does not come back: at once where another try may help, for good otherwise.
    fn not_resumed(&mut self, error: ErrorBody) -> Result<Next, Error> {
        let error = Error::Refused(Box::new(error));
        if error.is_transient() { self.down(error.to_string()) } else { Err(error) }
    }

    fn bind(&mut self, reply: &ReplyFrame) {
        match reply {
            ReplyFrame::SessionCreate(session)
            | ReplyFrame::SessionResume(session)
            | ReplyFrame::SessionBootstrap(session) => self.bound = Some(bound(session)),
            ReplyFrame::SessionUnbind(_) | ReplyFrame::Logout(_) => self.bound = None,
            _ => {}
        }
    }

    /// The brain closed the connection: on purpose, or because it goes away.
    fn closed(&mut self, code: u16, reason: &str) -> Result<Next, Error> {
        let said = self.farewell.take();
        let code = match code {
            4400 | 1002 | 1003 | 1007 | 1009 => ErrorCode::InvalidArgument,
            4401 => ErrorCode::Unauthenticated,
            4403 => ErrorCode::Forbidden,
            4404 => ErrorCode::NotFound,
            4409 => ErrorCode::Conflict,
            4499 => ErrorCode::Cancelled,
            _ => return self.down(format!("the brain closed the connection: {reason}")),
        };
        let message = || format!("the brain closed the connection: {reason}");
        Err(Error::Refused(Box::new(said.filter(|said| said.code == code).unwrap_or_else(|| {
            ErrorBody {
                code,
                error_code: 0,
                error_message: message(),
                reason: Some(reason.to_owned()),
                request_id: None,
                current_revision: None,
                retry_after_ms: None,
            }
        }))))
    }

    fn down(&mut self, problem: String) -> Result<Next, Error> {
        self.farewell = None;
        self.state = State::Down;
        if self.trouble.is_none() {
            self.trouble = Some(Backoff::begin(self.retry_time_max));
        } else {
            self.struggle(problem.clone())?;
        }
        Ok(Next::Lost(problem))
    }
}

fn bound(session: &SessionBound) -> Bound {
    Bound { session: session.session_id.clone(), cursor: session.cursor.clone() }
}

fn envelope(id: &str, frame: &ClientFrame) -> String {
    let payload =
        WebSocketEnvelope { id: Some(id.to_owned()), reply_to: None, cursor: None, body: frame };
    let envelope = LiveEnvelope { channel: Channel::Session, session_id: None, payload };
    serde_json::to_string(&envelope).expect("frames are plain data")
}

#[cfg(test)]
mod tests;
