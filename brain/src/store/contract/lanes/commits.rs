//! One atomic, idempotent write.

use api_types::ids::{CommitId, Seq};
use api_types::sessions::ThinkProcessStatus;

use super::Lanes;
use super::fixture::*;
use crate::lanes::head::Head;
use crate::lanes::inbox::{Class, Outcome, State};
use crate::lanes::store::{LaneCommit, Receipt, Takeover};

pub(super) async fn the_same_commit_twice_happens_once(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    let seqs = fill(store, &lane(1), &["a", "b"]).await;
    let write = LaneCommit {
        entries: vec![opened(&[1]), said("a")],
        claim: Some((Seq(1), seqs.clone())),
        settle: vec![(seqs[1], Outcome::Failed)],
        ..sending(1, 0, lane(1), chat("to myself"))
    };
    let first = store.commit(&lease, write.clone()).await.unwrap();
    let again = store.commit(&lease, write).await.unwrap();
    assert_eq!((first, again), (Receipt { tail: Seq(2) }, Receipt { tail: Seq(2) }));
    assert_eq!(steps(store, &lane(1)).await.len(), 2);
    assert_eq!(queued_texts(store, &lane(1)).await, ["to myself"]);
    assert_eq!(claimed_seqs(store, &lane(1), 1).await, [seqs[0].0]);
}

pub(super) async fn a_commit_repeated_after_a_takeover_answers_its_receipt(store: &dyn Lanes) {
    let old = owned(store, 1).await;
    store.commit(&old, saying(1, 0, "old")).await.unwrap();
    let new = store.acquire(&ctx(), &lane(1), &boot(2), Takeover::From(vec![boot(1)])).await;
    store.commit(&new.unwrap().lease, saying(2, 1, "new")).await.unwrap();
    let again = store.commit(&old, saying(1, 0, "old")).await.unwrap();
    assert_eq!(again.tail, Seq(1));
    assert_eq!(steps(store, &lane(1)).await, [said("old"), said("new")]);
}

pub(super) async fn a_receipt_tells_whether_a_commit_happened(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    let id = CommitId::from_bits(1);
    assert_eq!(store.receipt(&lease, &id).await.unwrap(), None);
    store.commit(&lease, saying(1, 0, "a")).await.unwrap();
    store.commit(&lease, saying(2, 1, "b")).await.unwrap();
    let receipt = store.receipt(&lease, &id).await.unwrap();
    assert_eq!(receipt, Some(Receipt { tail: Seq(1) }));
}

/// However few receipts an adapter keeps: a commit that happened is not denied to a lost owner,
/// and not done again for the present one.
pub(super) async fn a_forgotten_receipt_is_never_taken_for_no(store: &dyn Lanes) {
    let old = owned(store, 1).await;
    store.commit(&old, saying(1, 0, "first")).await.unwrap();
    let new = store.acquire(&ctx(), &lane(1), &boot(2), Takeover::From(vec![boot(1)])).await;
    let new = new.unwrap().lease;
    for n in 1..200 {
        store.commit(&new, saying(100 + u128::from(n), n, "more")).await.unwrap();
    }
    let told = store.receipt(&old, &CommitId::from_bits(1)).await;
    assert!(!matches!(told, Ok(None)), "{told:?}");
    assert!(
        store.commit(&new, saying(1, 0, "first")).await.is_ok_and(|r| r.tail == Seq(1))
            || store.lane(&ctx(), &lane(1)).await.unwrap().tail == Seq(200)
    );
    assert_eq!(steps(store, &lane(1)).await.len(), 200);
}

pub(super) async fn a_commit_on_another_tail_changes_nothing(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    let seqs = fill(store, &lane(1), &["a"]).await;
    store.commit(&lease, saying(1, 0, "first")).await.unwrap();
    for expect in [0, 2] {
        let write = LaneCommit {
            head: Some(Head { turns: 9, ..Head::default() }),
            claim: Some((Seq(1), seqs.clone())),
            ..saying(2, expect, "second")
        };
        assert_conflict(store.commit(&lease, write).await, 1);
    }
    assert_eq!(steps(store, &lane(1)).await, [said("first")]);
    assert_eq!(queued_texts(store, &lane(1)).await, ["a"]);
    assert_eq!(store.lane(&ctx(), &lane(1)).await.unwrap().head.turns, 0);
    assert_eq!(store.receipt(&lease, &CommitId::from_bits(2)).await.unwrap(), None);
}

