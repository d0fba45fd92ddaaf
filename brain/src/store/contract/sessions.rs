//! The contract of sessions.

use api_types::error::ErrorCode;
use api_types::ids::{LaneId, SessionId};
use api_types::sessions::SessionStatus;
use futures::future::join_all;

use super::{ctx, ctx_of, suite};
use crate::ctx::SystemCtx;
use crate::port::{Page, Result};
use crate::runtime::Timestamp;
use crate::sessions::{NewSession, Session, SessionFilter, Store};

suite! {
    creating_again_is_no_write,
    an_update_needs_the_present_revision,
    the_first_title_stays,
    lists_show_the_newest_activity_first,
    one_connection_holds_a_session,
    an_old_binding_lets_nobody_go,
    one_of_many_binds,
    a_bound_session_is_idle,
    sessions_of_another_tenant_are_unknown,
}

fn id(n: u128) -> SessionId {
    SessionId::from_bits(n)
}

fn new(n: u128, user: &str, project: &str, at: i64) -> NewSession {
    NewSession {
        id: id(n),
        project: project.parse().unwrap(),
        user: user.parse().unwrap(),
        profile: "foot".parse().unwrap(),
        chat: LaneId::from_bits(n),
        at: Timestamp(at),
    }
}

async fn create(store: &dyn Store, n: u128) -> Session {
    store.create(&ctx(), new(n, "jane", "home", 10)).await.unwrap()
}

async fn a_bound_session_is_idle(store: &dyn Store) {
    let mut session = create(store, 1).await;
    store.bind(&ctx(), &session.id, "c", false).await.unwrap();
    session = store.get(&ctx(), &session.id).await.unwrap();
    assert_eq!(session.status, SessionStatus::Idle);
    let closed = Session { status: SessionStatus::Closed, ..session };
    store.update(&ctx(), &closed).await.unwrap();
    store.bind(&ctx(), &closed.id, "c", false).await.unwrap();
    assert_eq!(store.get(&ctx(), &closed.id).await.unwrap().status, SessionStatus::Closed);
}

fn code<T: std::fmt::Debug>(result: Result<T>) -> ErrorCode {
    result.unwrap_err().code()
}

async fn creating_again_is_no_write(store: &dyn Store) {
    let first = create(store, 1).await;
    assert_eq!((first.status, first.revision.0), (SessionStatus::Init, 1));
    assert_eq!(create(store, 1).await.revision, first.revision);
    let foreign = store.create(&ctx(), new(1, "joe", "home", 10)).await;
    assert_eq!(code(foreign), ErrorCode::AlreadyExists);
    assert_eq!(store.get(&ctx(), &id(1)).await.unwrap().user.as_str(), "jane");
    assert_eq!(code(store.get(&ctx(), &id(2)).await), ErrorCode::NotFound);
}

async fn an_update_needs_the_present_revision(store: &dyn Store) {
    let first = create(store, 1).await;
    let idle = Session { status: SessionStatus::Idle, title: Some("t".repeat(300)), ..first };
    let now = store.update(&ctx(), &idle).await.unwrap();
    assert_eq!((now.status, now.revision.0), (SessionStatus::Idle, 2));
    assert_eq!(now.title.as_deref().map(str::len), Some(250));
    assert_eq!(code(store.update(&ctx(), &idle).await), ErrorCode::Conflict);
    let unknown = Session { id: id(2), ..idle };
    assert_eq!(code(store.update(&ctx(), &unknown).await), ErrorCode::NotFound);
}

async fn the_first_title_stays(store: &dyn Store) {
    let before = create(store, 1).await;
    for (at, title) in [(30, None), (20, Some("ä".repeat(300))), (40, Some("later".to_owned()))] {
        store.touch(&ctx(), &id(1), Timestamp(at), title.as_deref()).await.unwrap();
    }
    let now = store.get(&ctx(), &id(1)).await.unwrap();
    assert_eq!(now.title, Some("ä".repeat(250)));
    assert_eq!(now.last_activity_at, Timestamp(40));
    // Whoever has not seen the title can't undo it.
    assert_eq!(code(store.update(&ctx(), &before).await), ErrorCode::Conflict);
    store.touch(&ctx(), &id(9), Timestamp(1), None).await.unwrap();
}

async fn shown(store: &dyn Store, filter: &SessionFilter, limit: u32) -> Vec<String> {
    let mut page = Page::first(limit);
    let mut found = Vec::new();
    loop {
        let slice = store.list(&ctx(), filter, page.clone()).await.unwrap();
        found.extend(slice.rows.iter().map(|s| s.id.as_str()[36..].to_owned()));
        page.after = slice.next;
        if page.after.is_none() {
            return found;
        }
    }
}

