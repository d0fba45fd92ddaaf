//! Several at once, and several tenants.

use super::*;

pub(super) async fn a_thousand_beside_one(store: &dyn Store) {
    let many = (0..CHANGES_MAX).map(|i| put(&format!("m/{i:04}"), "x", Expected::Absent)).collect();
    let one = vec![put("m/0500/one", "y", Expected::Absent)];
    let look = async {
        for _ in 0..50 {
            let (slice, _) = store.list(&ctx(), &home(), "m", Page::default()).await.unwrap();
            let of_set = slice.rows.iter().filter(|row| row.size == 1).count();
            assert!(matches!(slice.rows.len(), 0 | 1 | 1_000), "{of_set}");
        }
    };
    let (many, one, ()) = tokio::join!(apply(store, many), apply(store, one), look);
    let (many, one) = (many.unwrap(), one.unwrap());
    assert!(many.rows.iter().all(|row| row.revision == many.revisions.all));
    let mut order = [many.revisions.all.0, one.revisions.all.0];
    order.sort_unstable();
    assert_eq!(order, [1, 2]);
    assert_eq!(changed(store, 0, "m", 400).await.len(), CHANGES_MAX + 1);
}

pub(super) async fn revisions_are_dense_under_concurrency(store: &dyn Store) {
    let puts = (0..100).map(|i| async move {
        let at = format!("_vance/d{}", i % 7);
        let row = write(store, &at, &i.to_string()).await;
        let (all, config) = counters(store).await;
        assert!(all >= row.revision.0 && config >= row.revision.0, "an answered write is counted");
        row.revision.0
    });
    let mut seen = join_all(puts).await;
    seen.sort_unstable();
    assert_eq!(seen, (1..=100).collect::<Vec<_>>());
    assert_eq!(counters(store).await, (100, 100));
}

pub(super) async fn a_reader_at_a_revision_is_not_disturbed(store: &dyn Store) {
    write(store, "a", "first").await;
    let puts =
        join_all((0..50).map(|i| write(store, "a", Box::leak(format!("{i}").into_boxed_str()))));
    let reads = join_all((0..50).map(|_| body(store, "a", At::Revision(Revision(1)))));
    let (_, reads) = tokio::join!(puts, reads);
    assert!(reads.iter().all(|b| b.as_deref() == Some("first")), "{reads:?}");
}

pub(super) async fn tenants_and_projects_are_apart(store: &dyn Store) {
    let id = write(store, "a", "acme's").await.id;
    let other = ctx_of("other");
    assert_eq!(code(store.get(&other, &home(), &path("a"), At::Latest).await), ErrorCode::NotFound);
    assert_eq!(code(store.get_by_id(&other, &id, At::Latest).await), ErrorCode::NotFound);
    let at = At::Revision(Revision(1));
    assert_eq!(code(store.get_by_id(&other, &id, at).await), ErrorCode::NotFound);
    assert_eq!(code(store.history(&other, &id, Page::default()).await), ErrorCode::NotFound);
    let theirs = set(vec![put("a", "theirs", Expected::Absent)]);
    let applied = store.apply(&other, &home(), theirs).await.unwrap();
    assert_eq!(applied.revisions.all, Revision(1));
    assert_eq!(body(store, "a", At::Latest).await.unwrap(), "acme's");
    let projects = [home(), "elsewhere".parse().unwrap()];
    let revisions = store.revisions(&ctx(), &projects).await.unwrap();
    assert_eq!([revisions[0].all.0, revisions[1].all.0], [1, 0]);
    let (listed, _) = store.list(&other, &projects[1], "", Page::default()).await.unwrap();
    assert!(listed.rows.is_empty());
}