pub(super) async fn the_log_is_dense(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    let mut tail = 0;
    for n in 0..12u64 {
        let entries = (0..n % 4).map(|i| said(&format!("{n}.{i}"))).collect();
        let write = LaneCommit { entries, ..commit(u128::from(n), tail) };
        tail = store.commit(&lease, write).await.unwrap().tail.0;
    }
    let slice =
        store.log(&ctx(), &lane(1), Seq(0), crate::lanes::store::View::Steps, 1_000).await.unwrap();
    let seqs: Vec<_> = slice.rows.iter().map(|row| row.seq.0).collect();
    assert_eq!(seqs, (1..=18).collect::<Vec<_>>());
    assert_eq!((slice.tail, slice.upto), (Seq(18), Seq(18)));
}

pub(super) async fn a_commit_without_a_head_keeps_it(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    let head = Head { status: ThinkProcessStatus::Running, turns: 3, ..Head::default() };
    store.commit(&lease, LaneCommit { head: Some(head), ..commit(1, 0) }).await.unwrap();
    store.commit(&lease, saying(2, 0, "a")).await.unwrap();
    let view = store.lane(&ctx(), &lane(1)).await.unwrap();
    assert_eq!((view.head.status, view.head.turns), (ThinkProcessStatus::Running, 3));
    assert_eq!((view.id, view.tail), (lane(1), Seq(1)));
    assert_eq!(view.spec.recipe.prompt_prefix.as_deref(), Some("You help."));
}

pub(super) async fn messages_are_claimed_and_settled(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    let id = lane(1);
    let s = fill(store, &id, &["a", "b", "c"]).await;
    let claim = LaneCommit {
        entries: vec![opened(&[1, 2])],
        claim: Some((Seq(1), vec![s[0], s[1]])),
        ..commit(1, 0)
    };
    store.commit(&lease, claim).await.unwrap();
    assert_eq!(queued_texts(store, &id).await, ["c"]);
    let claimed = store.claimed(&ctx(), &id, Seq(1)).await.unwrap();
    assert_eq!(claimed.iter().map(text_of).collect::<Vec<_>>(), ["a", "b"]);
    assert!(claimed.iter().all(|m| m.state == State::Claimed(Seq(1))));
    assert_eq!(claimed_seqs(store, &id, 2).await, [0u64; 0]);

    // A message may be settled straight from the queue: control is never claimed.
    let settle = vec![(s[0], Outcome::Done), (s[1], Outcome::Cancelled), (s[2], Outcome::Failed)];
    store.commit(&lease, LaneCommit { settle, ..commit(2, 1) }).await.unwrap();
    assert_eq!(claimed_seqs(store, &id, 1).await, [0u64; 0]);
    assert_eq!(queued(store, &id, Class::Work).await, []);
    assert!(fill(store, &id, &["d"]).await[0] > s[2], "places are not used again");
}

pub(super) async fn a_claim_of_a_message_that_is_gone_changes_nothing(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    let id = lane(1);
    let s = fill(store, &id, &["a", "b"]).await;
    assert!(store.discard(&ctx(), &id, s[1]).await.unwrap());
    for gone in [s[1], Seq(99)] {
        let write = LaneCommit {
            claim: Some((Seq(1), vec![s[0], gone])),
            head: Some(Head { turns: 9, ..Head::default() }),
            outbox: vec![crate::lanes::store::Outgoing { to: id.clone(), message: chat("me") }],
            ..saying(1, 0, "never")
        };
        assert_conflict(store.commit(&lease, write).await, 0);
    }
    assert_eq!(queued_texts(store, &id).await, ["a"]);
    assert_eq!(steps(store, &id).await, []);
    assert_eq!(store.lane(&ctx(), &id).await.unwrap().head.turns, 0);
    let claim = LaneCommit { claim: Some((Seq(1), vec![s[0]])), ..saying(1, 0, "now") };
    store.commit(&lease, claim).await.unwrap();
}

pub(super) async fn nothing_is_settled_twice(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    let s = fill(store, &lane(1), &["a"]).await;
    let settle = |id, outcome| LaneCommit { settle: vec![(s[0], outcome)], ..commit(id, 0) };
    store.commit(&lease, settle(1, Outcome::Done)).await.unwrap();
    assert_conflict(store.commit(&lease, settle(2, Outcome::Failed)).await, 0);
    assert!(!store.discard(&ctx(), &lane(1), s[0]).await.unwrap());
}
