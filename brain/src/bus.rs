//! The bus: tells that something happened. Lossy by contract: subscribers keep cursors and poll.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use api_types::events::Event;
use api_types::ids::{LaneId, Seq, SessionId, TenantId};
use tokio::sync::mpsc;

use crate::lanes::entry::LogRow;

/// Most signals that wait for one subscriber; more are dropped.
pub const SIGNALS_MAX: usize = 1_024;

/// What happened.
#[derive(Clone, Debug)]
pub enum Signal {
    /// A lane's log has grown to `tail`. `rows` are its newest entries, if they are at hand.
    Advanced {
        /// The lane.
        lane: LaneId,
        /// Its last entry.
        tail: Seq,
        /// The entries just written; may be empty.
        rows: Arc<Vec<LogRow>>,
    },
    /// A piece of a stream: an overlay event.
    Overlay(Arc<Event>),
    /// Another connection took the session.
    Bound {
        /// The connection.
        connection: String,
    },
    /// The session's list of processes or its state changed.
    Session,
}

/// Who hears it: the subscribers of a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Topic {
    /// The tenant.
    pub tenant: TenantId,
    /// The session.
    pub session: SessionId,
}

/// Carries signals.
pub trait Bus: Send + Sync {
    /// Tells the topic's subscribers, those of this node and of others.
    fn publish(&self, topic: &Topic, signal: Signal);
    /// Hears a topic until the subscription is dropped.
    fn subscribe(&self, topic: Topic) -> Subscription;
}

/// Hears a topic.
#[derive(Debug)]
pub struct Subscription {
    signals: mpsc::Receiver<Signal>,
}

impl Subscription {
    /// The next signal. Cancel-safe.
    pub async fn next(&mut self) -> Option<Signal> {
        self.signals.recv().await
    }
}

/// The bus of one process.
#[derive(Debug, Default)]
pub struct LocalBus {
    topics: Mutex<HashMap<Topic, Vec<mpsc::Sender<Signal>>>>,
}

impl LocalBus {
    fn topics(&self) -> std::sync::MutexGuard<'_, HashMap<Topic, Vec<mpsc::Sender<Signal>>>> {
        self.topics.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Bus for LocalBus {
    fn publish(&self, topic: &Topic, signal: Signal) {
        let mut topics = self.topics();
        let Some(senders) = topics.get_mut(topic) else { return };
        senders.retain(|sender| !sender.is_closed());
        for sender in senders.iter() {
            // A full queue loses the signal; the subscriber's poll finds what it told of.
            drop(sender.try_send(signal.clone()));
        }
        if senders.is_empty() {
            topics.remove(topic);
        }
    }

    fn subscribe(&self, topic: Topic) -> Subscription {
        let (sender, signals) = mpsc::channel(SIGNALS_MAX);
        self.topics().entry(topic).or_default().push(sender);
        Subscription { signals }
    }
}
