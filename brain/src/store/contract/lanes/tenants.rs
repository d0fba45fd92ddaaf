//! Another tenant's things don't exist.

use api_types::ids::{CommitId, Seq};

use super::Lanes;
use super::fixture::*;
use crate::lanes::inbox::Class;
use crate::lanes::store::{Lease, Outgoing, Takeover, View};
use crate::port::Page;

pub(super) async fn another_tenants_lane_does_not_exist(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    let s = fill(store, &lane(1), &["a"]).await;
    store.commit(&lease, saying(1, 0, "secret")).await.unwrap();

    let (other, id) = (ctx_of("other"), lane(1));
    assert_not_found(store.lane(&other, &id).await);
    assert_not_found(store.log(&other, &id, Seq(0), View::Steps, 10).await);
    assert_not_found(store.chat_before(&other, &id, Seq(9), 10).await);
    assert_not_found(store.queued(&other, &id, Class::Work, 10).await);
    assert_not_found(store.claimed(&other, &id, Seq(1)).await);
    assert_not_found(store.enqueue(&other, &id, vec![chat("x")]).await);
    assert_not_found(store.discard(&other, &id, s[0]).await);
    assert_not_found(store.acquire(&other, &id, &boot(2), Takeover::From(vec![boot(1)])).await);
    assert!(store.list(&other, &session(1), Page::default()).await.unwrap().rows.is_empty());

    let forged = Lease { tenant: other.tenant, ..lease.clone() };
    assert_not_found(store.commit(&forged, saying(2, 1, "x")).await);
    assert_not_found(store.receipt(&forged, &CommitId::from_bits(1)).await);
    store.release(forged).await.unwrap();
    store.commit(&lease, saying(2, 1, "still owned")).await.unwrap();
    assert_eq!(queued_texts(store, &lane(1)).await, ["a"]);
}

pub(super) async fn the_same_id_in_two_tenants_is_two_lanes(store: &dyn Lanes) {
    let lease = owned(store, 1).await;
    let other = ctx_of("other");
    store.create(&other, new_lane(1)).await.unwrap();
    store.create(&other, new_lane(2)).await.unwrap();
    store.enqueue(&other, &lane(1), vec![keyed("k", "x")]).await.unwrap();
    assert_eq!(queued_texts(store, &lane(1)).await, [""; 0]);

    // A message never leaves its sender's tenant.
    let mut write = saying(1, 0, "a");
    write.outbox = vec![Outgoing { to: lane(2), message: chat("x") }];
    store.commit(&lease, write).await.unwrap();
    assert_eq!(store.deliver(&system(), 10).await.unwrap(), []);
    assert!(store.queued(&other, &lane(2), Class::Work, 10).await.unwrap().is_empty());
}
