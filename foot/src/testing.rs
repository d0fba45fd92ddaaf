//! A brain of which tests write every word.

use std::sync::{Arc, Mutex};

use api_types::events::{
    Event, ProcessProgress, SkillOperation, SkillOutcome, StatusTag, StreamChunk, TurnClosed,
    TurnOutcome, UsageDto,
};
use api_types::frames::{
    Channel, ClientFrame, LiveEnvelope, ProcessListReply, ReplyFrame, ServerInfo, SessionBound,
    WebSocketEnvelope, Welcome,
};
use api_types::ids::{LaneId, MessageId, ProcessName, Seq, SessionId};
use api_types::sessions::{ChatMessageDto, ChatRole, ProcessSummaryDto, ThinkProcessStatus};
use futures::{SinkExt, StreamExt};
use serde::Serialize;
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

use crate::config::Settings;
use crate::output::{Format, Output};

/// What was written.
#[derive(Clone, Default)]
pub(crate) struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl std::io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// An output with its data and its notes.
pub(crate) fn output(format: Format) -> (Output, Written, Written) {
    let (data, notes) = (Written::default(), Written::default());
    (Output::to(format, Box::new(data.clone()), Box::new(notes.clone())), data, notes)
}

/// Settings for a brain at this port.
pub(crate) fn settings(port: u16) -> Settings {
    Settings {
        url: format!("http://127.0.0.1:{port}").parse().unwrap(),
        token: "secret".parse().unwrap(),
        tenant: "acme".parse().unwrap(),
        project: "home".parse().unwrap(),
        user: None,
        profile: "foot".parse().unwrap(),
    }
}

/// The brain.
pub(crate) struct FakeBrain {
    listener: TcpListener,
}

impl FakeBrain {
    pub(crate) async fn start() -> Self {
        Self { listener: TcpListener::bind("127.0.0.1:0").await.unwrap() }
    }

    pub(crate) fn settings(&self) -> Settings {
        settings(self.listener.local_addr().unwrap().port())
    }

    pub(crate) async fn accept_tcp(&self) -> TcpStream {
        self.listener.accept().await.unwrap().0
    }

    /// The next connection, welcomed.
    pub(crate) async fn accept(&self) -> Peer {
        let stream = self.accept_tcp().await;
        self.welcome(stream).await
    }

    pub(crate) async fn welcome(&self, stream: TcpStream) -> Peer {
        let mut peer = Peer { socket: tokio_tungstenite::accept_async(stream).await.unwrap() };
        let server = ServerInfo {
            version: "1".to_owned(),
            protocol_version: 1,
            ping_interval: 30,
            capabilities: Vec::new(),
        };
        peer.push(
            None,
            Event::Welcome(Welcome {
                user_id: "jane".parse().unwrap(),
                tenant_id: "acme".parse().unwrap(),
                editor_id: "conn".to_owned(),
                server,
            }),
        )
        .await;
        peer
    }
}

/// One connection, seen from the brain.
pub(crate) struct Peer {
    socket: WebSocketStream<TcpStream>,
}

impl Peer {
    async fn send<T: Serialize>(&mut self, envelope: WebSocketEnvelope<T>) {
        let frame = LiveEnvelope { channel: Channel::Session, session_id: None, payload: envelope };
        let text = serde_json::to_string(&frame).unwrap();
        self.socket.send(Message::Text(text.into())).await.unwrap();
    }

    pub(crate) async fn push(&mut self, cursor: Option<&str>, event: Event) {
        let cursor = cursor.map(str::to_owned);
        self.send(WebSocketEnvelope { id: None, reply_to: None, cursor, body: event }).await;
    }

    pub(crate) async fn reply(&mut self, to: &str, reply: ReplyFrame) {
        let reply_to = Some(to.to_owned());
        self.send(WebSocketEnvelope { id: None, reply_to, cursor: None, body: reply }).await;
    }

    pub(crate) async fn refuse(&mut self, to: &str, error: api_types::error::ErrorBody) {
        let reply_to = Some(to.to_owned());
        let body = Event::Error(error);
        self.send(WebSocketEnvelope { id: None, reply_to, cursor: None, body }).await;
    }

    /// The next request, with its id.
    pub(crate) async fn hear(&mut self) -> (String, ClientFrame) {
        loop {
            let message = self.socket.next().await.expect("a request").expect("a request");
            let Message::Text(text) = message else { continue };
            let frame: LiveEnvelope<WebSocketEnvelope<ClientFrame>> =
                serde_json::from_str(&text).unwrap();
            return (frame.payload.id.unwrap(), frame.payload.body);
        }
    }

