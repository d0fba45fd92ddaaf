//! A closed process leaves nothing behind.

use api_types::ids::Seq;
use api_types::sessions::ThinkProcessStatus;

use super::Lanes;
use super::fixture::*;
use crate::lanes::inbox::{Body, Class};
use crate::lanes::store::{LaneCommit, Outgoing};
use crate::runtime::Timestamp;

pub(super) async fn closing_discards_what_is_left(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    let id = lane(1);
    let s = fill(store, &id, &["a", "b"]).await;
    store.enqueue(&ctx(), &id, vec![message(Body::Close)]).await.unwrap();
    let claim = LaneCommit { claim: Some((Seq(1), vec![s[0]])), ..saying(1, 0, "a") };
    store.commit(&lease, claim).await.unwrap();
    let own = Outgoing { to: id.clone(), message: chat("to myself") };
    store.commit(&lease, LaneCommit { outbox: vec![own], ..closing(2, 1) }).await.unwrap();
    assert_eq!(queued(store, &id, Class::Work).await, []);
    assert_eq!(queued(store, &id, Class::Control).await, []);
    assert_eq!(claimed_seqs(store, &id, 1).await, [0u64; 0]);
    assert!(!store.discard(&ctx(), &id, s[1]).await.unwrap(), "it is settled already");
}

pub(super) async fn a_closed_process_takes_no_messages(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    store.commit(&lease, saying(1, 0, "a")).await.unwrap();
    store.commit(&lease, closing(2, 1)).await.unwrap();
    assert_conflict(store.enqueue(&ctx(), &lane(1), vec![chat("late")]).await, 1);
    assert_eq!(queued(store, &lane(1), Class::Work).await, []);
}

/// Otherwise a sender whose answer was lost would believe that its message was refused.
pub(super) async fn a_known_key_is_answered_after_the_close(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    let first = store.enqueue(&ctx(), &lane(1), vec![keyed("k", "a")]).await.unwrap();
    store.commit(&lease, closing(1, 0)).await.unwrap();
    let again = store.enqueue(&ctx(), &lane(1), vec![keyed("k", "a")]).await.unwrap();
    assert_eq!(again.messages[0].seq, first.messages[0].seq);
    assert!(again.messages[0].duplicate);
    assert_eq!(again.status, ThinkProcessStatus::Closed);
    let both = vec![keyed("k", "a"), keyed("k2", "b")];
    assert_conflict(store.enqueue(&ctx(), &lane(1), both).await, 0);
}

pub(super) async fn enqueue_and_close_at_once_leave_nothing_queued(store: &dyn Lanes) {
    for n in 1..20 {
        let lease = owned(store, n).await;
        let (ctx, id) = (ctx(), lane(n));
        let send = store.enqueue(&ctx, &id, vec![chat("a")]);
        let close = store.commit(&lease, closing(1, 0));
        // Both orders of arrival.
        let (sent, closed) = if n % 2 == 0 {
            tokio::join!(send, close)
        } else {
            let (closed, sent) = tokio::join!(close, send);
            (sent, closed)
        };
        closed.unwrap();
        if sent.is_err() {
            assert_conflict(sent, 0);
        }
        assert_eq!(queued(store, &id, Class::Work).await, []);
        let runnable = store.runnable(&system(), &[boot(1)], Timestamp(0), 100).await.unwrap();
        assert!(runnable.is_empty());
    }
}
