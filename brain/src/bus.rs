//! The bus: tells that something happened. Lossy by contract: subscribers keep cursors and poll.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    topic: Topic,
    topics: Topics,
}

impl Subscription {
    /// The next signal. Cancel-safe.
    pub async fn next(&mut self) -> Option<Signal> {
        self.signals.recv().await
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.signals.close();
        let mut topics = lock(&self.topics);
        if let Some(senders) = topics.get_mut(&self.topic) {
            senders.retain(|sender| !sender.is_closed());
            if senders.is_empty() {
                topics.remove(&self.topic);
            }
        }
    }
}

type Topics = Arc<Mutex<HashMap<Topic, Vec<mpsc::Sender<Signal>>>>>;

fn lock(topics: &Topics) -> MutexGuard<'_, HashMap<Topic, Vec<mpsc::Sender<Signal>>>> {
    topics.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The bus of one process.
#[derive(Debug, Default)]
pub struct LocalBus {
    topics: Topics,
}

impl Bus for LocalBus {
    fn publish(&self, topic: &Topic, signal: Signal) {
        let topics = lock(&self.topics);
        for sender in topics.get(topic).into_iter().flatten() {
            // A full queue loses the signal; the subscriber's poll finds what it told of.
            drop(sender.try_send(signal.clone()));
        }
    }

    fn subscribe(&self, topic: Topic) -> Subscription {
        let (sender, signals) = mpsc::channel(SIGNALS_MAX);
        lock(&self.topics).entry(topic.clone()).or_default().push(sender);
        Subscription { signals, topic, topics: Arc::clone(&self.topics) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topic() -> Topic {
        Topic { tenant: "acme".parse().unwrap(), session: SessionId::from_bits(1) }
    }

    #[tokio::test]
    async fn every_subscriber_of_the_topic_hears() {
        let bus = LocalBus::default();
        let (mut one, mut two) = (bus.subscribe(topic()), bus.subscribe(topic()));
        bus.publish(&topic(), Signal::Session);
        assert!(one.next().await.is_some() && two.next().await.is_some());
    }

    #[tokio::test]
    async fn a_topic_without_subscribers_takes_no_memory() {
        let bus = LocalBus::default();
        let one = bus.subscribe(topic());
        drop(bus.subscribe(topic()));
        assert_eq!(lock(&bus.topics)[&topic()].len(), 1);
        drop(one);
        assert!(lock(&bus.topics).is_empty());
    }

    #[tokio::test]
    async fn a_subscriber_that_does_not_listen_loses_signals_and_holds_up_nobody() {
        let bus = LocalBus::default();
        let mut slow = bus.subscribe(topic());
        (0..SIGNALS_MAX + 10).for_each(|_| bus.publish(&topic(), Signal::Session));
        let mut heard = 0;
        while slow.signals.try_recv().is_ok() {
            heard += 1;
        }
        assert_eq!(heard, SIGNALS_MAX);
    }
}
