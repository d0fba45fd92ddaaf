//! The contract of documents.

mod model;
mod reading;
mod together;

use std::sync::atomic::{AtomicU64, Ordering};

use api_types::error::ErrorCode;
use api_types::ids::{DocumentId, DocumentPath, ProjectId, Revision};
use bytes::Bytes;
use futures::future::join_all;

use super::{ctx, ctx_of, suite};
use crate::documents::{
    Action, Applied, At, CHANGES_MAX, Change, ChangeSet, DOCUMENT_BYTES_MAX, Expected, HeadRow,
    ParsedHead, Revisions, Shape, Store,
};
use crate::port::{Error, Page, Result};
use crate::runtime::Timestamp;

use reading::*;
use together::*;

suite! {
    a_project_never_written_is_empty,
    a_put_creates_then_replaces,
    an_identical_put_is_no_write,
    expectations_are_checked,
    a_set_is_all_or_none,
    limits_hold,
    a_move_keeps_id_and_history,
    a_move_may_change_what_a_body_is,
    trash_restore_and_purge,
    config_counts_only_configuration,
    changed_gives_deltas_with_tombstones,
    changed_below_a_folder,
    lists_page_by_path,
    parsed_heads_come_back,
    old_revisions_stay_readable,
    a_path_can_be_reused,
    a_thousand_beside_one,
    revisions_are_dense_under_concurrency,
    a_reader_at_a_revision_is_not_disturbed,
    tenants_and_projects_are_apart,
    odd_paths_are_found_again,
}

static NEXT: AtomicU64 = AtomicU64::new(1);

fn fresh() -> DocumentId {
    DocumentId::from_bits(NEXT.fetch_add(1, Ordering::Relaxed).into())
}

fn home() -> ProjectId {
    "home".parse().unwrap()
}

fn path(text: &str) -> DocumentPath {
    text.parse().unwrap()
}

fn put(at: &str, body: &str, expected: Expected) -> Change {
    Change::Put {
        path: path(at),
        body: Bytes::from(body.to_owned()),
        shape: Shape { kind: "markdown".into(), mime: "text/markdown".into(), head: None },
        expected,
    }
}

fn rename(from: &str, to: &str, action: Action) -> Change {
    Change::Move { path: path(from), to: path(to), expected: Expected::Any, action, shape: None }
}

fn purge(at: &str) -> Change {
    Change::Purge { path: path(at), expected: Expected::Any }
}

fn set(changes: Vec<Change>) -> ChangeSet {
    let ids = changes.iter().map(|_| fresh()).collect();
    ChangeSet { changes, by: "jane".into(), at: Timestamp(7), ids }
}

async fn apply(store: &dyn Store, changes: Vec<Change>) -> Result<Applied> {
    store.apply(&ctx(), &home(), set(changes)).await
}

/// Puts whatever is there; answers the row.
async fn write(store: &dyn Store, at: &str, body: &str) -> HeadRow {
    apply(store, vec![put(at, body, Expected::Any)]).await.unwrap().rows.remove(0)
}

async fn body(store: &dyn Store, at: &str, when: At) -> Option<String> {
    match store.get(&ctx(), &home(), &path(at), when).await {
        Ok(document) => Some(String::from_utf8(document.body.to_vec()).unwrap()),
        Err(Error::NotFound { .. }) => None,
        Err(error) => panic!("{error:?}"),
    }
}

async fn counters(store: &dyn Store) -> (u64, u64) {
    let Revisions { all, config } = store.revisions(&ctx(), &[home()]).await.unwrap()[0];
    (all.0, config.0)
}

async fn paths(store: &dyn Store, under: &str) -> Vec<String> {
    let (slice, _) = store.list(&ctx(), &home(), under, Page::default()).await.unwrap();
    slice.rows.iter().map(|row| row.path.to_string()).collect()
}

/// `path@revision`, tombstones with a `-`, over all pages.
async fn changed(store: &dyn Store, since: u64, under: &str, limit: u32) -> Vec<String> {
    let mut page = Page::first(limit);
    let mut found = Vec::new();
    loop {
        let slice =
            store.changed(&ctx(), &home(), Revision(since), under, page.clone()).await.unwrap();
        assert!(slice.rows.len() <= limit as usize);
        found.extend(slice.rows.iter().map(|row| {
            format!("{}{}@{}", if row.deleted { "-" } else { "" }, row.path, row.revision)
        }));
        page.after = slice.next;
        if page.after.is_none() {
            return found;
        }
    }
}

fn code<T: std::fmt::Debug>(result: Result<T>) -> ErrorCode {
    result.unwrap_err().code()
}

