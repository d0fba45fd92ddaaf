//! Making processes.

use api_types::ids::Seq;
use api_types::sessions::ThinkProcessStatus;

use super::Lanes;
use super::fixture::*;
use crate::lanes::inbox::Class;
use crate::lanes::store::NewLane;
use crate::port::{Error, Page};

pub(super) async fn creating_again_changes_nothing(store: &dyn Lanes) {
    let new = NewLane { messages: vec![keyed("k", "a"), chat("b")], ..new_lane(1) };
    let first = store.create(&ctx(), new.clone()).await.unwrap();
    assert!(first.messages.iter().all(|m| !m.duplicate));
    assert_eq!((first.status, first.owner), (ThinkProcessStatus::Init, None));

    let lease =
        store.acquire(&ctx(), &lane(1), &boot(1), crate::lanes::store::Takeover::Unowned).await;
    store.commit(&lease.unwrap().lease, saying(1, 0, "x")).await.unwrap();
    let again = store.create(&ctx(), new).await.unwrap();
    assert!(again.messages.iter().all(|m| m.duplicate));
    assert_eq!(seqs(&again.messages), seqs(&first.messages));
    assert_eq!(again.owner, Some(boot(1)));
    assert_eq!(queued_texts(store, &lane(1)).await, ["a", "b"]);
    assert_eq!(store.lane(&ctx(), &lane(1)).await.unwrap().tail, Seq(1));
}

fn seqs(messages: &[crate::lanes::store::Enqueued]) -> Vec<Seq> {
    messages.iter().map(|m| m.seq).collect()
}

pub(super) async fn a_name_is_taken_once_in_a_session(store: &dyn Lanes) {
    unowned(store, 1).await;
    let mut same_name = new_lane(2);
    same_name.spec.name = new_lane(1).spec.name;
    same_name.messages = vec![chat("never")];
    let refused = store.create(&ctx(), same_name.clone()).await;
    assert!(matches!(refused, Err(Error::AlreadyExists { .. })), "{refused:?}");
    assert_not_found(store.lane(&ctx(), &lane(2)).await);
    assert_not_found(store.queued(&ctx(), &lane(2), Class::Work, 10).await);

    same_name.spec.session = session(2);
    store.create(&ctx(), same_name).await.unwrap();
    assert_eq!(store.list(&ctx(), &session(1), Page::default()).await.unwrap().rows.len(), 1);
}

pub(super) async fn creating_at_once_makes_one_lane(store: &dyn Lanes) {
    let ctx = ctx();
    let tries =
        (0..20).map(|_| store.create(&ctx, NewLane { messages: vec![chat("a")], ..new_lane(1) }));
    let results = futures::future::join_all(tries).await;
    let fresh = results.iter().filter(|r| !r.as_ref().unwrap().messages[0].duplicate).count();
    assert_eq!(fresh, 1);
    assert_eq!(queued_texts(store, &lane(1)).await, ["a"]);
}
