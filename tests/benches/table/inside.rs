//! A whole node inside this process, and chats that are timed without a socket between.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use api_types::events::TurnOutcome;
use api_types::frames::{Activation, SteerMode};
use api_types::ids::{ProcessName, SessionId};
use brain::api::Services;
use brain::app::App;
use brain::bus::{Signal, Subscription, Topic};
use brain::config::{Config, Role};
use brain::ctx::{Actor, OpCtx};
use brain::documents::{Edit, Expected};
use brain::lanes::entry::Entry;
use brain::lanes::inbox::Body;
use brain::models;
use brain::sessions::OpenRequest;
use bytes::Bytes;
use tokio::time::{Instant, timeout};

use super::written;

/// Longest wait for a turn.
const PATIENCE: Duration = Duration::from_secs(20);
/// Documents of one write.
const SET: usize = 1_000;

/// A node with the echo model.
pub(crate) struct Inside {
    services: Arc<Services>,
    _app: App,
}

impl Inside {
    /// Starts it on this folder, with so many skills in the project.
    pub(crate) async fn start(folder: &Path, skills: usize) -> anyhow::Result<Self> {
        let app = App::build(Config {
            data: folder.join("data"),
            listen: "127.0.0.1:0".parse()?,
            role: Role::All,
            default_recipe: "default".parse()?,
            models: models::Config::default(),
            log: String::new(),
        })?;
        app.start().await?;
        let inside = Self { services: Arc::clone(app.services()), _app: app };
        for from in (0..skills).step_by(SET) {
            inside.put(from..skills.min(from + SET)).await?;
        }
        Ok(inside)
    }

    async fn put(&self, numbers: std::ops::Range<usize>) -> anyhow::Result<()> {
        let edit = |number| -> anyhow::Result<Edit> {
            let path = format!("_vance/skills/{}/SKILL.md", written::name(number)).parse()?;
            let body = Bytes::from(written::skill(number));
            Ok(Edit::Put { path, body, expected: Expected::Any })
        };
        let edits = numbers.map(edit).collect::<anyhow::Result<Vec<_>>>()?;
        self.services.documents.apply(&ctx()?, &"home".parse()?, edits).await?;
        Ok(())
    }

    /// A new session with one active skill.
    pub(crate) async fn chat(&self) -> anyhow::Result<Chat> {
        let skill = Activation { skill_name: "code-review".parse()?, one_shot: false, args: None };
        let request = OpenRequest {
            session: None,
            project: Some("home".parse()?),
            recipe: None,
            profile: "foot".parse()?,
            connection: "bench".to_owned(),
            takeover: false,
            activations: vec![skill],
            message: None,
            key: None,
        };
        let opened = self.services.sessions.open(&ctx()?, request).await?;
        let session = opened.session.id;
        let topic = Topic { tenant: ctx()?.tenant, session: session.clone() };
        let signals = self.services.bus.subscribe(topic);
        Ok(Chat { services: Arc::clone(&self.services), session, signals })
    }
}

/// A session.
pub(crate) struct Chat {
    services: Arc<Services>,
    session: SessionId,
    signals: Subscription,
}

impl Chat {
    /// The time from sending a message to the durable end of its turn.
    pub(crate) async fn turn(&mut self, text: &str) -> anyhow::Result<Duration> {
        let (ctx, name) = (ctx()?, "chat".parse::<ProcessName>()?);
        let body =
            Body::Chat { text: text.to_owned(), mode: SteerMode::Steer, needs_skills: false };
        let start = Instant::now();
        self.services.sessions.send(&ctx, &self.session, &name, body, None).await?;
        timeout(PATIENCE, self.closed()).await.context("the turn does not end")??;
        Ok(start.elapsed())
    }

    async fn closed(&mut self) -> anyhow::Result<()> {
        loop {
            let signal = self.signals.next().await.context("the bus is gone")?;
            let Signal::Advanced { rows, .. } = signal else { continue };
            for row in rows.iter() {
                if let Entry::TurnClosed { outcome, message, .. } = &row.entry {
                    anyhow::ensure!(*outcome == TurnOutcome::Done, "{outcome:?}: {message:?}");
                    return Ok(());
                }
            }
        }
    }
}

fn ctx() -> anyhow::Result<OpCtx> {
    Ok(OpCtx::new("default".parse()?, Actor::User("admin".parse()?)))
}
