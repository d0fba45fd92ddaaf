//! A service in memory with two tenants, and clients of it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use api_types::events::Event;
use api_types::ids::{
    CommitId, DocumentPath, LaneId, NodeBoot, ProjectId, Seq, SessionId, TenantId,
};
use async_trait::async_trait;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use bytes::Bytes;
use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{self, Message};
use tower::ServiceExt;

use crate::api::auth::StoredTokens;
use crate::api::{Services, server};
use crate::bundled::Bundled;
use crate::bus::{Bus, LocalBus, Signal, Topic};
use crate::ctx::{Actor, OpCtx, SystemCtx};
use crate::documents::Documents;
use crate::documents::access::Members;
use crate::lanes::Lanes;
use crate::lanes::Wake;
use crate::lanes::entry::{Entry, LogRow};
use crate::lanes::store::{LaneCommit, Own, Owned, Takeover};
use crate::port::Result;
use crate::recipes::Recipes;
use crate::runtime::{Clock, IdGen, ManualClock, Tasks, Timestamp};
use crate::sessions::{Sessions, SessionsParts};
use crate::skills::Skills;
use crate::skills::locks::NoLocks;
use crate::store::embedded::{Embedded, OpenMode};
use crate::tenants::{Bootstrap, Identity, Store, TokenDigest};

/// Token of `jane` in `acme`.
pub(super) const JANE: &str = "token-of-jane";
/// Token of `eve` in `other`.
pub(super) const EVE: &str = "token-of-eve";

/// Two tenants, each with a user and a project `home`.
struct Town(HashMap<TokenDigest, Identity>);

impl Town {
    fn new() -> Self {
        let person = |token: &str, tenant: &str, user: &str| {
            let identity =
                Identity { tenant: tenant.parse().unwrap(), user: user.parse().unwrap() };
            (TokenDigest::of(token), identity)
        };
        Self(HashMap::from([person(JANE, "acme", "jane"), person(EVE, "other", "eve")]))
    }
}

#[async_trait]
impl Store for Town {
    async fn bootstrap(&self, _: &SystemCtx, _: &Bootstrap) -> Result<bool> {
        Ok(false)
    }

    async fn replace_token(&self, _: &SystemCtx, _: &Identity, _: &TokenDigest) -> Result<()> {
        Ok(())
    }

    async fn identify(&self, token: &TokenDigest) -> Result<Option<Identity>> {
        Ok(self.0.get(token).cloned())
    }

    async fn project_exists(&self, _: &TenantId, project: &ProjectId) -> Result<bool> {
        Ok(project.is_system() || project.as_str() == "home")
    }

    async fn any_tenant(&self, _: &SystemCtx) -> Result<Option<TenantId>> {
        Ok(Some("acme".parse().unwrap()))
    }
}

/// Nobody runs turns here: tests write the logs.
struct Asleep;

impl Wake for Asleep {
    fn wake(&self, _: &TenantId, _: &LaneId, _: bool) {}
}