async fn a_project_never_written_is_empty(store: &dyn Store) {
    assert_eq!(counters(store).await, (0, 0));
    assert_eq!(body(store, "a", At::Latest).await, None);
    assert_eq!(body(store, "a", At::Revision(Revision(3))).await, None);
    assert!(paths(store, "").await.is_empty());
    assert!(changed(store, 0, "", 10).await.is_empty());
    assert_eq!(code(store.get_by_id(&ctx(), &fresh(), At::Latest).await), ErrorCode::NotFound);
    assert_eq!(code(store.history(&ctx(), &fresh(), Page::default()).await), ErrorCode::NotFound);
}

async fn a_put_creates_then_replaces(store: &dyn Store) {
    let first = write(store, "a.md", "one").await;
    assert_eq!((first.revision.0, first.size, first.updated_by.as_str()), (1, 3, "jane"));
    let second = write(store, "a.md", "two!").await;
    assert_eq!((second.revision.0, second.size), (2, 4));
    assert_eq!(first.id, second.id);
    assert_eq!(body(store, "a.md", At::Latest).await.unwrap(), "two!");
    let (project, found) = store.get_by_id(&ctx(), &first.id, At::Latest).await.unwrap();
    assert_eq!((project, found.row.path.as_str()), (home(), "a.md"));
    assert_eq!(counters(store).await, (2, 0));
}

async fn an_identical_put_is_no_write(store: &dyn Store) {
    let first = write(store, "_vance/a.md", "one").await;
    let again = write(store, "_vance/a.md", "one").await;
    assert_eq!(first.revision, again.revision);
    assert_eq!(counters(store).await, (1, 1));
    // The expectation counts nevertheless.
    let absent = apply(store, vec![put("_vance/a.md", "one", Expected::Absent)]).await;
    assert_eq!(code(absent), ErrorCode::AlreadyExists);
    // Beside a real change, only that one takes the new revision.
    let both = vec![put("_vance/a.md", "one", Expected::Any), put("b", "two", Expected::Any)];
    let applied = apply(store, both).await.unwrap();
    let revisions: Vec<_> = applied.rows.iter().map(|row| row.revision.0).collect();
    assert_eq!(revisions, [1, 2]);
    assert_eq!(counters(store).await, (2, 1));
}

async fn expectations_are_checked(store: &dyn Store) {
    let at = |r| Expected::Revision(Revision(r));
    write(store, "a", "1").await;
    write(store, "b", "1").await;
    let refused = [
        (put("a", "x", Expected::Absent), ErrorCode::AlreadyExists),
        (put("a", "x", at(2)), ErrorCode::Conflict),
        (put("c", "x", at(1)), ErrorCode::NotFound),
        (rename("c", "d", Action::Move), ErrorCode::NotFound),
        (rename("a", "b", Action::Move), ErrorCode::AlreadyExists),
        (rename("a", "a", Action::Move), ErrorCode::AlreadyExists),
        (purge("c"), ErrorCode::NotFound),
        (Change::Purge { path: path("a"), expected: at(9) }, ErrorCode::Conflict),
    ];
    for (change, expect) in refused {
        let shown = format!("{change:?}");
        let error = apply(store, vec![change]).await.unwrap_err();
        assert_eq!(error.code(), expect, "{shown}");
        assert!(error.to_string().contains("document "), "{error}");
    }
    assert_eq!(counters(store).await, (2, 0));
    let conflict = apply(store, vec![put("a", "x", at(2))]).await.unwrap_err();
    assert_eq!(conflict.to_string(), "document a has changed: its revision is 1");
    apply(store, vec![put("a", "x", at(1))]).await.unwrap();
    apply(store, vec![put("c", "x", Expected::Absent)]).await.unwrap();
}

async fn a_set_is_all_or_none(store: &dyn Store) {
    write(store, "_vance/kept", "1").await;
    let changes = vec![
        put("new", "x", Expected::Any),
        rename("_vance/kept", "moved", Action::Move),
        put("missing", "x", Expected::Revision(Revision(1))),
    ];
    assert_eq!(code(apply(store, changes).await), ErrorCode::NotFound);
    assert_eq!(paths(store, "").await, ["_vance/kept"]);
    assert_eq!(counters(store).await, (1, 1));
    assert_eq!(changed(store, 0, "", 10).await, ["_vance/kept@1"]);
}

async fn limits_hold(store: &dyn Store) {
    let many = (0..=CHANGES_MAX).map(|i| put(&format!("f/{i}"), "", Expected::Any)).collect();
    let error = apply(store, many).await.unwrap_err();
    assert!(matches!(error, Error::Limit { max: 1_000, .. }), "{error}");
    let large = "x".repeat(DOCUMENT_BYTES_MAX + 1);
    let error = apply(store, vec![put("a", &large, Expected::Any)]).await.unwrap_err();
    assert!(matches!(error, Error::Limit { max: 8_388_608, .. }), "{error}");
    assert_eq!(counters(store).await, (0, 0));
    write(store, "a", &large[1..]).await;
    assert_eq!(body(store, "a", At::Latest).await.unwrap().len(), DOCUMENT_BYTES_MAX);
}

