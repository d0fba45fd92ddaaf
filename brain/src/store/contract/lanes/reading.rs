//! Readers beside a writer.

use api_types::ids::Seq;

use super::Lanes;
use super::fixture::*;
use crate::lanes::store::{LaneCommit, View};
use crate::port::Page;

pub(super) async fn a_reader_never_sees_an_entry_before_the_one_before_it(store: &dyn Lanes) {
    const COMMITS: u64 = 60;
    let lease = owned(store, 1).await;
    let write = async {
        let mut tail = 0;
        for n in 0..COMMITS {
            let entries = (0..=n % 3).map(|i| said(&format!("{}", tail + i + 1))).collect();
            let write = LaneCommit { entries, ..commit(u128::from(n), tail) };
            tail = store.commit(&lease, write).await.unwrap().tail.0;
        }
    };
    let read = async {
        let mut cursor = Seq(0);
        while cursor.0 < COMMITS * 2 {
            let slice = store.log(&ctx(), &lane(1), cursor, View::Steps, 5).await.unwrap();
            for row in slice.rows {
                assert_eq!(row.seq, cursor.next());
                assert_eq!(row.entry, said(&row.seq.to_string()));
                cursor = row.seq;
            }
            assert!(slice.upto == cursor && slice.tail >= cursor);
            tokio::task::yield_now().await;
        }
    };
    tokio::join!(write, read);
}

pub(super) async fn lanes_of_a_session_come_in_pages(store: &dyn Lanes) {
    // Neither by id nor by name.
    let order = [3, 1, 12, 2, 11];
    for n in order {
        unowned(store, n).await;
    }
    let mut elsewhere = new_lane(50);
    elsewhere.spec.session = session(2);
    store.create(&ctx(), elsewhere).await.unwrap();

    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = Page { after, limit: 2 };
        let slice = store.list(&ctx(), &session(1), page).await.unwrap();
        assert!(slice.rows.len() <= 2);
        found.extend(slice.rows.into_iter().map(|view| view.id));
        after = slice.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(found, order.map(lane));
    let nothing = store.list(&ctx(), &session(9), Page::default()).await.unwrap();
    assert!(nothing.rows.is_empty() && nothing.next.is_none());
}
