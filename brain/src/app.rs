//! The only wiring: from a configuration to a running node.

mod bootstrap;
mod features;
#[cfg(test)]
mod simulation;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use api_types::ids::NodeBoot;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use self::features::Features;
use crate::api;
use crate::bus::{Bus, LocalBus};
use crate::config::{Config, Role};
use crate::ctx::SystemCtx;
use crate::lanes::store::Sweep;
use crate::lanes::{Lanes, Runner, RunnerParts};
use crate::models;
use crate::port;
use crate::runtime::{Clock, IdGen, SystemClock, Tasks};
use crate::sessions::{self, Sessions, SessionsParts};
use crate::store::embedded::{Embedded, OpenMode};
use crate::tenants;

/// Time that a stop takes at most.
pub const STOP_TIME_MAX: Duration = Duration::from_secs(45);

/// Why a node can't start, or failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store can't be opened or written.
    #[error("the store in {folder}: {source}")]
    Store {
        /// Its folder.
        folder: PathBuf,
        /// Why.
        source: port::Error,
    },
    /// The model providers are misconfigured.
    #[error(transparent)]
    Models(#[from] models::Error),
    /// The address can't be had.
    #[error("can't listen on {address}: {source}; choose another with --listen")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// The bootstrap file can't be written.
    #[error("can't write {path}: {source}")]
    Bootstrap {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// This version has one role.
    #[error(
        "role = {0:?}: a node with the embedded store is alone, so it takes all roles; write all"
    )]
    Role(Role),
    /// A task panicked; the log says which.
    #[error("a task failed unexpectedly; see the log")]
    Panicked,
}

/// A node.
pub struct App {
    config: Config,
    store: Arc<Embedded>,
    runner: Runner,
    services: Arc<api::Services>,
    ids: Arc<IdGen>,
    clock: Arc<dyn Clock>,
    me: NodeBoot,
    tasks: Tasks,
}

impl App {
    /// Opens the store and wires everything. Nothing runs yet.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn build(config: Config) -> Result<Self, Error> {
        if config.role != Role::All {
            return Err(Error::Role(config.role));
        }
        let store = Embedded::open(OpenMode::Folder(config.data.clone()))
            .map_err(|source| Error::Store { folder: config.data.clone(), source })?;
        Self::wire(config, store, Arc::new(SystemClock), Arc::new(IdGen::random()))
    }

    fn wire(
        config: Config,
        store: Arc<Embedded>,
        clock: Arc<dyn Clock>,
        ids: Arc<IdGen>,
    ) -> Result<Self, Error> {
        let tasks = Tasks::default();
        let me = NodeBoot::from_bits(ids.bits());
        let bus: Arc<dyn Bus> = Arc::new(LocalBus::default());
        let tenants: Arc<dyn tenants::Store> = store.clone();
        let features = Features::wire(&store, config.models.clone(), &bus, &clock, &ids)?;
        let runner = Runner::new(RunnerParts {
            read: store.clone(),
            own: store.clone(),
            sweep: store.clone(),
            turns: features.turns,
            clock: clock.clone(),
            ids: ids.clone(),
            me: me.clone(),
            tasks: tasks.clone(),
        });
        let lanes =
            Lanes::new(store.clone(), store.clone(), Arc::new(runner.clone()), clock.clone());
        let sessions = Arc::new(Sessions::new(SessionsParts {
            store: store.clone(),
            tenants: tenants.clone(),
            lanes,
            recipes: features.recipes.clone(),
            skills: features.skills.clone(),
            bus: bus.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            default_recipe: config.default_recipe.clone(),
        }));
        let services = Arc::new(api::Services {
            authenticator: Arc::new(api::auth::StoredTokens::new(tenants.clone())),
            tenants,
            documents: features.documents,
            skills: features.skills,
            recipes: features.recipes,
            sessions,
            lanes: store.clone(),
            bus,
            clock: clock.clone(),
            ids: ids.clone(),
            tasks: tasks.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        });
        Ok(Self { config, store, runner, services, ids, clock, me, tasks })
    }

    /// What the transports are given, for whoever carries the features otherwise.
    #[must_use]
    pub fn services(&self) -> &Arc<api::Services> {
        &self.services
    }

    /// Listens, lets lanes of an earlier boot go on, and tells how to reach the node.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn start(&self) -> Result<Value, Error> {
        let ctx = SystemCtx::new();
        let failed = |source| Error::Store { folder: self.config.data.clone(), source };
        let address = self.config.listen;
        let listener =
            TcpListener::bind(address).await.map_err(|source| Error::Listen { address, source })?;
        let address = listener.local_addr().map_err(|source| Error::Listen { address, source })?;
        let url = format!("http://{address}");
        let tenant = bootstrap::ensure(self, &ctx, &url).await?;
        // The folder is ours alone, so whatever an earlier boot held is free.
        sessions::Store::unbind_all(&*self.store, &ctx).await.map_err(failed)?;
        let dead = self.store.owners(&ctx, &self.me).await.map_err(failed)?;
        self.runner.start(ctx, dead);
        let (services, tasks) = (self.services.clone(), self.tasks.clone());
        self.tasks.spawn("server", async move {
            let stop = tasks.stopping();
            if let Err(error) = api::server::serve(listener, services, stop).await {
                tracing::error!(%error, "the server ended");
            }
        });
        Ok(json!({
            "event": "ready",
            "http": url,
            "version": env!("CARGO_PKG_VERSION"),
            "store": "embedded",
            "tenant": tenant,
        }))
    }

    /// Runs until the process is told to stop, then drains.
    ///
    /// # Errors
    /// A task panicked.
    pub async fn run_until_stopped(self) -> Result<(), Error> {
        let panicked = self.tasks.panicked();
        tokio::select! {
            () = stop_signal() => tracing::info!("stopping"),
            () = panicked.cancelled() => {}
        }
        if !self.tasks.stop(STOP_TIME_MAX).await {
            tracing::warn!("some tasks did not end in time");
        }
        if panicked.is_cancelled() { Err(Error::Panicked) } else { Ok(()) }
    }
}

/// Resolves when the process is told to stop.
async fn stop_signal() {
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => CancellationToken::new().cancelled().await,
        }
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = terminated => {}
    }
}
