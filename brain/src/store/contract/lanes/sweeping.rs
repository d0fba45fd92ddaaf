//! Finding lanes that have something to do.

use api_types::ids::{NodeBoot, Seq};
use api_types::sessions::ThinkProcessStatus;

use super::Lanes;
use super::fixture::*;
use crate::lanes::head::{Await, Head};
use crate::lanes::store::{LaneCommit, Lease};
use crate::runtime::Timestamp;

const NOW: i64 = 10_000;

async fn found(store: &dyn Lanes, dead: &[NodeBoot]) -> Vec<u128> {
    let runnable = store.runnable(&system(), dead, Timestamp(NOW), 100).await.unwrap();
    let mut found: Vec<_> = (1..100)
        .filter(|n| runnable.iter().any(|r| r.lane == lane(*n) && r.tenant == ctx().tenant))
        .collect();
    assert_eq!(found.len(), runnable.len(), "each lane once: {runnable:?}");
    found.sort_unstable();
    found
}

fn due(at: i64) -> Head {
    Head { due_at: Some(Timestamp(at)), ..Head::default() }
}

fn open() -> Head {
    Head { open_turn: Some(Seq(1)), status: ThinkProcessStatus::Running, ..Head::default() }
}

/// An owned lane that is in this state.
async fn with_head(store: &dyn Lanes, n: u128, head: Head) -> Lease {
    let lease = owned(store, n).await;
    let write = LaneCommit { head: Some(head), entries: vec![opened(&[])], ..commit(1, 0) };
    store.commit(&lease, write).await.unwrap();
    lease
}

/// Lanes 1 to 6: idle, queued, queued and claimed, open, due, due later.
async fn all_kinds(store: &dyn Lanes) -> Vec<Lease> {
    let idle = with_head(store, 1, Head::default()).await;
    let queued = with_head(store, 2, Head::default()).await;
    fill(store, &lane(2), &["a"]).await;
    let settled = with_head(store, 3, Head::default()).await;
    let s = fill(store, &lane(3), &["a", "b"]).await;
    store.discard(&ctx(), &lane(3), s[0]).await.unwrap();
    let claim = LaneCommit { claim: Some((Seq(1), vec![s[1]])), ..commit(2, 1) };
    store.commit(&settled, claim).await.unwrap();
    let open = with_head(store, 4, open()).await;
    let due_now = with_head(store, 5, due(NOW)).await;
    let due_later = with_head(store, 6, due(NOW + 1)).await;
    vec![idle, queued, settled, open, due_now, due_later]
}

pub(super) async fn idle_and_owned_lanes_are_left_alone(store: &dyn Lanes) {
    all_kinds(store).await;
    assert_eq!(found(store, &[]).await, [0u128; 0]);
    assert_eq!(found(store, &[boot(7)]).await, [0u128; 0]);
    assert_eq!(store.owners(&system(), &boot(1)).await.unwrap(), []);
    assert_eq!(store.owners(&system(), &boot(2)).await.unwrap(), [boot(1)]);
}

pub(super) async fn queued_open_and_due_lanes_are_found(store: &dyn Lanes) {
    for lease in all_kinds(store).await {
        store.release(lease).await.unwrap();
    }
    assert_eq!(found(store, &[]).await, [2, 4, 5]);
    assert_eq!(store.owners(&system(), &boot(2)).await.unwrap(), []);
    unowned(store, 7).await;
    fill(store, &lane(7), &["a"]).await;
    assert_eq!(found(store, &[]).await, [2, 4, 5, 7]);
    let some = store.runnable(&system(), &[], Timestamp(NOW), 2).await.unwrap();
    assert_eq!(some.len(), 2);
    fill(store, &lane(1), &["a"]).await;
    assert_eq!(found(store, &[]).await, [1, 2, 4, 5, 7]);
}

/// A turn that waits for someone else leaves memory; the answer or the deadline brings it back.
pub(super) async fn a_parked_turn_waits_for_its_answer(store: &dyn Lanes) {
    let parked = |at| {
        let wait = Await { id: "w".into(), kind: "tool".into(), due_at: Timestamp(at) };
        Head { awaits: vec![wait], due_at: Some(Timestamp(at)), ..open() }
    };
    for (n, head) in [(1, parked(NOW + 1)), (2, parked(NOW + 1)), (3, parked(NOW))] {
        let lease = with_head(store, n, head).await;
        store.release(lease).await.unwrap();
    }
    // Without a deadline nobody would ever come back: it is not parked.
    let forgotten = Head { due_at: None, ..parked(NOW + 1) };
    let lease = with_head(store, 4, forgotten).await;
    store.release(lease).await.unwrap();
    fill(store, &lane(2), &["the answer"]).await;
    assert_eq!(found(store, &[]).await, [2, 3, 4]);
}

pub(super) async fn lanes_of_dead_nodes_are_found(store: &dyn Lanes) {
    all_kinds(store).await;
    assert_eq!(found(store, &[boot(7), boot(1)]).await, [2, 4, 5]);
    let some = store.runnable(&system(), &[boot(1)], Timestamp(NOW), 2).await.unwrap();
    assert_eq!(some.len(), 2);
}

pub(super) async fn closed_lanes_are_never_runnable(store: &dyn Lanes) {
    let lease = with_head(store, 1, open()).await;
    fill(store, &lane(1), &["a"]).await;
    let head = Head { status: ThinkProcessStatus::Closed, ..due(NOW) };
    let head = Head { open_turn: Some(Seq(1)), ..head };
    store.commit(&lease, LaneCommit { head: Some(head), ..commit(2, 1) }).await.unwrap();
    assert_eq!(found(store, &[boot(1)]).await, [0u128; 0]);
    store.release(lease).await.unwrap();
    assert_eq!(found(store, &[]).await, [0u128; 0]);
}