async fn a_move_keeps_id_and_history(store: &dyn Store) {
    let first = write(store, "a", "one").await;
    let moved = apply(store, vec![rename("a", "b", Action::Move)]).await.unwrap().rows.remove(0);
    assert_eq!((moved.id.clone(), moved.path.as_str()), (first.id.clone(), "b"));
    assert_eq!(body(store, "a", At::Latest).await, None);
    assert_eq!(body(store, "b", At::Latest).await.unwrap(), "one");
    write(store, "b", "two").await;
    let versions = store.history(&ctx(), &first.id, Page::default()).await.unwrap().rows;
    let shown: Vec<_> =
        versions.iter().map(|v| (v.revision.0, v.path.as_str(), v.action)).collect();
    assert_eq!(shown, [(3, "b", Action::Put), (2, "b", Action::Move), (1, "a", Action::Put)]);
    let page = store.history(&ctx(), &first.id, Page::first(2)).await.unwrap();
    let rest = Page { after: page.next, limit: 2 };
    let last = store.history(&ctx(), &first.id, rest).await.unwrap();
    assert_eq!((last.rows[0].revision.0, last.next), (1, None));
}

async fn a_move_may_change_what_a_body_is(store: &dyn Store) {
    write(store, "a", "x").await;
    let shape = Shape { kind: "recipe".into(), mime: "application/yaml".into(), head: None };
    let change = Change::Move {
        path: path("a"),
        to: path("_vance/recipes/a.yaml"),
        expected: Expected::Any,
        action: Action::Move,
        shape: Some(shape),
    };
    let row = apply(store, vec![change]).await.unwrap().rows.remove(0);
    assert_eq!((row.kind.as_str(), row.mime.as_str()), ("recipe", "application/yaml"));
    let old = store.get_by_id(&ctx(), &row.id, At::Revision(Revision(1))).await.unwrap().1;
    assert_eq!(old.row.kind, "markdown");
}

async fn trash_restore_and_purge(store: &dyn Store) {
    let id = write(store, "_vance/skills/x/SKILL.md", "one").await.id;
    let (home_path, trash) = ("_vance/skills/x/SKILL.md", "_vance/trash/1_SKILL.md");
    let trashed = apply(store, vec![rename(home_path, trash, Action::Trash)]).await.unwrap();
    assert_eq!(trashed.rows[0].trashed_from, Some(path(home_path)));
    // Leaving the configuration is a change of it.
    assert_eq!(counters(store).await, (2, 2));
    let back = apply(store, vec![rename(trash, home_path, Action::Restore)]).await.unwrap();
    assert_eq!((back.rows[0].id.clone(), back.rows[0].trashed_from.clone()), (id.clone(), None));
    assert_eq!(counters(store).await, (3, 3));
    apply(store, vec![rename(home_path, trash, Action::Trash)]).await.unwrap();
    let purged = apply(store, vec![purge(trash)]).await.unwrap();
    assert!(purged.rows.is_empty());
    assert_eq!(counters(store).await, (5, 4));
    assert_eq!(code(store.history(&ctx(), &id, Page::default()).await), ErrorCode::NotFound);
    assert_eq!(body(store, home_path, At::Revision(Revision(1))).await, None);
    let tombstones = ["-_vance/skills/x/SKILL.md@4", "-_vance/trash/1_SKILL.md@5"];
    assert_eq!(changed(store, 3, "", 10).await, tombstones);
}

async fn config_counts_only_configuration(store: &dyn Store) {
    let steps = [
        ("notes.md", 0),
        ("_vance/recipes/a.yaml", 2),
        ("_vance/logs/a", 2),
        ("_vancey/a", 2),
        ("x/_vance/a", 2),
        ("_vance/a", 6),
    ];
    for (at, config) in steps {
        write(store, at, "x").await;
        assert_eq!(counters(store).await.1, config, "{at}");
    }
}

async fn a_path_can_be_reused(store: &dyn Store) {
    let old = write(store, "a", "old").await;
    let swap = vec![rename("a", "b", Action::Move), put("a", "new", Expected::Absent)];
    let rows = apply(store, swap).await.unwrap().rows;
    assert_eq!(rows[0].id, old.id);
    assert_ne!(rows[1].id, old.id);
    assert_eq!(body(store, "a", At::Latest).await.unwrap(), "new");
    assert_eq!(body(store, "a", At::Revision(Revision(1))).await.unwrap(), "old");
    assert_eq!(body(store, "b", At::Revision(Revision(2))).await.unwrap(), "old");
}
