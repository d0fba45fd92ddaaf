//! Everything has a limit, and whoever meets one leaves nothing behind.

use api_types::ids::Seq;

use super::Lanes;
use super::fixture::*;
use crate::lanes::entry::ENTRY_BYTES_MAX;
use crate::lanes::head::{Await, HEAD_BYTES_MAX, Head};
use crate::lanes::inbox::{
    Body, Class, INBOX_CONTROL_ROWS_MAX, INBOX_ROWS_MAX, MESSAGE_BYTES_MAX, NewMessage,
};
use crate::lanes::store::{COMMIT_BYTES_MAX, LaneCommit, NewLane};
use crate::port::PAGE_ROWS_MAX;
use crate::runtime::Timestamp;

fn inbox_max() -> usize {
    usize::try_from(INBOX_ROWS_MAX).unwrap()
}

async fn fill_up(store: &dyn Lanes) {
    for part in 0..inbox_max() / 100 {
        let messages = (0..100).map(|i| chat(&format!("{part}.{i}"))).collect();
        store.enqueue(&ctx(), &lane(1), messages).await.unwrap();
    }
}

pub(super) async fn an_inbox_has_a_limit_and_room_for_control(store: &dyn Lanes) {
    let id = unowned(store, 1).await;
    store.enqueue(&ctx(), &id, vec![keyed("k", "first")]).await.unwrap();
    store.discard(&ctx(), &id, Seq(1)).await.unwrap();
    fill_up(store).await;
    assert_limit(store.enqueue(&ctx(), &id, vec![chat("more")]).await, "INBOX_ROWS_MAX");
    let known = store.enqueue(&ctx(), &id, vec![keyed("k", "first")]).await.unwrap();
    assert!(known.messages[0].duplicate, "a known message needs no room");

    // A runaway process can still be stopped.
    for _ in 0..INBOX_CONTROL_ROWS_MAX {
        let cancel = message(Body::Cancel { turn: None });
        store.enqueue(&ctx(), &id, vec![cancel]).await.unwrap();
    }
    let close = store.enqueue(&ctx(), &id, vec![message(Body::Close)]).await;
    assert_limit(close, "INBOX_CONTROL_ROWS_MAX");
    let first = queued(store, &id, Class::Work).await[0].seq;
    store.discard(&ctx(), &id, first).await.unwrap();
    store.enqueue(&ctx(), &id, vec![chat("more")]).await.unwrap();
}

pub(super) async fn an_inbox_takes_messages_all_or_none(store: &dyn Lanes) {
    let id = unowned(store, 1).await;
    fill_up(store).await;
    let first = queued(store, &id, Class::Work).await[0].seq;
    store.discard(&ctx(), &id, first).await.unwrap();
    let two = vec![keyed("x", "x"), keyed("y", "y")];
    assert_limit(store.enqueue(&ctx(), &id, two).await, "INBOX_ROWS_MAX");
    assert_eq!(queued(store, &id, Class::Work).await.len(), inbox_max() - 1);
    let one = store.enqueue(&ctx(), &id, vec![keyed("x", "x")]).await.unwrap();
    assert!(!one.messages[0].duplicate);
}

pub(super) async fn a_full_inbox_is_claimed_in_one_commit(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    fill_up(store).await;
    let all = store.queued(&ctx(), &lane(1), Class::Work, PAGE_ROWS_MAX).await.unwrap();
    assert_eq!(all.len(), inbox_max());
    let seqs: Vec<_> = all.iter().map(|m| m.seq).collect();
    let claim = LaneCommit { claim: Some((Seq(1), seqs.clone())), ..saying(1, 0, "all") };
    store.commit(&lease, claim).await.unwrap();
    assert_eq!(claimed_seqs(store, &lane(1), 1).await.len(), inbox_max());
    let settle = seqs.into_iter().map(|s| (s, crate::lanes::inbox::Outcome::Done)).collect();
    store.commit(&lease, LaneCommit { settle, ..commit(2, 1) }).await.unwrap();
    assert_eq!(claimed_seqs(store, &lane(1), 1).await.len(), 0);
}

fn large_head() -> Head {
    let id = "x".repeat(HEAD_BYTES_MAX);
    let wait = Await { id, kind: "tool".into(), due_at: Timestamp(0) };
    Head { awaits: vec![wait], turns: 9, ..Head::default() }
}

pub(super) async fn a_head_has_a_limit(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    let write = LaneCommit { head: Some(large_head()), ..saying(1, 0, "a") };
    assert_limit(store.commit(&lease, write).await, "HEAD_BYTES_MAX");
    assert_unchanged(store).await;
    let new = NewLane { head: large_head(), ..new_lane(2) };
    assert_limit(store.create(&ctx(), new).await, "HEAD_BYTES_MAX");
    assert_not_found(store.lane(&ctx(), &lane(2)).await);
}

pub(super) async fn an_entry_has_a_limit(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    let entries = vec![said("small"), said(&"x".repeat(ENTRY_BYTES_MAX))];
    let write = LaneCommit { entries, ..commit(1, 0) };
    assert_limit(store.commit(&lease, write).await, "ENTRY_BYTES_MAX");
    assert_unchanged(store).await;
    let fits = said(&"x".repeat(ENTRY_BYTES_MAX - 200));
    let write = LaneCommit { entries: vec![fits.clone()], ..commit(1, 0) };
    store.commit(&lease, write).await.unwrap();
    assert_eq!(steps(store, &lane(1)).await, [fits]);
}

pub(super) async fn a_commit_has_a_limit(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    let entry = said(&"x".repeat(COMMIT_BYTES_MAX / 3));
    let write = LaneCommit { entries: vec![entry; 3], ..commit(1, 0) };
    assert_limit(store.commit(&lease, write).await, "COMMIT_BYTES_MAX");
    let text = "x".repeat(MESSAGE_BYTES_MAX - 500);
    let mut write = sending(1, 0, lane(2), chat(&text));
    let count = COMMIT_BYTES_MAX / MESSAGE_BYTES_MAX + 1;
    write.outbox = vec![write.outbox[0].clone(); count];
    assert_limit(store.commit(&lease, write).await, "COMMIT_BYTES_MAX");
    assert_unchanged(store).await;
}

pub(super) async fn a_message_has_a_limit(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    let large: NewMessage = chat(&"x".repeat(MESSAGE_BYTES_MAX));
    let both = vec![chat("small"), large.clone()];
    assert_limit(store.enqueue(&ctx(), &lane(1), both).await, "MESSAGE_BYTES_MAX");
    let write = sending(1, 0, lane(1), large.clone());
    assert_limit(store.commit(&lease, write).await, "MESSAGE_BYTES_MAX");
    assert_unchanged(store).await;
    let new = NewLane { messages: vec![large], ..new_lane(2) };
    assert_limit(store.create(&ctx(), new).await, "MESSAGE_BYTES_MAX");
    assert_not_found(store.lane(&ctx(), &lane(2)).await);
}

async fn assert_unchanged(store: &dyn Lanes) {
    let view = store.lane(&ctx(), &lane(1)).await.unwrap();
    assert_eq!((view.tail, view.head.turns), (Seq(0), 0));
    assert_eq!(steps(store, &lane(1)).await, []);
    assert_eq!(queued(store, &lane(1), Class::Work).await, []);
}
