//! Sending a reply, with its delays and faults.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Response, StatusCode, header};
use bytes::Bytes;
use serde_json::Value;

use super::Dialect;
use super::frames::{Filled, Frames, anthropic, openai};
use super::incoming::Incoming;
use super::record::{Outcome, Ticket};
use super::script::{Fault, Reply};

/// One thing to do on an open stream.
#[derive(Debug)]
enum Act {
    Wait(Duration),
    Send(Bytes),
    Hang,
    Break,
}

/// An exchange: what was asked, what to answer, and where its end is written down.
pub(super) struct Exchange<'a> {
    pub(super) dialect: Dialect,
    pub(super) request: &'a Incoming,
    pub(super) reply: &'a Reply,
    pub(super) ticket: Ticket,
    pub(super) delay_ms: u64,
    pub(super) id: u64,
}

impl Exchange<'_> {
    /// Answers. A handler that is dropped in here met a client that left.
    pub(super) async fn respond(mut self) -> Response<Body> {
        if self.reply.first_delay_ms > 0 {
            tokio::time::sleep(Duration::from_millis(self.reply.first_delay_ms)).await;
        }
        match &self.reply.fault {
            Some(Fault::Hang { after_chunks: None }) => std::future::pending().await,
            Some(Fault::Status { status, retry_after, body }) => {
                self.status(*status, retry_after.as_deref(), body.clone())
            }
            Some(Fault::ContentType { content_type, body }) => {
                self.ticket.end(Outcome::Broken);
                respond(StatusCode::OK, content_type, Body::from(body.clone()))
            }
            Some(Fault::Empty) => {
                self.ticket.end(Outcome::Broken);
                respond(StatusCode::OK, STREAM, Body::empty())
            }
            _ if self.request.stream => self.stream(),
            _ => self.whole(),
        }
    }

    fn status(
        &mut self,
        status: u16,
        retry_after: Option<&str>,
        body: Option<String>,
    ) -> Response<Body> {
        self.ticket.end(Outcome::Broken);
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = body.unwrap_or_else(|| {
            self.error(error_kind(status), "the fake was told to answer so").to_string()
        });
        let mut response = respond(status, JSON, Body::from(body));
        if let Some(value) = retry_after.and_then(|value| value.parse().ok()) {
            response.headers_mut().insert(header::RETRY_AFTER, value);
        }
        response
    }

    fn error(&self, kind: &str, message: &str) -> Value {
        match self.dialect {
            Dialect::Anthropic => anthropic::error(kind, message),
            Dialect::OpenAi => openai::error(kind, message),
        }
    }

    fn filled(&self) -> Filled<'_> {
        Filled::new(self.reply, self.request, self.id)
    }

    fn whole(mut self) -> Response<Body> {
        let answer = match self.dialect {
            Dialect::Anthropic => anthropic::whole(&self.filled()),
            Dialect::OpenAi => openai::whole(&self.filled()),
        };
        self.ticket.end(Outcome::Completed);
        respond(StatusCode::OK, JSON, Body::from(answer.to_string()))
    }

    fn stream(mut self) -> Response<Body> {
        let frames = match self.dialect {
            Dialect::Anthropic => anthropic::frames(&self.filled()),
            Dialect::OpenAi => openai::frames(&self.filled()),
        };
        let delay_ms = self.reply.delay_ms.unwrap_or(self.delay_ms);
        let plain = self.reply.fault.is_none() && self.reply.quirks.split_bytes == 0;
        if plain && delay_ms == 0 {
            self.ticket.end(Outcome::Completed);
            let all = [frames.head, frames.chunks.concat(), frames.tail].concat();
            return respond(StatusCode::OK, STREAM, Body::from(self.encoded(all)));
        }
        let acts = self.plan(frames, Duration::from_millis(delay_ms));
        respond(StatusCode::OK, STREAM, Body::from_stream(perform(acts, self.ticket)))
    }

    fn plan(&self, frames: Frames, delay: Duration) -> VecDeque<Act> {
        let mut acts = Plan { acts: VecDeque::new(), split_bytes: self.reply.quirks.split_bytes };
        acts.send(self.encoded(frames.head));
        let strikes = self.strikes_after().unwrap_or(usize::MAX);
        for chunk in frames.chunks.into_iter().take(strikes) {
            acts.wait(delay);
            acts.send(self.encoded(chunk));
        }
        match &self.reply.fault {
            None => acts.send(self.encoded(frames.tail)),
            Some(fault) => self.strike(fault, &mut acts),
        }
        acts.acts
    }

    fn strikes_after(&self) -> Option<usize> {
        match self.reply.fault.as_ref()? {
            Fault::Hang { after_chunks } => *after_chunks,
            Fault::Cut { after_chunks }
            | Fault::EndEarly { after_chunks }
            | Fault::ErrorEvent { after_chunks, .. }
            | Fault::BrokenJson { after_chunks } => Some(*after_chunks),
            Fault::BrokenStream | Fault::EndlessLine { .. } => Some(0),
            Fault::Status { .. } | Fault::ContentType { .. } | Fault::Empty => None,
        }
    }

    fn strike(&self, fault: &Fault, acts: &mut Plan) {
        match fault {
            Fault::Hang { .. } => acts.acts.push_back(Act::Hang),
            Fault::Cut { .. } => acts.acts.push_back(Act::Break),
            Fault::ErrorEvent { error, .. } => {
                let data = self.error(error, "the fake was told to fail here");
                acts.send(Bytes::from(match self.dialect {
                    Dialect::Anthropic => anthropic::event("error", &data),
                    Dialect::OpenAi => openai::event(&data),
                }));
            }
            Fault::BrokenJson { .. } => acts.send(Bytes::from_static(b"data: {\"type\": oops\n\n")),
            Fault::BrokenStream => {
                acts.send(Bytes::from_static(b"\xff\xfe\x00 no stream\ndata: \xc3\x28\n\n"));
            }
            Fault::EndlessLine { bytes } => {
                acts.send(Bytes::from(format!("data: {}", "x".repeat(*bytes))));
            }
            Fault::EndEarly { .. }
            | Fault::Status { .. }
            | Fault::ContentType { .. }
            | Fault::Empty => {}
        }
    }

    fn encoded(&self, frame: String) -> Bytes {
        Bytes::from(if self.reply.quirks.crlf { frame.replace('\n', "\r\n") } else { frame })
    }
}