    /// Hears a bootstrap and answers it.
    pub(crate) async fn bootstrapped(
        &mut self,
        queued: &[u64],
    ) -> api_types::frames::SessionBootstrap {
        let (id, frame) = self.hear().await;
        let ClientFrame::SessionBootstrap(bootstrap) = frame else { panic!("{frame:?}") };
        self.reply(&id, ReplyFrame::SessionBootstrap(bound(queued, "c0"))).await;
        bootstrap
    }

    /// Hears a resume, answers it, and returns its cursor.
    pub(crate) async fn resumed(&mut self, resync: bool) -> Option<String> {
        let (id, frame) = self.hear().await;
        let ClientFrame::SessionResume(resume) = frame else { panic!("{frame:?}") };
        assert!(resume.takeover);
        let mut bound = bound(&[], "c9");
        bound.session_created = false;
        bound.resync = resync;
        self.reply(&id, ReplyFrame::SessionResume(bound)).await;
        resume.cursor
    }

    /// Waits for the client to leave.
    pub(crate) async fn left(mut self) {
        while let Some(Ok(_)) = self.socket.next().await {}
    }

    pub(crate) async fn close(mut self, code: u16, reason: &str) {
        let frame = CloseFrame { code: code.into(), reason: reason.to_owned().into() };
        self.socket.close(Some(frame)).await.unwrap();
        self.left().await;
    }
}

fn process() -> LaneId {
    LaneId::from_bits(1)
}

fn chat() -> ProcessName {
    "chat".parse().unwrap()
}

pub(crate) fn bound(queued: &[u64], cursor: &str) -> SessionBound {
    SessionBound {
        session_id: SessionId::from_bits(7),
        project_id: "home".parse().unwrap(),
        session_created: true,
        chat_process_id: process(),
        chat_process_name: chat(),
        chat_engine: "ford".to_owned(),
        active_skills: Vec::new(),
        cursor: cursor.to_owned(),
        resync: false,
        queued: queued.iter().copied().map(Seq).collect(),
    }
}

pub(crate) fn chunk(message: u128, offset: u64, text: &str) -> Event {
    Event::ChatMessageStreamChunk(StreamChunk {
        think_process_id: process(),
        process_name: chat(),
        role: ChatRole::Assistant,
        chunk: text.to_owned(),
        turn_id: Seq(10),
        attempt: 1,
        message_id: MessageId::from_bits(message),
        offset,
    })
}

pub(crate) fn message(id: u128, role: ChatRole, text: &str) -> ChatMessageDto {
    ChatMessageDto {
        chat_message_id: MessageId::from_bits(id),
        think_process_id: process(),
        process_name: chat(),
        role,
        content: text.to_owned(),
        created_at: 0,
        sender: None,
    }
}

pub(crate) fn said(id: u128, text: &str) -> Event {
    Event::ChatMessageAppended(message(id, ChatRole::Assistant, text))
}

pub(crate) fn asked(text: &str) -> Event {
    Event::ChatMessageAppended(message(99, ChatRole::User, text))
}

pub(crate) fn progress(tag: StatusTag, text: &str) -> Event {
    Event::ProcessProgress(ProcessProgress {
        process_id: process(),
        process_name: chat(),
        turn_id: Some(Seq(10)),
        tag,
        text: text.to_owned(),
        tool: None,
        usage: None,
        emitted_at: 0,
    })
}

pub(crate) fn closed(outcome: TurnOutcome, settled: &[u64]) -> Event {
    let failed = outcome != TurnOutcome::Done;
    Event::TurnClosed(TurnClosed {
        process_id: process(),
        process_name: chat(),
        turn_id: Seq(10),
        outcome,
        message: failed.then(|| "no luck".to_owned()),
        settled: settled.iter().copied().map(Seq).collect(),
        usage: UsageDto { tokens_in: 3, tokens_out: 4, llm_calls: 1, ..UsageDto::default() },
    })
}

pub(crate) fn skill(queued: Option<u64>, name: &str, outcome: SkillOutcome) -> Event {
    Event::SkillOperation(SkillOperation {
        process_id: process(),
        process_name: chat(),
        queued: queued.map(Seq),
        skill: Some(name.parse().unwrap()),
        outcome,
        message: format!("{name}: {outcome:?}"),
        reason: None,
        active_skills: Vec::new(),
    })
}

pub(crate) fn processes(status: ThinkProcessStatus) -> ReplyFrame {
    let process = ProcessSummaryDto {
        process_id: process(),
        name: chat(),
        recipe: "default".parse().unwrap(),
        engine: "ford".to_owned(),
        status,
        close_reason: None,
        active_skills: Vec::new(),
    };
    ReplyFrame::ProcessList(ProcessListReply { processes: vec![process] })
}
