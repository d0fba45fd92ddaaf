//! A model provider that does as it is told: it speaks Anthropic Messages and OpenAI chat completions with streaming,
//! answers by script, goes wrong on demand and records what it was asked.
//!
//! Without a script it answers `ok: ` and the last user message. Tests that run side by side can share one: give each
//! its own word in its user messages and script by [`Rule::on`].
//!
//! Over HTTP a script is the JSON form of [`Script`]; this one answers a message with «review» by a tool call, the
//! outcome of that by a slow text, and whatever else comes next by a refusal:
//!
//! ```json
//! {
//!   "rules": [{"when": {"last_user": "review"}, "replies": [
//!     {"calls": [{"name": "doc_read", "arguments": {"path": "a.md"}}]},
//!     {"text": "Looks good.", "chunk_chars": 4, "delay_ms": 20}
//!   ]}],
//!   "queue": [{"fault": {"kind": "status", "status": 429, "retry_after": "2"}}]
//! }
//! ```
//!
//! `GET /_requests?last_user=review&min=2&ended=true&wait_ms=5000` waits for both requests and shows them.

pub mod record;
pub mod script;

mod frames;
mod incoming;
mod respond;
mod routes;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

pub use self::record::{Log, Outcome, Recorded};
pub use self::script::{Call, Fault, Match, Quirks, Reply, Rule, Script, Tokens};

/// Largest request body, in bytes.
pub const BODY_BYTES_MAX: usize = 64 * 1024 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Anthropic,
    OpenAi,
}

/// How to serve.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Wait before each chunk that has no delay of its own, in milliseconds.
    pub delay_ms: u64,
    /// Keep requests. Off for benchmarks: then bodies are only skimmed.
    pub record: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { listen: SocketAddr::from(([127, 0, 0, 1], 0)), delay_ms: 0, record: true }
    }
}

#[derive(Debug, Default)]
struct Plan {
    rules: Vec<Rule>,
    queue: VecDeque<Reply>,
}

/// What the handlers share.
#[derive(Debug)]
struct Fake {
    plan: Mutex<Plan>,
    log: Log,
    record: bool,
    delay_ms: u64,
    answers: AtomicU64,
}

impl Fake {
    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn install(&self, script: Script) {
        let mut plan = self.plan();
        if script.replace {
            *plan = Plan::default();
        }
        plan.rules.extend(script.rules);
        plan.queue.extend(script.queue);
    }

    fn needs_whole_body(&self) -> bool {
        self.record || self.plan().rules.iter().any(|rule| rule.when.needs_whole_body())
    }

    fn reply(&self, request: &incoming::Incoming, body: &[u8]) -> Reply {
        let mut plan = self.plan();
        let matching = plan.rules.iter_mut().filter(|rule| fits(&rule.when, request, body));
        let ruled = matching.into_iter().find_map(Rule::next);
        ruled.or_else(|| plan.queue.pop_front()).unwrap_or_default()
    }

    fn number(&self) -> u64 {
        self.answers.fetch_add(1, Ordering::Relaxed)
    }
}

fn fits(when: &Match, request: &incoming::Incoming, body: &[u8]) -> bool {
    let in_body = |text: &str| {
        !text.is_empty() && body.windows(text.len()).any(|window| window == text.as_bytes())
    };
    when.last_user.as_deref().is_none_or(|text| request.last_user.contains(text))
        && when.model.as_deref().is_none_or(|name| request.model == name)
        && when.tool_rounds.is_none_or(|rounds| request.tool_rounds == rounds)
        && when.body.as_deref().is_none_or(in_body)
}

/// A running fake. Dropped, it stops to listen and closes idle connections.
#[derive(Debug)]
pub struct Handle {
    address: SocketAddr,
    fake: Arc<Fake>,
    stop: Option<oneshot::Sender<()>>,
}

impl Handle {
    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Base address, without a slash at its end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Adds to what it is told.
    pub fn script(&self, script: Script) {
        self.fake.install(script);
    }

    /// What it was asked.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.fake.log
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // Nobody listens if the server has ended by itself.
            stop.send(()).ok();
        }
    }
}

/// Starts a fake on the current runtime.
///
/// # Errors
/// The address can't be listened on.
#[expect(
    clippy::disallowed_methods,
    reason = "the fake belongs to no node and has no tasks to join"
)]
pub async fn serve(options: Options) -> io::Result<Handle> {
    let listener = TcpListener::bind(options.listen).await?;
    let address = listener.local_addr()?;
    let fake = Arc::new(Fake {
        plan: Mutex::default(),
        log: Log::default(),
        record: options.record,
        delay_ms: options.delay_ms,
        answers: AtomicU64::new(1),
    });
    let (stop, stopped) = oneshot::channel();
    let listener = listener.tap_io(|stream| {
        // Small events must leave at once; a connection that refuses the option works all the same.
        stream.set_nodelay(true).ok();
    });
    let service = routes::router(Arc::clone(&fake));
    let service = service.into_make_service_with_connect_info::<SocketAddr>();
    let server = axum::serve(listener, service);
    tokio::spawn(async move {
        let drained = server.with_graceful_shutdown(async move {
            stopped.await.ok();
        });
        if let Err(error) = drained.await {
            eprintln!("fake provider: {error}");
        }
    });
    Ok(Handle { address, fake, stop: Some(stop) })
}
