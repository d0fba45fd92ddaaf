//! Whoever loses an answer finds out by id or key, and nothing happens twice.

use api_types::ids::Seq;

use super::Lanes;
use super::fixture::*;
use crate::lanes::inbox::{Class, Outcome};
use crate::lanes::store::{LaneCommit, Lease, NewLane, Own, Read, Receipt, Send, Sweep, Takeover};
use crate::port::{Error, Result};
use crate::store::faulty::{Fault, Faulty, Plan, Rates};

#[track_caller]
fn assert_unknown<T: std::fmt::Debug>(result: Result<T>) {
    assert!(matches!(result, Err(Error::Unknown)), "expected Unknown, got {result:?}");
}

pub(super) async fn every_lost_answer_is_resolved_by_id(store: &dyn Lanes) {
    for (n, fault) in [(1, Fault::LostAnswer), (10, Fault::LostRequest)] {
        let faulty = Faulty::new(store, Plan::calm());
        create_resolves(&faulty, n, fault).await;
        enqueue_resolves(&faulty, n, fault).await;
        discard_resolves(&faulty, n, fault).await;
        let lease = acquire_resolves(&faulty, n, fault).await;
        commit_resolves(&faulty, &lease, fault).await;
        deliver_resolves(&faulty, &lease, fault).await;
        release_resolves(&faulty, lease, fault).await;
    }
}

async fn create_resolves(store: &Faulty<&dyn Lanes>, n: u128, fault: Fault) {
    let new = NewLane { messages: vec![chat("first")], ..new_lane(n) };
    store.plan().fail_next_write(fault);
    assert_unknown(store.create(&ctx(), new.clone()).await);
    let sent = store.create(&ctx(), new).await.unwrap();
    assert_eq!(sent.messages[0].duplicate, fault == Fault::LostAnswer);
    assert_eq!(queued_texts(store, &lane(n)).await, ["first"]);
}

async fn enqueue_resolves(store: &Faulty<&dyn Lanes>, n: u128, fault: Fault) {
    store.plan().fail_next_write(fault);
    assert_unknown(store.enqueue(&ctx(), &lane(n), vec![keyed("k", "second")]).await);
    let sent = store.enqueue(&ctx(), &lane(n), vec![keyed("k", "second")]).await.unwrap();
    assert_eq!(sent.messages[0].duplicate, fault == Fault::LostAnswer);
    assert_eq!(queued_texts(store, &lane(n)).await, ["first", "second"]);
}

async fn discard_resolves(store: &Faulty<&dyn Lanes>, n: u128, fault: Fault) {
    store.plan().fail_next_write(fault);
    assert_unknown(store.discard(&ctx(), &lane(n), Seq(1)).await);
    store.discard(&ctx(), &lane(n), Seq(1)).await.unwrap();
    assert_eq!(queued_texts(store, &lane(n)).await, ["second"]);
}

async fn acquire_resolves(store: &Faulty<&dyn Lanes>, n: u128, fault: Fault) -> Lease {
    store.plan().fail_next_write(fault);
    assert_unknown(store.acquire(&ctx(), &lane(n), &boot(1), Takeover::Unowned).await);
    store.acquire(&ctx(), &lane(n), &boot(1), Takeover::Unowned).await.unwrap().lease
}

async fn commit_resolves(store: &Faulty<&dyn Lanes>, lease: &Lease, fault: Fault) {
    let write = LaneCommit {
        claim: Some((Seq(1), vec![Seq(2)])),
        settle: vec![(Seq(2), Outcome::Done)],
        ..saying(1, 0, "once")
    };
    store.plan().fail_next_write(fault);
    assert_unknown(store.commit(lease, write.clone()).await);
    let receipt = store.receipt(lease, &write.id).await.unwrap();
    let happened = (fault == Fault::LostAnswer).then_some(Receipt { tail: Seq(1) });
    assert_eq!(receipt, happened);
    assert_eq!(store.commit(lease, write).await.unwrap().tail, Seq(1));
    assert_eq!(steps(store, &lease.lane).await, [said("once")]);
}

