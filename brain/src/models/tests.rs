//! Both dialects against a real server that does as it is told.

mod answers;
mod bytes;
mod carry;
mod faults;
mod stopping;
mod truncated;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::tests::fake_provider::{Handle, Options, Reply, Script, serve};
use serde_json::json;

use super::*;
use crate::ctx::{Actor, OpCtx};
use crate::models::retry::RetryPolicy;
use crate::runtime::IdGen;

/// A sink that keeps what it gets.
#[derive(Default)]
struct Seen {
    deltas: Mutex<Vec<Delta>>,
    changed: tokio::sync::Notify,
}

impl Sink for Seen {
    fn delta(&self, delta: Delta) {
        self.deltas.lock().unwrap().push(delta);
        self.changed.notify_one();
    }
}

impl Seen {
    fn all(&self) -> Vec<Delta> {
        self.deltas.lock().unwrap().clone()
    }

    /// The text that a watcher sees in the end.
    fn text(&self) -> String {
        let mut text = String::new();
        for delta in self.all() {
            match delta {
                Delta::Text(piece) => text.push_str(&piece),
                Delta::Restarted { .. } => text.clear(),
                _ => {}
            }
        }
        text
    }

    fn restarts(&self) -> Vec<u32> {
        let restart = |delta| match delta {
            Delta::Restarted { attempt, .. } => Some(attempt),
            _ => None,
        };
        self.all().into_iter().filter_map(restart).collect()
    }
}

/// A fake, and providers that call it.
struct Bench {
    fake: Handle,
    providers: Providers,
    ctx: OpCtx,
    seen: Arc<Seen>,
}

const DIALECTS: [&str; 2] = ["anthropic/fake-1", "openai/fake-1"];

fn config(url: &str) -> Config {
    Config {
        anthropic_api_key: ApiKey::new("sk-geheim"),
        anthropic_base_url: Some(url.to_owned()),
        openai_api_key: ApiKey::new("sk-geheim"),
        openai_base_url: Some(url.to_owned()),
        retry: RetryPolicy { wait_first: Duration::from_millis(2), ..RetryPolicy::default() },
        ..Config::default()
    }
}

fn providers(config: Config) -> Providers {
    Providers::new(config, &Arc::new(IdGen::seeded(7))).unwrap()
}

fn ctx() -> OpCtx {
    OpCtx::new("default".parse().unwrap(), Actor::Service("test".to_owned()))
}

impl Bench {
    async fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::with(replies, |_| {}).await
    }

    async fn with(
        replies: impl IntoIterator<Item = Reply>,
        change: impl FnOnce(&mut Config),
    ) -> Self {
        let fake = serve(Options::default()).await.unwrap();
        let queue = replies.into_iter().collect();
        fake.script(Script { queue, ..Script::default() });
        let mut config = config(&fake.url());
        change(&mut config);
        Self { providers: providers(config), fake, ctx: ctx(), seen: Arc::default() }
    }

    async fn ask(&self, model: &str) -> Result<Answer, Error> {
        self.providers.call(&self.ctx, &request(model), &*self.seen).await
    }
}

fn segment(message: Message) -> Arc<Segment> {
    Arc::new(Segment::new(message))
}

fn user(text: &str) -> Arc<Segment> {
    segment(Message::User { text: text.to_owned() })
}

fn call(id: &str, name: &str, arguments: Arguments) -> ToolCall {
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments }
}

fn tool(name: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: format!("Does {name}."),
        schema: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
    }
}

fn request(model: &str) -> Request {
    Request {
        model: model.parse().unwrap(),
        system: vec![SystemBlock { text: "You are careful.".into(), cache: true }],
        tools: Arc::new(ToolSet::new(vec![tool("write"), tool("read")])),
        messages: vec![user("Good morning")],
        max_tokens: 1000,
        temperature: None,
    }
}
