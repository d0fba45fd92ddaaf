use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use api_types::error::ErrorCode;
use futures::FutureExt;

use super::*;
use crate::ctx::{Actor, SystemCtx};
use crate::documents::ChangeSet;
use crate::documents::access::Members;
use crate::runtime::{ManualClock, Timestamp};
use crate::store::embedded::{Embedded, OpenMode};
use crate::tenants::{Bootstrap, Store as _, TokenDigest};

struct Fixture {
    store: Arc<Embedded>,
    documents: Documents,
}

async fn fixture() -> Fixture {
    with_parser(|path, body| {
        let text = std::str::from_utf8(body).ok()?;
        let json = serde_json::value::to_raw_value(&format!("{path}: {text}")).ok()?;
        path.as_str().ends_with("SKILL.md").then(|| ParsedHead { version: 1, json: json.into() })
    })
    .await
}

async fn with_parser(
    parser: impl Fn(&DocumentPath, &[u8]) -> Option<ParsedHead> + Send + Sync + 'static,
) -> Fixture {
    let store = Embedded::open(OpenMode::InMemory).unwrap();
    let first = Bootstrap {
        tenant: "acme".parse().unwrap(),
        project: "home".parse().unwrap(),
        user: "jane".parse().unwrap(),
        token: TokenDigest::of("t"),
        at: Timestamp(1),
    };
    assert!(store.bootstrap(&SystemCtx::new(), &first).await.unwrap());
    let documents = Documents::new(
        store.clone(),
        Arc::new(Members::new(store.clone())),
        Arc::new(parser),
        Arc::new(ManualClock::at(Timestamp(42))),
        Arc::new(IdGen::seeded(7)),
    );
    Fixture { store, documents }
}

fn ctx() -> OpCtx {
    by("acme", "jane")
}

fn by(tenant: &str, user: &str) -> OpCtx {
    OpCtx::new(tenant.parse().unwrap(), Actor::User(user.parse().unwrap()))
}

fn project(name: &str) -> ProjectId {
    name.parse().unwrap()
}

fn home() -> ProjectId {
    project("home")
}

fn path(text: &str) -> DocumentPath {
    text.parse().unwrap()
}

fn put(at: &str, body: &str) -> Edit {
    Edit::Put { path: path(at), body: body.to_owned().into(), expected: Expected::Any }
}

fn delete(at: &str) -> Edit {
    Edit::Delete { path: path(at), expected: Expected::Any }
}

fn rename(from: &str, to: &str) -> Edit {
    Edit::Move { path: path(from), to: path(to), expected: Expected::Any }
}

impl Fixture {
    async fn apply(&self, edits: Vec<Edit>) -> Result<Applied, Error> {
        self.documents.apply(&ctx(), &home(), edits).await
    }

    async fn write(&self, at: &str, body: &str) -> HeadRow {
        self.apply(vec![put(at, body)]).await.unwrap().rows.remove(0)
    }

    async fn paths(&self) -> Vec<String> {
        let (slice, _) = self.documents.list(&ctx(), &home(), "", Page::default()).await.unwrap();
        slice.rows.iter().map(|row| row.path.to_string()).collect()
    }

    async fn body(&self, at: &str) -> String {
        let found = self.documents.get(&ctx(), &home(), &path(at)).await.unwrap();
        String::from_utf8(found.body.to_vec()).unwrap()
    }
}

#[track_caller]
fn check<T: std::fmt::Debug>(result: Result<T, Error>, code: ErrorCode, says: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    assert!(error.to_string().contains(says), "{error}");
}

