//! One lane, one writer.

use api_types::ids::Seq;

use super::Lanes;
use super::fixture::*;
use crate::lanes::head::Head;
use crate::lanes::store::{LaneCommit, Takeover};

pub(super) async fn an_old_owners_last_write_is_seen_by_the_new_one(store: &dyn Lanes) {
    let old = owned(store, 1).await;
    store.commit(&old, saying(1, 0, "old")).await.unwrap();
    let taken =
        store.acquire(&ctx(), &lane(1), &boot(2), Takeover::From(vec![boot(1)])).await.unwrap();
    assert_eq!(taken.lane.tail, Seq(1));
    assert!(taken.lease.epoch > old.epoch);
    store.commit(&taken.lease, saying(2, 1, "new")).await.unwrap();
    assert_fenced(store.commit(&old, saying(3, 2, "late")).await, taken.lease.epoch);
    assert_eq!(steps(store, &lane(1)).await, [said("old"), said("new")]);
}

pub(super) async fn a_new_owner_fences_the_old_one(store: &dyn Lanes) {
    let old = owned(store, 1).await;
    let new = store.acquire(&ctx(), &lane(1), &boot(2), Takeover::From(vec![boot(1)])).await;
    let new = new.unwrap().lease;
    assert_fenced(store.commit(&old, saying(1, 0, "old")).await, new.epoch);
    assert_fenced(store.receipt(&old, &saying(1, 0, "").id).await, new.epoch);
    assert_eq!(steps(store, &lane(1)).await, []);
    store.commit(&new, saying(2, 0, "new")).await.unwrap();
}

pub(super) async fn a_write_and_a_takeover_at_once_leave_one_writer(store: &dyn Lanes) {
    for n in 1..20 {
        let old = owned(store, n).await;
        let (ctx, id, me) = (ctx(), lane(n), boot(2));
        let (written, taken) = tokio::join!(
            store.commit(&old, saying(1, 0, "old")),
            store.acquire(&ctx, &id, &me, Takeover::From(vec![boot(1)]))
        );
        let taken = taken.unwrap();
        let tail = u64::from(written.is_ok());
        let view = store.lane(&ctx, &id).await.unwrap();
        assert_eq!(view.tail, Seq(tail));
        assert_eq!(taken.lane.tail, Seq(tail), "the new owner knows all that was written");
        store.commit(&taken.lease, saying(2, tail, "new")).await.unwrap();
    }
}

pub(super) async fn only_a_dead_owner_is_replaced(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    for from in [Takeover::Unowned, Takeover::From(vec![]), Takeover::From(vec![boot(3)])] {
        let refused = store.acquire(&ctx(), &lane(1), &boot(2), from).await;
        assert_fenced(refused, lease.epoch);
    }
    store.commit(&lease, saying(1, 0, "still mine")).await.unwrap();
}

/// An acquisition whose answer was lost is resolved by asking again.
pub(super) async fn the_owner_may_take_its_lane_again(store: &dyn Lanes) {
    let first = owned(store, 1).await;
    let again = store.acquire(&ctx(), &lane(1), &boot(1), Takeover::Unowned).await.unwrap();
    assert!(again.lease.epoch > first.epoch);
    assert_fenced(store.commit(&first, saying(1, 0, "first")).await, again.lease.epoch);
    store.commit(&again.lease, saying(2, 0, "again")).await.unwrap();
}

pub(super) async fn one_of_many_contenders_wins(store: &dyn Lanes) {
    let id = unowned(store, 1).await;
    let ctx = ctx();
    let boots: Vec<_> = (1..=20).map(boot).collect();
    let tries = boots.iter().map(|me| store.acquire(&ctx, &id, me, Takeover::Unowned));
    let results = futures::future::join_all(tries).await;
    assert_eq!(results.iter().filter(|r| r.is_ok()).count(), 1);
}

pub(super) async fn a_released_lease_is_worth_nothing(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    store.release(lease.clone()).await.unwrap();
    assert_fenced(store.commit(&lease, saying(1, 0, "late")).await, lease.epoch);
    let next = store.acquire(&ctx(), &lane(1), &boot(2), Takeover::Unowned).await.unwrap();
    assert!(next.lease.epoch > lease.epoch);
}

pub(super) async fn a_stale_release_is_ignored(store: &dyn Lanes) {
    let old = owned(store, 1).await;
    let new = store.acquire(&ctx(), &lane(1), &boot(2), Takeover::From(vec![boot(1)])).await;
    store.release(old).await.unwrap();
    store.commit(&new.unwrap().lease, saying(1, 0, "mine")).await.unwrap();
}

pub(super) async fn an_open_turn_is_handed_over(store: &dyn Lanes) {
    let old = owned(store, 1).await;
    store.commit(&old, saying(1, 0, "before")).await.unwrap();
    let open = LaneCommit {
        entries: vec![opened(&[]), step("a")],
        head: Some(Head { open_turn: Some(Seq(2)), ..Head::default() }),
        ..commit(2, 1)
    };
    store.commit(&old, open).await.unwrap();
    store.commit(&old, LaneCommit { entries: vec![step("b")], ..commit(3, 3) }).await.unwrap();
    let taken = store.acquire(&ctx(), &lane(1), &boot(2), Takeover::From(vec![boot(1)])).await;
    let taken = taken.unwrap();
    assert_eq!(taken.lane.head.open_turn, Some(Seq(2)));
    let rows: Vec<_> = taken.open.into_iter().map(|row| (row.seq.0, row.entry)).collect();
    assert_eq!(rows, [(2, opened(&[])), (3, step("a")), (4, step("b"))]);
}
