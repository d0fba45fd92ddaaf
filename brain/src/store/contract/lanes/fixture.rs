//! Lanes, messages and commits to play with.

use api_types::frames::SteerMode;
use api_types::ids::{CommitId, LaneId, MessageId, NodeBoot, Seq, SessionId};
use api_types::sessions::{ChatRole, CloseReason, ThinkProcessStatus};

use super::Lanes;
use crate::ctx::{Actor, OpCtx, SystemCtx};
use crate::lanes::entry::Entry;
use crate::lanes::head::{Head, RecipeSnapshot, Spec};
use crate::lanes::inbox::{Body, Class, Message, NewMessage};
use crate::lanes::store::{LaneCommit, Lease, NewLane, Outgoing, Takeover, View};
use crate::port::Error;
use crate::runtime::Timestamp;

pub(super) fn ctx() -> OpCtx {
    ctx_of("acme")
}

pub(super) fn ctx_of(tenant: &str) -> OpCtx {
    OpCtx::new(tenant.parse().unwrap(), Actor::User("ann".parse().unwrap()))
}

pub(super) fn system() -> SystemCtx {
    SystemCtx::new()
}

pub(super) fn lane(n: u128) -> LaneId {
    LaneId::from_bits(n)
}

pub(super) fn boot(n: u128) -> NodeBoot {
    NodeBoot::from_bits(n)
}

pub(super) fn session(n: u128) -> SessionId {
    SessionId::from_bits(n)
}

pub(super) fn new_lane(n: u128) -> NewLane {
    let recipe = RecipeSnapshot {
        name: "plain".parse().unwrap(),
        engine: "ford".into(),
        params: serde_json::Map::new(),
        prompt_prefix: Some("You help.".into()),
        prompt_append: None,
        prompt_overwrite: false,
        tools_add: ["skill".into()].into(),
        tools_remove: std::collections::BTreeSet::new(),
        allowed_skills: None,
        locked: false,
    };
    let spec = Spec {
        session: session(1),
        project: "home".parse().unwrap(),
        user: "ann".parse().unwrap(),
        name: format!("p{n}").parse().unwrap(),
        profile: "foot".parse().unwrap(),
        created_at: Timestamp(1_000),
        recipe,
    };
    NewLane { id: lane(n), spec, head: Head::default(), messages: Vec::new() }
}

pub(super) fn chat(text: &str) -> NewMessage {
    let body = Body::Chat { text: text.into(), mode: SteerMode::default(), needs_skills: false };
    message(body)
}

pub(super) fn message(body: Body) -> NewMessage {
    NewMessage { key: None, actor: Actor::User("ann".parse().unwrap()), body, at: Timestamp(2_000) }
}

pub(super) fn keyed(key: &str, text: &str) -> NewMessage {
    NewMessage { key: Some(key.into()), ..chat(text) }
}

pub(super) fn text_of(message: &Message) -> &str {
    match &message.message.body {
        Body::Chat { text, .. } => text,
        other => panic!("not a chat message: {other:?}"),
    }
}

pub(super) fn said(text: &str) -> Entry {
    Entry::Message {
        id: MessageId::from_bits(7),
        role: ChatRole::User,
        content: text.into(),
        sender: Some("ann".into()),
        at: Timestamp(3_000),
    }
}

pub(super) fn opened(inputs: &[u64]) -> Entry {
    Entry::TurnOpened {
        at: Timestamp(3_000),
        inputs: inputs.iter().copied().map(Seq).collect(),
        skills: Vec::new(),
        model: "echo/echo".into(),
    }
}

pub(super) fn step(tool: &str) -> Entry {
    Entry::Started { call: "c1".into(), tool: tool.into(), at: Timestamp(3_000) }
}

pub(super) fn unseen_by_clients() -> Entry {
    Entry::StepClaimed { inputs: Vec::new() }
}

