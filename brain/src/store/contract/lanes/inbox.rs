//! Messages before anyone has read them.

use super::Lanes;
use super::fixture::*;
use crate::lanes::inbox::{Body, Class, State};

pub(super) async fn messages_keep_their_order_and_class(store: &dyn Lanes) {
    let id = unowned(store, 1).await;
    let cancel = message(Body::Cancel { turn: None });
    let sent = store.enqueue(&ctx(), &id, vec![chat("a"), cancel.clone(), chat("b")]).await;
    let sent = sent.unwrap();
    assert!(sent.messages.windows(2).all(|pair| pair[0].seq < pair[1].seq));
    fill(store, &id, &["c"]).await;
    assert_eq!(queued_texts(store, &id).await, ["a", "b", "c"]);
    let first = store.queued(&ctx(), &id, Class::Work, 2).await.unwrap();
    assert_eq!(first.iter().map(text_of).collect::<Vec<_>>(), ["a", "b"]);
    let control = queued(store, &id, Class::Control).await;
    assert_eq!(control.len(), 1);
    assert_eq!(control[0].message, cancel);
    assert_eq!(control[0].state, State::Queued);
    assert_eq!(control[0].seq, sent.messages[1].seq);
}

pub(super) async fn the_same_key_at_once_adds_one_message(store: &dyn Lanes) {
    let id = unowned(store, 1).await;
    let ctx = ctx();
    let sends = (0..20).map(|_| store.enqueue(&ctx, &id, vec![keyed("k", "a")]));
    let results = futures::future::join_all(sends).await;
    let sent: Vec<_> = results.into_iter().map(|r| r.unwrap().messages[0].clone()).collect();
    assert_eq!(sent.iter().filter(|m| !m.duplicate).count(), 1);
    assert!(sent.iter().all(|m| m.seq == sent[0].seq));
    assert_eq!(queued_texts(store, &id).await, ["a"]);

    unowned(store, 2).await;
    let elsewhere = store.enqueue(&ctx, &lane(2), vec![keyed("k", "a")]).await.unwrap();
    assert!(!elsewhere.messages[0].duplicate, "keys are unique in a lane only");
}

pub(super) async fn the_same_key_in_one_call_adds_one_message(store: &dyn Lanes) {
    let id = unowned(store, 1).await;
    let sent = store.enqueue(&ctx(), &id, vec![keyed("k", "a"), keyed("k", "b"), chat("c")]).await;
    let sent = sent.unwrap().messages;
    assert_eq!(sent.iter().map(|m| m.duplicate).collect::<Vec<_>>(), [false, true, false]);
    assert_eq!(sent[0].seq, sent[1].seq);
    assert_eq!(queued_texts(store, &id).await, ["a", "c"]);
}

pub(super) async fn a_queued_message_can_be_taken_back(store: &dyn Lanes) {
    let id = unowned(store, 1).await;
    let s = fill(store, &id, &["a", "b"]).await;
    assert!(store.discard(&ctx(), &id, s[0]).await.unwrap());
    assert!(!store.discard(&ctx(), &id, s[0]).await.unwrap());
    assert!(!store.discard(&ctx(), &id, api_types::ids::Seq(99)).await.unwrap());
    assert_eq!(queued_texts(store, &id).await, ["b"]);
    assert_not_found(store.discard(&ctx(), &lane(9), s[1]).await);
}