async fn lists_show_the_newest_activity_first(store: &dyn Store) {
    let all = [(1, "jane", "home", 10), (2, "joe", "home", 30), (3, "jane", "work", 20)];
    for (n, user, project, at) in all {
        store.create(&ctx(), new(n, user, project, at)).await.unwrap();
    }
    store.create(&ctx(), new(4, "jane", "home", 10)).await.unwrap();
    let none = SessionFilter::default();
    let jane = SessionFilter { user: Some("jane".parse().unwrap()), ..none.clone() };
    let home = SessionFilter { project: Some("home".parse().unwrap()), ..none.clone() };
    for limit in [1, 2, 10] {
        assert_eq!(shown(store, &none, limit).await, ["2", "3", "4", "1"]);
        assert_eq!(shown(store, &jane, limit).await, ["3", "4", "1"]);
        assert_eq!(shown(store, &home, limit).await, ["2", "4", "1"]);
    }
    store.touch(&ctx(), &id(1), Timestamp(99), None).await.unwrap();
    assert_eq!(shown(store, &jane, 1).await, ["1", "3", "4"]);
}

async fn one_connection_holds_a_session(store: &dyn Store) {
    create(store, 1).await;
    assert_eq!(store.binding(&ctx(), &id(1)).await.unwrap(), None);
    let a = store.bind(&ctx(), &id(1), "a", false).await.unwrap();
    assert_eq!(code(store.bind(&ctx(), &id(1), "b", false).await), ErrorCode::AlreadyExists);
    assert_eq!(store.binding(&ctx(), &id(1)).await.unwrap(), Some(a.clone()));
    let again = store.bind(&ctx(), &id(1), "a", false).await.unwrap();
    assert!(again.epoch > a.epoch);
    let b = store.bind(&ctx(), &id(1), "b", true).await.unwrap();
    assert!(b.epoch > again.epoch);
    store.unbind_all(&SystemCtx::new()).await.unwrap();
    assert_eq!(store.binding(&ctx(), &id(1)).await.unwrap(), None);
    let c = store.bind(&ctx(), &id(1), "c", false).await.unwrap();
    assert!(c.epoch > b.epoch);
    assert_eq!(code(store.bind(&ctx(), &id(2), "a", false).await), ErrorCode::NotFound);
    assert_eq!(code(store.binding(&ctx(), &id(2)).await), ErrorCode::NotFound);
}

async fn an_old_binding_lets_nobody_go(store: &dyn Store) {
    create(store, 1).await;
    let old = store.bind(&ctx(), &id(1), "a", false).await.unwrap();
    let now = store.bind(&ctx(), &id(1), "a", false).await.unwrap();
    store.unbind(&ctx(), &id(1), &old).await.unwrap();
    assert_eq!(store.binding(&ctx(), &id(1)).await.unwrap(), Some(now.clone()));
    store.unbind(&ctx(), &id(1), &now).await.unwrap();
    assert_eq!(store.binding(&ctx(), &id(1)).await.unwrap(), None);
}

async fn one_of_many_binds(store: &dyn Store) {
    create(store, 1).await;
    let names: Vec<_> = (0..50).map(|n| format!("c{n}")).collect();
    let context = ctx();
    let session = id(1);
    let tries = names.iter().map(|n| store.bind(&context, &session, n, false));
    let won: Vec<_> = join_all(tries).await.into_iter().filter_map(Result::ok).collect();
    assert_eq!(won.len(), 1);
    assert_eq!(store.binding(&ctx(), &id(1)).await.unwrap(), won.into_iter().next());
}

async fn sessions_of_another_tenant_are_unknown(store: &dyn Store) {
    let session = create(store, 1).await;
    let other = ctx_of("other");
    let held = store.bind(&ctx(), &id(1), "a", false).await.unwrap();
    assert_eq!(code(store.get(&other, &id(1)).await), ErrorCode::NotFound);
    assert_eq!(code(store.update(&other, &session).await), ErrorCode::NotFound);
    assert_eq!(code(store.bind(&other, &id(1), "b", true).await), ErrorCode::NotFound);
    assert_eq!(code(store.binding(&other, &id(1)).await), ErrorCode::NotFound);
    store.unbind(&other, &id(1), &held).await.unwrap();
    store.touch(&other, &id(1), Timestamp(999), Some("theirs")).await.unwrap();
    let listed = store.list(&other, &SessionFilter::default(), Page::default()).await.unwrap();
    assert!(listed.rows.is_empty());
    let now = store.get(&ctx(), &id(1)).await.unwrap();
    assert_eq!((now.revision, now.last_activity_at), (session.revision, Timestamp(10)));
    assert_eq!(store.binding(&ctx(), &id(1)).await.unwrap(), Some(held));
}
