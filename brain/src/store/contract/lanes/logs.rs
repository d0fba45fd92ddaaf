//! The log and its views.

use api_types::ids::Seq;

use super::Lanes;
use super::fixture::*;
use crate::lanes::head::Head;
use crate::lanes::store::{LaneCommit, View};

/// Entries 1 to 6: chat, hidden, step, chat, hidden, chat.
async fn mixed(store: &dyn Lanes) -> crate::lanes::store::Lease {
    let lease = owned(store, 1).await;
    let entries = vec![
        said("one"),
        unseen_by_clients(),
        step("t"),
        said("four"),
        unseen_by_clients(),
        said("six"),
    ];
    store.commit(&lease, LaneCommit { entries, ..commit(1, 0) }).await.unwrap();
    lease
}

async fn seqs(store: &dyn Lanes, after: u64, view: View, limit: u32) -> (Vec<u64>, u64) {
    let slice = store.log(&ctx(), &lane(1), Seq(after), view, limit).await.unwrap();
    (slice.rows.iter().map(|row| row.seq.0).collect(), slice.upto.0)
}

pub(super) async fn views_choose_entries(store: &dyn Lanes) {
    mixed(store).await;
    assert_eq!(seqs(store, 0, View::Steps, 100).await, (vec![1, 2, 3, 4, 5, 6], 6));
    assert_eq!(seqs(store, 0, View::Client, 100).await, (vec![1, 3, 4, 6], 6));
    assert_eq!(seqs(store, 0, View::Chat, 100).await, (vec![1, 4, 6], 6));
    assert_eq!(seqs(store, 3, View::Client, 100).await, (vec![4, 6], 6));
    let slice = store.log(&ctx(), &lane(1), Seq(3), View::Steps, 1).await.unwrap();
    assert_eq!(slice.rows[0].entry, said("four"));
}

pub(super) async fn a_log_is_read_in_parts(store: &dyn Lanes) {
    mixed(store).await;
    assert_eq!(seqs(store, 0, View::Chat, 2).await, (vec![1, 4], 4));
    assert_eq!(seqs(store, 4, View::Chat, 2).await, (vec![6], 6));
    assert_eq!(seqs(store, 6, View::Chat, 2).await, (vec![], 6));
    assert_eq!(seqs(store, 99, View::Steps, 2).await, (vec![], 99), "a cursor never goes back");
    let lease = unowned(store, 2).await;
    let empty = store.log(&ctx(), &lease, Seq(0), View::Steps, 10).await.unwrap();
    assert_eq!((empty.upto, empty.tail, empty.retained_from), (Seq(0), Seq(0), Seq(1)));
}

pub(super) async fn entries_before_the_retained_ones_are_gone(store: &dyn Lanes) {
    let lease = mixed(store).await;
    let head = Head { retained_from: Seq(4), ..Head::default() };
    store.commit(&lease, LaneCommit { head: Some(head), ..commit(2, 6) }).await.unwrap();
    let slice = store.log(&ctx(), &lane(1), Seq(1), View::Steps, 2).await.unwrap();
    assert_eq!(slice.retained_from, Seq(4));
    assert_eq!(slice.rows.iter().map(|row| row.seq.0).collect::<Vec<_>>(), [4, 5]);
    assert_eq!(seqs(store, 0, View::Client, 100).await, (vec![4, 6], 6));
    // The chat lives as long as its session.
    assert_eq!(seqs(store, 0, View::Chat, 100).await, (vec![1, 4, 6], 6));
}

pub(super) async fn the_newest_chat_comes_oldest_first(store: &dyn Lanes) {
    mixed(store).await;
    let chat = async |before, limit| {
        let rows = store.chat_before(&ctx(), &lane(1), Seq(before), limit).await.unwrap();
        rows.iter().map(|row| row.seq.0).collect::<Vec<_>>()
    };
    assert_eq!(chat(u64::MAX, 2).await, [4, 6]);
    assert_eq!(chat(6, 2).await, [1, 4]);
    assert_eq!(chat(4, 10).await, [1]);
    assert_eq!(chat(1, 10).await, [0u64; 0]);
}