async fn deliver_resolves(store: &Faulty<&dyn Lanes>, lease: &Lease, fault: Fault) {
    let target = match fault {
        Fault::LostAnswer => unowned(store, 100).await,
        _ => unowned(store, 101).await,
    };
    store.commit(lease, sending(2, 1, target.clone(), chat("hello"))).await.unwrap();
    store.plan().fail_next_write(fault);
    assert_unknown(store.deliver(&system(), 10).await);
    store.deliver(&system(), 10).await.unwrap();
    assert_eq!(queued_texts(store, &target).await, ["hello"]);
}

async fn release_resolves(store: &Faulty<&dyn Lanes>, lease: Lease, fault: Fault) {
    store.plan().fail_next_write(fault);
    assert_unknown(store.release(lease.clone()).await);
    store.release(lease.clone()).await.unwrap();
    store.acquire(&ctx(), &lease.lane, &boot(2), Takeover::Unowned).await.unwrap();
}

pub(super) async fn an_outage_changes_nothing(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    fill(store, &lane(1), &["a"]).await;
    let down = Rates { outage: 1_000, ..Rates::default() };
    let faulty = Faulty::new(store, Plan::seeded(1, down));
    assert_down(faulty.create(&ctx(), new_lane(2)).await);
    assert_down(faulty.enqueue(&ctx(), &lane(1), vec![chat("b")]).await);
    assert_down(faulty.discard(&ctx(), &lane(1), Seq(1)).await);
    assert_down(faulty.commit(&lease, saying(1, 0, "a")).await);
    assert_down(faulty.lane(&ctx(), &lane(1)).await);
    assert_down(faulty.acquire(&ctx(), &lane(1), &boot(1), Takeover::Unowned).await);
    assert_down(faulty.release(lease.clone()).await);

    assert_not_found(store.lane(&ctx(), &lane(2)).await);
    assert_eq!(queued_texts(store, &lane(1)).await, ["a"]);
    store.commit(&lease, saying(1, 0, "a")).await.unwrap();
}

#[track_caller]
fn assert_down<T: std::fmt::Debug>(result: Result<T>) {
    assert!(matches!(result, Err(Error::Unavailable { .. })), "{result:?}");
}

const TURNS: u64 = 6;

/// A sender and an owner that repeat what failed, each by id or key.
pub(super) async fn a_turn_survives_any_plan_of_faults(store: &dyn Lanes) {
    let rates = Rates { outage: 100, lost_request: 100, lost_answer: 150, conflict: 50 };
    for seed in 1..=15 {
        let faulty = Faulty::new(store, Plan::seeded(seed, rates));
        let id = lane(u128::from(seed));
        insist(async || faulty.create(&ctx(), new_lane(u128::from(seed))).await).await;
        for n in 0..TURNS {
            let send = async || {
                let text = n.to_string();
                faulty.enqueue(&ctx(), &id, vec![keyed(&text, &text)]).await
            };
            insist(send).await;
        }
        let owned =
            insist(async || faulty.acquire(&ctx(), &id, &boot(1), Takeover::Unowned).await).await;
        for n in 0..TURNS {
            turn(&faulty, &owned.lease, n).await;
        }
        let expected: Vec<_> =
            (0..TURNS).flat_map(|n| [opened(&[]), said(&n.to_string())]).collect();
        assert_eq!(steps(store, &id).await, expected, "seed {seed}");
        assert_eq!(queued(store, &id, Class::Work).await, [], "seed {seed}");
    }
}

async fn turn(store: &Faulty<&dyn Lanes>, lease: &Lease, n: u64) {
    let (ctx, lane, tail) = (ctx(), &lease.lane, n * 2);
    let first = insist(async || store.queued(&ctx, lane, Class::Work, 1).await).await.remove(0);
    let claim = LaneCommit {
        entries: vec![opened(&[])],
        claim: Some((Seq(tail + 1), vec![first.seq])),
        ..commit(u128::from(tail), tail)
    };
    insist(async || store.commit(lease, claim.clone()).await).await;
    let close = LaneCommit {
        settle: vec![(first.seq, Outcome::Done)],
        ..saying(u128::from(tail) + 1, tail + 1, text_of(&first))
    };
    insist(async || store.commit(lease, close.clone()).await).await;
}

/// Repeats a call until the store answers.
async fn insist<T>(call: impl AsyncFn() -> Result<T>) -> T {
    for _ in 0..200 {
        match call().await {
            Ok(value) => return value,
            Err(Error::Unavailable { .. } | Error::Unknown | Error::Conflict { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    }
    panic!("the store never answered");
}
