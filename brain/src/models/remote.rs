//! A model behind HTTP: sends a request, reads the stream, tries again.

mod classify;
mod endpoint;

pub use self::endpoint::{ApiKey, Timeouts};
pub(crate) use self::endpoint::{Endpoint, Variables};

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use reqwest::Response;
use tokio::sync::OnceCell;
use tokio::time::{Instant, timeout};

use super::adjust::{Adjust, Known};
use super::draft::{Draft, Trouble};
use super::error::Error;
use super::retry::{Again, Next, RetryPolicy};
use super::sse::{self, Event};
use super::{Answer, Delta, Dialect, Provider, Request, Sink, anthropic, openai};
use crate::ctx::OpCtx;
use crate::runtime::IdGen;

/// Longest wait for the end of a stream whose answer is complete: a connection read to its end can be used again.
const DRAIN_WAIT: Duration = Duration::from_millis(50);

/// The model name that stands for «whatever the server serves first».
pub(crate) const AUTO_MODEL: &str = "auto";

/// Reads the events of one answer.
pub(crate) trait Read: Send {
    /// Takes an event; true if it ends the answer.
    fn event(&mut self, event: &Event, sink: &dyn Sink) -> Result<bool, Trouble>;
    /// The collected answer. `done`: an event said that it is complete.
    fn finish(self: Box<Self>, done: bool) -> Result<Draft, Trouble>;
}

/// A failed attempt.
#[derive(Debug)]
pub(crate) struct Failure {
    error: Error,
    again: Again,
}

/// A provider behind HTTP.
#[derive(Debug)]
pub(crate) struct Remote {
    endpoint: Endpoint,
    retry: RetryPolicy,
    ids: Arc<IdGen>,
    auto: OnceCell<String>,
    known: Known,
}

/// A call in progress.
struct Call<'a> {
    request: &'a Request,
    adjust: Adjust,
    /// Built once for all attempts that are made alike.
    body: Option<Bytes>,
}

/// Notes whether a watcher saw anything of this attempt.
struct Watched<'a> {
    sink: &'a dyn Sink,
    seen: AtomicBool,
}

impl Sink for Watched<'_> {
    fn delta(&self, delta: Delta) {
        self.seen.store(true, Ordering::Relaxed);
        self.sink.delta(delta);
    }
}

#[async_trait]
impl Provider for Remote {
    async fn call(&self, ctx: &OpCtx, request: &Request, sink: &dyn Sink) -> Result<Answer, Error> {
        let mut last = None;
        let mut call = Call { request, adjust: self.known.of(request.model.name()), body: None };
        for made in 1.. {
            let watched = Watched { sink, seen: AtomicBool::new(false) };
            let attempt = self.adjusted(&mut call, &watched);
            let stopped = |stopped| Error::stopped(stopped, self.endpoint.provider(), last.clone());
            let failure = match ctx.bound(attempt).await.map_err(stopped)? {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            let wait = self.wait(ctx, made, failure)?;
            tracing::warn!(attempt = made, wait_ms = wait.duration.as_millis(), error = %wait.error, "model call is made again");
            last = Some(wait.error.to_string());
            if watched.seen.into_inner() {
                let reason = wait.error.to_string();
                sink.delta(Delta::Restarted { attempt: made + 1, reason });
            }
            let stopped = |stopped| Error::stopped(stopped, self.endpoint.provider(), last.clone());
            ctx.bound(tokio::time::sleep(wait.duration)).await.map_err(stopped)?;
        }
        unreachable!("the policy ends the attempts")
    }
}

/// A failure that is worth another attempt.
struct Wait {
    duration: Duration,
    error: Error,
}

impl Remote {
    pub(crate) fn new(endpoint: Endpoint, retry: RetryPolicy, ids: Arc<IdGen>) -> Self {
        Self { endpoint, retry, ids, auto: OnceCell::new(), known: Known::default() }
    }