/// A service.
pub(super) struct Desk {
    pub(super) services: Arc<Services>,
    store: Arc<Embedded>,
}

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Answer {
    /// The body as JSON.
    #[track_caller]
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// A header, or nothing.
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

impl Desk {
    pub(super) fn new() -> Self {
        let store = Embedded::open(OpenMode::InMemory).unwrap();
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::at(Timestamp(1_700_000_000_000)));
        let ids = Arc::new(IdGen::seeded(7));
        let bus: Arc<dyn Bus> = Arc::new(LocalBus::default());
        let tenants: Arc<dyn Store> = Arc::new(Town::new());
        let bundled = Arc::new(Bundled::default());
        let parse =
            |path: &DocumentPath, body: &[u8]| crate::skills::head_parser::parse(path, body);
        let documents = Documents::new(
            store.clone(),
            Arc::new(Members::new(tenants.clone())),
            Arc::new(parse),
            clock.clone(),
            ids.clone(),
        );
        let skills = Arc::new(Skills::new(store.clone(), bundled.clone(), Arc::new(NoLocks)));
        let recipes = Arc::new(Recipes::new(store.clone(), bundled));
        let lanes = Lanes::new(store.clone(), store.clone(), Arc::new(Asleep), clock.clone());
        let sessions = Sessions::new(SessionsParts {
            store: store.clone(),
            tenants: tenants.clone(),
            lanes,
            recipes: recipes.clone(),
            skills: skills.clone(),
            bus: bus.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            default_recipe: "default".parse().unwrap(),
        });
        let services = Arc::new(Services {
            authenticator: Arc::new(StoredTokens::new(tenants.clone())),
            tenants,
            documents: Arc::new(documents),
            skills,
            recipes,
            sessions: Arc::new(sessions),
            lanes: store.clone(),
            bus,
            clock,
            ids,
            tasks: Tasks::default(),
            version: "1.2.3".to_owned(),
        });
        Self { services, store }
    }

    /// Sends a request and reads the whole answer.
    pub(super) async fn send(&self, request: Request<Body>) -> Answer {
        let response = server::router(&self.services).oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    /// A request of `jane`, with a body.
    pub(super) async fn call(&self, method: &str, path: &str, body: impl Into<Body>) -> Answer {
        self.send(request(method, path, Some(JANE)).body(body.into()).unwrap()).await
    }

    /// A read of `jane`.
    pub(super) async fn get(&self, path: &str) -> Answer {
        self.call("GET", path, Body::empty()).await
    }

    /// Writes a document as `jane`; answers it.
    pub(super) async fn put(&self, project: &str, path: &str, text: &str) -> Value {
        let change =
            json!({"changes": [{"op": "put", "path": path, "text": text, "expected": "any"}]});
        let path = format!("/brain/acme/documents/changes?projectId={project}");
        let answer = self.call("POST", &path, change.to_string()).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["items"][0].clone()
    }

    /// Serves on a port of its own.
    pub(super) async fn listen(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (services, stop) = (self.services.clone(), self.services.tasks.stopping());
        self.services.tasks.spawn("server", async move {
            server::serve(listener, services, stop).await.unwrap();
        });
        address
    }

    /// Takes the session's chat lane, to write its log.
    pub(super) async fn own(&self, session: &str) -> Pen {
        let ctx = jane();
        let session: SessionId = session.parse().unwrap();
        let lane = self.services.sessions.get(&ctx, &session).await.unwrap().chat;
        let me = NodeBoot::from_bits(1);
        let owned = self.store.acquire(&ctx, &lane, &me, Takeover::Unowned).await.unwrap();
        Pen {
            topic: Topic { tenant: ctx.tenant, session },
            tail: owned.lane.tail,
            owned,
            store: self.store.clone(),
            bus: self.services.bus.clone(),
            commits: 0,
        }
    }
}

/// Writes a lane's log.
pub(super) struct Pen {
    owned: Owned,
    store: Arc<Embedded>,
    bus: Arc<dyn Bus>,
    topic: Topic,
    tail: Seq,
    commits: u128,
}

impl Pen {
    /// Appends entries without a word on the bus.
    pub(super) async fn write_silently(&mut self, entries: Vec<Entry>) -> Vec<LogRow> {
        self.commits += 1;
        let write = LaneCommit {
            id: CommitId::from_bits(self.commits),
            expect: self.tail,
            entries: entries.clone(),
            head: None,
            claim: None,
            settle: Vec::new(),
            outbox: Vec::new(),
        };
        let receipt = self.store.commit(&self.owned.lease, write).await.unwrap();
        let first = self.tail.0 + 1;
        self.tail = receipt.tail;
        (first..).map(Seq).zip(entries).map(|(seq, entry)| LogRow { seq, entry }).collect()
    }

    /// Appends entries and tells.
    pub(super) async fn write(&mut self, entries: Vec<Entry>) {
        let rows = Arc::new(self.write_silently(entries).await);
        let lane = self.owned.lease.lane.clone();
        self.bus.publish(&self.topic, Signal::Advanced { lane, tail: self.tail, rows });
    }

    /// Tells of something that may be lost.
    pub(super) fn overlay(&self, event: Event) {
        self.bus.publish(&self.topic, Signal::Overlay(Arc::new(event)));
    }

    /// The lane.
    pub(super) fn lane(&self) -> &LaneId {
        &self.owned.lease.lane
    }
}

/// `jane`'s context.
pub(super) fn jane() -> OpCtx {
    OpCtx::new("acme".parse().unwrap(), Actor::User("jane".parse().unwrap()))
}

/// A request with this token.
pub(super) fn request(
    method: &str,
    path: &str,
    token: Option<&str>,
) -> axum::http::request::Builder {
    let request = Request::builder().method(method).uri(path);
    match token {
        Some(token) => request.header("authorization", format!("Bearer {token}")),
        None => request,
    }
}

type Stream =
    tokio_tungstenite::WebSocketStream<tokio_tungstenite::MaybeTlsStream<tokio::net::TcpStream>>;

/// A WebSocket client.
pub(super) struct Socket {
    pub(super) stream: Stream,
    next_id: u32,
}

/// Longest wait for something that must come.
const PATIENCE: Duration = Duration::from_secs(10);

impl Socket {
    /// Connects, and takes the welcome.
    pub(super) async fn open(address: &str, tenant: &str, token: &str) -> Self {
        let headers = [("x-vance-client-version", "9"), ("x-vance-profile", "foot")];
        let mut socket = Self::try_open(address, tenant, Some(token), &headers).await.unwrap();
        let welcome = socket.frame().await;
        assert_eq!(welcome["payload"]["type"], "welcome", "{welcome}");
        socket
    }

    /// Connects with these headers; the refusal's status otherwise.
    pub(super) async fn try_open(
        address: &str,
        tenant: &str,
        token: Option<&str>,
        headers: &[(&'static str, &str)],
    ) -> std::result::Result<Self, (u16, Value)> {
        let url = format!("ws://{address}/brain/{tenant}/ws");
        let mut request = url.into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        if let Some(token) = token {
            let value = format!("Bearer {token}").parse().unwrap();
            request.headers_mut().insert("authorization", value);
        }
        match tokio_tungstenite::connect_async(request).await {
            Ok((stream, _)) => Ok(Self { stream, next_id: 0 }),
            Err(tungstenite::Error::Http(response)) => {
                let body = response.body().clone().unwrap_or_default();
                let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
                Err((response.status().as_u16(), body))
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// Sends a request; answers its id.
    pub(super) async fn request(&mut self, kind: &str, data: Value) -> String {
        self.next_id += 1;
        let id = self.next_id.to_string();
        let payload = json!({"id": id, "type": kind, "data": data});
        self.text(json!({"channel": "session", "payload": payload}).to_string()).await;
        id
    }

    /// Sends a request and waits for its answer; what is pushed meanwhile is dropped.
    pub(super) async fn ask(&mut self, kind: &str, data: Value) -> Value {
        let id = self.request(kind, data).await;
        loop {
            let frame = self.frame().await;
            if frame["payload"]["replyTo"] == json!(id) {
                return frame["payload"].clone();
            }
        }
    }

    /// Sends a text.
    pub(super) async fn text(&mut self, text: String) {
        self.stream.send(Message::text(text)).await.unwrap();
    }

    /// The next message, whatever it is.
    pub(super) async fn message(&mut self) -> Option<Message> {
        let next = tokio::time::timeout(PATIENCE, self.stream.next()).await;
        match next.expect("a frame in time") {
            Some(Ok(message)) => Some(message),
            Some(Err(_)) | None => None,
        }
    }

    /// The next text frame.
    #[track_caller]
    pub(super) fn frame(&mut self) -> impl Future<Output = Value> {
        let caller = std::panic::Location::caller();
        async move {
            loop {
                match self.message().await {
                    Some(Message::Text(text)) => return serde_json::from_str(&text).unwrap(),
                    Some(Message::Ping(_) | Message::Pong(_)) => {}
                    other => panic!("{other:?} instead of a frame, at {caller}"),
                }
            }
        }
    }

    /// The next push of this type.
    pub(super) async fn push(&mut self, kind: &str) -> Value {
        loop {
            let frame = self.frame().await;
            if frame["payload"]["type"] == kind {
                return frame;
            }
        }
    }

    /// Reads to the end: the errors that were pushed, and the close code.
    pub(super) async fn close_code(&mut self) -> (Vec<Value>, Option<u16>) {
        let mut errors = Vec::new();
        loop {
            match self.message().await {
                Some(Message::Text(text)) => {
                    let frame: Value = serde_json::from_str(&text).unwrap();
                    if frame["payload"]["type"] == "error" {
                        errors.push(frame["payload"]["data"].clone());
                    }
                }
                Some(Message::Close(close)) => return (errors, close.map(|c| c.code.into())),
                Some(_) => {}
                None => return (errors, None),
            }
        }
    }
}