struct Plan {
    acts: VecDeque<Act>,
    split_bytes: usize,
}

impl Plan {
    fn wait(&mut self, delay: Duration) {
        if !delay.is_zero() {
            self.acts.push_back(Act::Wait(delay));
        }
    }

    fn send(&mut self, bytes: Bytes) {
        if self.split_bytes == 0 {
            self.acts.push_back(Act::Send(bytes));
            return;
        }
        let pieces = bytes.chunks(self.split_bytes).map(|piece| bytes.slice_ref(piece));
        self.acts.extend(pieces.map(Act::Send));
    }
}

/// Performs the acts as the client takes them. The ticket travels along: dropped half-way, it tells that the client left.
fn perform(
    acts: VecDeque<Act>,
    ticket: Ticket,
) -> impl futures::Stream<Item = Result<Bytes, io::Error>> {
    futures::stream::unfold((acts, ticket), |(mut acts, mut ticket)| async move {
        loop {
            match acts.pop_front() {
                Some(Act::Wait(delay)) => tokio::time::sleep(delay).await,
                Some(Act::Send(bytes)) => return Some((Ok(bytes), (acts, ticket))),
                Some(Act::Hang) => std::future::pending().await,
                Some(Act::Break) => {
                    // The server flushes what it has when there is nothing more to take; without that the break would
                    // swallow what was sent before it.
                    tokio::task::yield_now().await;
                    ticket.end(Outcome::Broken);
                    let broken = io::Error::other("the fake was told to break here");
                    return Some((Err(broken), (acts, ticket)));
                }
                None => {
                    ticket.end(Outcome::Completed);
                    return None;
                }
            }
        }
    })
}

const STREAM: &str = "text/event-stream; charset=utf-8";
const JSON: &str = "application/json";

fn respond(status: StatusCode, content_type: &str, body: Body) -> Response<Body> {
    Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, content_type)
        .body(body)
        .unwrap_or_else(|error| Response::new(Body::from(error.to_string())))
}

fn error_kind(status: StatusCode) -> &'static str {
    match status.as_u16() {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    }
}