    fn wait(&self, ctx: &OpCtx, made: u32, failure: Failure) -> Result<Wait, Error> {
        let error = failure.error.count_attempts(made);
        match self.retry.next(made, failure.again, self.ids.bits()) {
            // Nobody is helped by waiting for a deadline.
            Next::Wait(wait) if Instant::now() + wait >= ctx.deadline => Err(error),
            Next::Wait(duration) => Ok(Wait { duration, error }),
            Next::Park(retry_after) => Err(self.endpoint.busy(error, retry_after)),
            Next::GiveUp => Err(error),
        }
    }

    /// An attempt, and at once another where the provider complains of something that can be left out.
    async fn adjusted(&self, call: &mut Call<'_>, sink: &dyn Sink) -> Result<Answer, Failure> {
        let model = call.request.model.name();
        loop {
            let failure = match self.attempt(call, sink).await {
                Ok(answer) => {
                    self.known.learn(model, call.adjust);
                    return Ok(answer);
                }
                Err(failure) => failure,
            };
            let Error::Refused { status: 400 | 422, said, .. } = &failure.error else {
                return Err(failure);
            };
            let Some(adjust) = call.adjust.after(said) else { return Err(failure) };
            tracing::info!(model, said, "the request is made again without what was refused");
            call.adjust = adjust;
            call.body = None;
        }
    }

    async fn attempt(&self, call: &mut Call<'_>, sink: &dyn Sink) -> Result<Answer, Failure> {
        let model = &call.request.model;
        let body = match &call.body {
            Some(body) => body,
            None => call.body.insert(self.body(call.request, call.adjust).await?),
        };
        let response = self.endpoint.post(body.clone(), model.name()).await?;
        let draft = self.read(response, sink).await?;
        Ok(draft.finish(&self.ids, model, body.len()))
    }

    async fn body(&self, request: &Request, adjust: Adjust) -> Result<Bytes, Failure> {
        let mut model = request.model.name();
        if model == AUTO_MODEL {
            model = self.auto.get_or_try_init(|| self.endpoint.first_model()).await?;
        }
        Ok(match self.endpoint.dialect() {
            Dialect::Anthropic => anthropic::body(request, model, adjust),
            Dialect::OpenAi => openai::body(request, model, self.endpoint.limit_field(), adjust),
        })
    }

    fn reader(&self) -> Box<dyn Read> {
        match self.endpoint.dialect() {
            Dialect::Anthropic => Box::<anthropic::Reader>::default(),
            Dialect::OpenAi => Box::<openai::Reader>::default(),
        }
    }

    async fn read(&self, mut response: Response, sink: &dyn Sink) -> Result<Draft, Failure> {
        let mut reader = self.reader();
        let mut parser = sse::Parser::default();
        let mut events = Vec::new();
        let mut done = false;
        while !done {
            let Some(bytes) = self.endpoint.chunk(&mut response).await? else { break };
            let parsed = parser.push(&bytes, &mut events);
            done = self.take(&mut *reader, &mut events, sink)?;
            if !done {
                parsed.map_err(|error| self.endpoint.unreadable(&error))?;
            }
        }
        if done {
            // Whatever follows the end is of no interest.
            timeout(DRAIN_WAIT, drain(response)).await.ok();
        } else if let Ok(Some(event)) = parser.finish() {
            // The end of the stream may have cut this event in two; then the reader misses the end of the answer.
            match reader.event(&event, sink) {
                Ok(ended) => done = ended,
                Err(Trouble::Nonsense(_)) => {}
                Err(trouble) => return Err(self.endpoint.trouble(trouble)),
            }
        }
        reader.finish(done).map_err(|trouble| self.endpoint.trouble(trouble))
    }

    fn take(
        &self,
        reader: &mut dyn Read,
        events: &mut Vec<Event>,
        sink: &dyn Sink,
    ) -> Result<bool, Failure> {
        for event in events.drain(..) {
            let done = reader.event(&event, sink).map_err(|t| self.endpoint.trouble(t))?;
            if done {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

async fn drain(mut response: Response) {
    while let Ok(Some(_)) = response.chunk().await {}
}
