//! One living socket: writes what waits while it reads, and asks whether the brain is still there.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use api_types::frames::{ClientFrame, Ping};
use futures::{Sink, Stream};
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Message;

use super::super::connect::{self, Socket};
use super::super::incoming::{self, Incoming};
use super::envelope;

/// Seconds between pings until the brain names them.
const PING_SECONDS: u32 = 30;
/// Silence after a ping that means a dead connection.
const PONG_TIME_MAX: Duration = Duration::from_secs(10);
/// Longest good-bye.
const CLOSE_TIME_MAX: Duration = Duration::from_millis(250);
/// Id of pings; requests have numbers.
const PING_ID: &str = "ping";

/// What is heard from a socket.
pub(super) enum Heard {
    Frame(Box<Incoming>),
    Unreadable(String),
    Closed { code: u16, reason: String },
    Broken(String),
}

pub(super) struct Up {
    socket: Socket,
    outbox: VecDeque<Message>,
    unflushed: bool,
    resume: Option<String>,
    ping_interval: Duration,
    ping_at: Instant,
    /// A ping is on its way; anything that is heard answers it.
    asked: bool,
}

impl Up {
    pub(super) fn new(socket: Socket) -> Self {
        let ping_interval = Duration::from_secs(u64::from(PING_SECONDS));
        Self {
            socket,
            outbox: VecDeque::new(),
            unflushed: false,
            resume: None,
            ping_interval,
            ping_at: Instant::now() + ping_interval,
            asked: false,
        }
    }

    pub(super) fn send(&mut self, text: String) {
        self.outbox.push_back(connect::text(text));
    }

    pub(super) fn resume_with(&mut self, id: String) {
        self.resume = Some(id);
    }

    pub(super) fn resume_id(&self) -> Option<&str> {
        self.resume.as_deref()
    }

    pub(super) fn is_resuming(&self) -> bool {
        self.resume.is_some()
    }

    pub(super) fn resume_done(&mut self) {
        self.resume = None;
    }

    pub(super) fn ping_every(&mut self, seconds: u32) {
        self.ping_interval = Duration::from_secs(u64::from(seconds.clamp(1, 3600)));
        self.ping_at = Instant::now() + self.ping_interval;
    }

    /// The next thing that is heard. Cancel-safe.
    pub(super) async fn hear(&mut self) -> Heard {
        loop {
            let due = self.ping_at;
            let heard = tokio::select! {
                biased;
                heard = std::future::poll_fn(|cx| self.poll(cx)) => heard,
                () = tokio::time::sleep_until(due) => match self.ping() {
                    Some(heard) => heard,
                    None => continue,
                },
            };
            self.alive();
            return heard;
        }
    }

    /// It is time to ask, or the brain has not answered.
    fn ping(&mut self) -> Option<Heard> {
        if self.asked {
            let seconds = PONG_TIME_MAX.as_secs();
            return Some(Heard::Broken(format!("the brain was silent for {seconds} s")));
        }
        self.asked = true;
        self.ping_at = Instant::now() + PONG_TIME_MAX;
        let ping = ClientFrame::Ping(Ping { client_timestamp: now_ms() });
        self.send(envelope(PING_ID, &ping));
        None
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Heard> {
        if let Err(error) = self.poll_write(cx) {
            return Poll::Ready(Heard::Broken(error.to_string()));
        }
        loop {
            let message = match Pin::new(&mut self.socket).poll_next(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(None) => Err("the brain closed the connection".to_owned()),
                Poll::Ready(Some(Err(error))) => Err(error.to_string()),
                Poll::Ready(Some(Ok(message))) => Ok(message),
            };
            match message {
                Err(problem) => return Poll::Ready(Heard::Broken(problem)),
                Ok(Message::Text(text)) => {
                    return Poll::Ready(match incoming::read(text.as_str()) {
                        Ok(incoming) => Heard::Frame(Box::new(incoming)),
                        Err(error) => Heard::Unreadable(format!("a frame is not one: {error}")),
                    });
                }
                Ok(Message::Close(frame)) => {
                    let (code, reason) = frame.map_or((1005, String::new()), |frame| {
                        (u16::from(frame.code), frame.reason.to_string())
                    });
                    return Poll::Ready(Heard::Closed { code, reason });
                }
                // Pings are answered by the library; they also show that the brain is there.
                Ok(_) => self.alive(),
            }
        }
    }

    fn alive(&mut self) {
        self.asked = false;
        self.ping_at = Instant::now() + self.ping_interval;
    }

    /// Writes what can be written now; the rest goes on when the socket is ready.
    fn poll_write(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Result<(), tokio_tungstenite::tungstenite::Error> {
        let mut socket = Pin::new(&mut self.socket);
        while !self.outbox.is_empty() {
            match socket.as_mut().poll_ready(cx) {
                Poll::Pending => return Ok(()),
                Poll::Ready(ready) => ready?,
            }
            if let Some(message) = self.outbox.pop_front() {
                socket.as_mut().start_send(message)?;
                self.unflushed = true;
            }
        }
        if self.unflushed
            && let Poll::Ready(flushed) = socket.poll_flush(cx)
        {
            flushed?;
            self.unflushed = false;
        }
        Ok(())
    }

    pub(super) async fn close(mut self) {
        drop(tokio::time::timeout(CLOSE_TIME_MAX, self.socket.close(None)).await);
    }
}

#[expect(clippy::disallowed_methods, reason = "the frame wants the client's wall clock")]
fn now_ms() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| i64::try_from(now.as_millis()).unwrap_or(i64::MAX))
}