pub(super) fn commit(id: u128, expect: u64) -> LaneCommit {
    LaneCommit {
        id: CommitId::from_bits(id),
        expect: Seq(expect),
        entries: Vec::new(),
        head: None,
        claim: None,
        settle: Vec::new(),
        outbox: Vec::new(),
    }
}

/// A commit of one chat message.
pub(super) fn saying(id: u128, expect: u64, text: &str) -> LaneCommit {
    LaneCommit { entries: vec![said(text)], ..commit(id, expect) }
}

pub(super) fn sending(id: u128, expect: u64, to: LaneId, message: NewMessage) -> LaneCommit {
    LaneCommit { outbox: vec![Outgoing { to, message }], ..commit(id, expect) }
}

pub(super) fn closing(id: u128, expect: u64) -> LaneCommit {
    let head = Head {
        status: ThinkProcessStatus::Closed,
        close_reason: Some(CloseReason::Done),
        ..Head::default()
    };
    LaneCommit { head: Some(head), ..commit(id, expect) }
}

/// A lane of the first session that nobody owns.
pub(super) async fn unowned(store: &dyn Lanes, n: u128) -> LaneId {
    store.create(&ctx(), new_lane(n)).await.unwrap();
    lane(n)
}

/// A lane that the first node owns.
pub(super) async fn owned(store: &dyn Lanes, n: u128) -> Lease {
    let id = unowned(store, n).await;
    store.acquire(&ctx(), &id, &boot(1), Takeover::Unowned).await.unwrap().lease
}

pub(super) async fn steps(store: &dyn Lanes, id: &LaneId) -> Vec<Entry> {
    let slice = store.log(&ctx(), id, Seq(0), View::Steps, 1_000).await.unwrap();
    slice.rows.into_iter().map(|row| row.entry).collect()
}

pub(super) async fn queued(store: &dyn Lanes, id: &LaneId, class: Class) -> Vec<Message> {
    store.queued(&ctx(), id, class, 10_000).await.unwrap()
}

pub(super) async fn queued_texts(store: &dyn Lanes, id: &LaneId) -> Vec<String> {
    queued(store, id, Class::Work).await.iter().map(|m| text_of(m).to_owned()).collect()
}

pub(super) async fn claimed_seqs(store: &dyn Lanes, id: &LaneId, turn: u64) -> Vec<u64> {
    store.claimed(&ctx(), id, Seq(turn)).await.unwrap().iter().map(|m| m.seq.0).collect()
}

/// Puts so many messages in a lane's inbox and answers their places.
pub(super) async fn fill(store: &dyn Lanes, id: &LaneId, texts: &[&str]) -> Vec<Seq> {
    let messages = texts.iter().map(|text| chat(text)).collect();
    let sent = store.enqueue(&ctx(), id, messages).await.unwrap();
    sent.messages.into_iter().map(|m| m.seq).collect()
}

#[track_caller]
pub(super) fn assert_fenced<T: std::fmt::Debug>(result: Result<T, Error>, at: u64) {
    match result {
        Err(Error::Fenced { epoch }) => assert_eq!(epoch, at, "the present epoch is told"),
        other => panic!("expected Fenced, got {other:?}"),
    }
}

#[track_caller]
pub(super) fn assert_conflict<T: std::fmt::Debug>(result: Result<T, Error>, at: u64) {
    match result {
        Err(Error::Conflict { current, .. }) => assert_eq!(current.0, at, "the tail is told"),
        other => panic!("expected Conflict, got {other:?}"),
    }
}

#[track_caller]
pub(super) fn assert_limit<T: std::fmt::Debug>(result: Result<T, Error>, name: &str) {
    match result {
        Err(Error::Limit { limit, .. }) => assert_eq!(limit, name),
        other => panic!("expected Limit, got {other:?}"),
    }
}

#[track_caller]
pub(super) fn assert_not_found<T: std::fmt::Debug>(result: Result<T, Error>) {
    assert!(matches!(result, Err(Error::NotFound { .. })), "expected NotFound, got {result:?}");
}
