//! Messages between lanes arrive once, in their sender's order.

use api_types::ids::Seq;

use super::Lanes;
use super::fixture::*;
use crate::lanes::inbox::{Class, INBOX_ROWS_MAX};
use crate::lanes::store::{LaneCommit, Outgoing, Runnable};

pub(super) async fn a_message_to_itself_is_queued_by_the_commit(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    let write = sending(1, 0, lane(1), chat("later"));
    store.commit(&lease, LaneCommit { entries: vec![said("a")], ..write }).await.unwrap();
    assert_eq!(queued_texts(store, &lane(1)).await, ["later"]);
    let known = LaneCommit {
        outbox: vec![
            Outgoing { to: lane(1), message: keyed("k", "keyed") },
            Outgoing { to: lane(1), message: keyed("k", "again") },
        ],
        ..commit(2, 1)
    };
    store.commit(&lease, known).await.unwrap();
    assert_eq!(queued_texts(store, &lane(1)).await, ["later", "keyed"]);
    assert_eq!(store.deliver(&system(), 10).await.unwrap(), []);
}

pub(super) async fn fifty_outboxes_reach_one_lane_once(store: &dyn Lanes) {
    let target = unowned(store, 100).await;
    for n in 1..=50 {
        let lease = owned(store, n).await;
        let text = format!("from {n}");
        let write = sending(1, 0, target.clone(), chat(&text));
        store.commit(&lease, LaneCommit { entries: vec![said("a")], ..write }).await.unwrap();
    }
    assert_eq!(queued_texts(store, &target).await, [""; 0], "another lane is not written");
    let system = system();
    let mut delivered = 0;
    loop {
        // Two nodes sweep at once.
        let (one, two) = tokio::join!(store.deliver(&system, 8), store.deliver(&system, 8));
        let (one, two) = (one.unwrap(), two.unwrap());
        for receiver in one.iter().chain(&two) {
            assert_eq!(*receiver, Runnable { tenant: ctx().tenant, lane: target.clone() });
        }
        delivered += one.len() + two.len();
        if one.is_empty() && two.is_empty() {
            break;
        }
    }
    assert!(delivered > 0);
    let mut texts = queued_texts(store, &target).await;
    texts.sort_unstable();
    let mut expected: Vec<_> = (1..=50).map(|n| format!("from {n}")).collect();
    expected.sort_unstable();
    assert_eq!(texts, expected);
}

pub(super) async fn a_sender_keeps_its_order(store: &dyn Lanes) {
    let target = unowned(store, 100).await;
    let lease = owned(store, 1).await;
    let mut tail = 0;
    for n in 0..15u128 {
        let outbox = (0..2)
            .map(|i| Outgoing { to: target.clone(), message: chat(&format!("{n}.{i}")) })
            .collect();
        let write = LaneCommit { outbox, ..saying(n, tail, "a") };
        tail = store.commit(&lease, write).await.unwrap().tail.0;
    }
    while !store.deliver(&system(), 7).await.unwrap().is_empty() {}
    let expected: Vec<_> = (0..15).flat_map(|n| [format!("{n}.0"), format!("{n}.1")]).collect();
    assert_eq!(queued_texts(store, &target).await, expected);
}

/// The commits end at the same entry; their messages are different ones all the same.
pub(super) async fn commits_without_entries_deliver_too(store: &dyn Lanes) {
    let target = unowned(store, 100).await;
    let lease = owned(store, 1).await;
    for n in 0..3u128 {
        let write = sending(n, 0, target.clone(), chat(&format!("{n}")));
        store.commit(&lease, write).await.unwrap();
        if n == 0 {
            store.deliver(&system(), 10).await.unwrap();
        }
    }
    store.deliver(&system(), 10).await.unwrap();
    assert_eq!(queued_texts(store, &target).await, ["0", "1", "2"]);
}

pub(super) async fn messages_to_nobody_are_dropped(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    let closed = owned(store, 2).await;
    store.commit(&closed, closing(1, 0)).await.unwrap();
    let outbox = [lane(2), lane(99)].map(|to| Outgoing { to, message: chat("late") });
    store.commit(&lease, LaneCommit { outbox: outbox.into(), ..commit(1, 0) }).await.unwrap();
    assert_eq!(store.deliver(&system(), 10).await.unwrap(), []);
    assert_eq!(queued(store, &lane(2), Class::Work).await, []);
    // They are not in the way of others.
    let target = unowned(store, 3).await;
    store.commit(&lease, sending(2, 0, target.clone(), chat("x"))).await.unwrap();
    assert_eq!(store.deliver(&system(), 1).await.unwrap().len(), 1);
}

pub(super) async fn a_full_receiver_gets_its_message_later(store: &dyn Lanes) {
    let (full, other) = (unowned(store, 100).await, unowned(store, 101).await);
    for _ in 0..INBOX_ROWS_MAX / 100 {
        store.enqueue(&ctx(), &full, vec![chat("x"); 100]).await.unwrap();
    }
    let lease = owned(store, 1).await;
    let outbox = [&full, &other].map(|to| Outgoing { to: to.clone(), message: chat("late") });
    store.commit(&lease, LaneCommit { outbox: outbox.into(), ..commit(1, 0) }).await.unwrap();
    let reached = store.deliver(&system(), 1).await.unwrap();
    assert_eq!(reached, [Runnable { tenant: ctx().tenant, lane: other.clone() }]);
    assert_eq!(store.deliver(&system(), 10).await.unwrap(), []);

    store.discard(&ctx(), &full, Seq(1)).await.unwrap();
    assert_eq!(store.deliver(&system(), 10).await.unwrap().len(), 1);
    assert_eq!(queued_texts(store, &full).await.last().map(String::as_str), Some("late"));
}