#[tokio::test]
async fn a_put_tells_kind_head_writer_and_time() {
    let f = fixture().await;
    let row = f.write("_vance/skills/a/SKILL.md", "x").await;
    assert_eq!((row.kind.as_str(), row.mime.as_str()), ("skill", "text/markdown"));
    assert_eq!((row.updated_by.as_str(), row.updated_at), ("jane", Timestamp(42)));
    assert_eq!(row.head.unwrap().json.get(), r#""_vance/skills/a/SKILL.md: x""#);
}

#[tokio::test]
async fn a_move_reads_kind_and_head_anew() {
    let f = fixture().await;
    f.write("drafts/SKILL.md", "x").await;
    let rows = f.apply(vec![rename("drafts/SKILL.md", "_vance/skills/a/SKILL.md")]).await;
    let row = rows.unwrap().rows.remove(0);
    assert_eq!(row.kind, "skill");
    assert_eq!(row.head.unwrap().json.get(), r#""_vance/skills/a/SKILL.md: x""#);
}

#[tokio::test]
async fn a_personal_layer_is_its_owners_alone() {
    let f = fixture().await;
    let mine = project("_user_jane");
    let edits = vec![put("a", "secret")];
    let id = f.documents.apply(&ctx(), &mine, edits).await.unwrap().rows.remove(0).id;
    for other in [by("acme", "joe"), by("other", "jane")] {
        let documents = &f.documents;
        let says = "_user_jane not found";
        check(documents.get(&other, &mine, &path("a")).await, ErrorCode::NotFound, says);
        check(documents.revisions(&other, &mine).await, ErrorCode::NotFound, says);
        check(documents.list(&other, &mine, "", Page::default()).await, ErrorCode::NotFound, says);
        let written = documents.apply(&other, &mine, vec![put("a", "x")]).await;
        check(written, ErrorCode::NotFound, says);
        let by_id = documents.get_by_id(&other, &id, At::Latest).await;
        check(by_id, ErrorCode::NotFound, id.as_str());
        check(
            documents.history(&other, &id, Page::default()).await,
            ErrorCode::NotFound,
            id.as_str(),
        );
        let deleted = documents.delete(&other, &id, Expected::Any).await;
        check(deleted, ErrorCode::NotFound, id.as_str());
        let restored = documents.restore(&other, &id, Some(Revision(1)), None).await;
        check(restored, ErrorCode::NotFound, id.as_str());
    }
    let process = OpCtx { actor: Actor::Service("hook".into()), ..ctx() };
    check(f.documents.get(&process, &mine, &path("a")).await, ErrorCode::NotFound, "not found");
}

#[tokio::test]
async fn an_unknown_project_is_not_made_by_writing() {
    let f = fixture().await;
    let written = f.documents.apply(&ctx(), &project("elsewhere"), vec![put("a", "x")]).await;
    check(written, ErrorCode::NotFound, "project elsewhere not found");
    f.documents.apply(&ctx(), &project("_tenant"), vec![put("a", "x")]).await.unwrap();
}

#[tokio::test]
async fn the_first_delete_trashes_and_the_second_purges() {
    let f = fixture().await;
    let row = f.write("notes/a.md", "x").await;
    let trashed = f.documents.delete(&ctx(), &row.id, Expected::Any).await.unwrap();
    assert_eq!(trashed.rows[0].trashed_from, Some(path("notes/a.md")));
    assert_eq!(f.paths().await, ["_vance/trash/1_a.md"]);
    let purged = f.documents.delete(&ctx(), &row.id, Expected::Any).await.unwrap();
    assert!(purged.rows.is_empty() && f.paths().await.is_empty());
    let again = f.documents.delete(&ctx(), &row.id, Expected::Any).await;
    check(again, ErrorCode::NotFound, row.id.as_str());
}

#[tokio::test]
async fn a_stale_expectation_names_path_and_revision() {
    let f = fixture().await;
    let row = f.write("a", "1").await;
    f.write("a", "2").await;
    let stale = f.documents.delete(&ctx(), &row.id, Expected::Revision(row.revision)).await;
    check(stale, ErrorCode::Conflict, "document a has changed: its revision is 2");
}

#[tokio::test]
async fn a_restore_brings_back_place_and_body() {
    let f = fixture().await;
    let id = f.write("a", "old").await.id;
    f.write("a", "new").await;
    let documents = &f.documents;
    let living = documents.restore(&ctx(), &id, None, None).await;
    check(living, ErrorCode::InvalidArgument, "name the revision");
    documents.restore(&ctx(), &id, Some(Revision(1)), None).await.unwrap();
    assert_eq!(f.body("a").await, "old");

    documents.delete(&ctx(), &id, Expected::Any).await.unwrap();
    f.write("a", "in the way").await;
    let taken = documents.restore(&ctx(), &id, None, None).await;
    check(taken, ErrorCode::AlreadyExists, "document a exists already");
    let into_trash = documents.restore(&ctx(), &id, None, Some(path("_vance/trash/x"))).await;
    check(into_trash, ErrorCode::InvalidArgument, "_vance/trash/x");
    let back = documents.restore(&ctx(), &id, Some(Revision(2)), Some(path("b"))).await.unwrap();
    assert_eq!(back.rows[0].trashed_from, None);
    assert_eq!(f.body("b").await, "new");
    assert_eq!(f.paths().await, ["a", "b"]);

    documents.delete(&ctx(), &id, Expected::Any).await.unwrap();
    documents.restore(&ctx(), &id, None, None).await.unwrap();
    assert_eq!(f.paths().await, ["a", "b"]);
    let unknown = documents.restore(&ctx(), &DocumentId::from_bits(1), None, None).await;
    check(unknown, ErrorCode::NotFound, "not found");
}

#[tokio::test]
async fn a_whole_tree_can_be_deleted_and_restored() {
    let f = fixture().await;
    let names: Vec<_> = (0..40).map(|i| format!("_vance/skills/s{i:02}/SKILL.md")).collect();
    let pushed = f.apply(names.iter().map(|n| put(n, n)).collect()).await.unwrap();
    f.apply(names[..20].iter().map(|n| delete(n)).collect()).await.unwrap();
    f.apply(names[20..].iter().map(|n| delete(n)).collect()).await.unwrap();
    assert!(f.paths().await.iter().all(|p| p.starts_with("_vance/trash/1_")));
    for row in pushed.rows {
        f.documents.restore(&ctx(), &row.id, None, None).await.unwrap();
    }
    assert_eq!(f.paths().await, names);
    assert_eq!(f.body(&names[7]).await, names[7]);
}

#[tokio::test]
async fn long_names_fit_into_the_trash() {
    let f = fixture().await;
    let long = "ä".repeat(511);
    f.write(&long, "x").await;
    let trashed = f.apply(vec![delete(&long)]).await.unwrap();
    f.documents.restore(&ctx(), &trashed.rows[0].id, None, None).await.unwrap();
    assert_eq!(f.paths().await, [long]);
}

#[tokio::test]
async fn limits_are_named() {
    let f = fixture().await;
    check(f.apply(vec![]).await, ErrorCode::InvalidArgument, "1 to 1000");
    let many = (0..=CHANGES_MAX).map(|i| put(&i.to_string(), "")).collect();
    check(f.apply(many).await, ErrorCode::InvalidArgument, "has 1001 changes");
    let large = vec![put("big", &"x".repeat(DOCUMENT_BYTES_MAX + 1))];
    check(f.apply(large).await, ErrorCode::InvalidArgument, "document big has 8388609 bytes");
}

#[tokio::test]
async fn the_trash_is_filled_by_deleting_only() {
    let f = fixture().await;
    f.write("a", "x").await;
    let says = "nothing can be written to _vance/trash/x";
    check(f.apply(vec![put("_vance/trash/x", "")]).await, ErrorCode::InvalidArgument, says);
    check(f.apply(vec![rename("a", "_vance/trash/x")]).await, ErrorCode::InvalidArgument, says);
    let trash = f.apply(vec![delete("a")]).await.unwrap().rows.remove(0).path;
    let back = f.apply(vec![rename(trash.as_str(), "b")]).await.unwrap();
    assert_eq!(back.rows[0].trashed_from, None);
}

#[tokio::test]
async fn later_edits_see_what_earlier_ones_did() {
    let f = fixture().await;
    f.write("a", "a").await;
    let edits = vec![
        rename("a", "b"),
        put("a", "new"),
        rename("b", "c"),
        put("d", "short-lived"),
        delete("d"),
    ];
    f.apply(edits).await.unwrap();
    assert_eq!((f.body("a").await.as_str(), f.body("c").await.as_str()), ("new", "a"));
    assert_eq!(f.paths().await, ["_vance/trash/0_d", "a", "c"]);
    let gone = f.apply(vec![rename("a", "x"), delete("a")]).await;
    check(gone, ErrorCode::NotFound, "document a");
    assert_eq!(f.body("a").await, "new");
}

/// Someone writes after the edit was planned: it is planned anew on what is there then.
#[tokio::test]
async fn an_edit_without_expectation_survives_another_writer() {
    let rival: Arc<Mutex<Option<Arc<Embedded>>>> = Arc::default();
    let armed = Arc::new(AtomicBool::new(false));
    let (theirs, switch) = (Arc::clone(&rival), Arc::clone(&armed));
    let f = with_parser(move |_, body| {
        if switch.swap(false, Ordering::SeqCst) {
            let store = theirs.lock().unwrap().clone().unwrap();
            let change = Change::Put {
                path: path("a"),
                body: "theirs".into(),
                shape: Shape { kind: "text".into(), mime: "text/plain".into(), head: None },
                expected: Expected::Any,
            };
            let set = ChangeSet {
                changes: vec![change],
                by: "joe".into(),
                at: Timestamp(1),
                ids: vec![DocumentId::from_bits(99)],
            };
            Store::apply(&*store, &ctx(), &home(), set).now_or_never().unwrap().unwrap();
        }
        let json = serde_json::value::to_raw_value(&body.len()).ok()?;
        Some(ParsedHead { version: 1, json: json.into() })
    })
    .await;
    *rival.lock().unwrap() = Some(Arc::clone(&f.store));
    f.write("a", "mine").await;
    armed.store(true, Ordering::SeqCst);
    let moved = f.apply(vec![rename("a", "b")]).await.unwrap();
    assert_eq!(f.body("b").await, "theirs");
    assert_eq!(moved.rows[0].head.as_ref().unwrap().json.get(), "6", "the head is of that body");
}
