use std::time::Duration;

use api_types::events::{Event, StreamChunk};
use api_types::frames::FRAME_BYTES_MAX;
use api_types::ids::{MessageId, Seq};
use api_types::sessions::ChatRole;
use futures::SinkExt;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use super::desk::{Desk, JANE, Pen, Socket};
use crate::lanes::entry::{Call, Entry};
use crate::lanes::usage::Usage;
use crate::runtime::Timestamp;

const AT: Timestamp = Timestamp(5);

/// A chat message with a number.
pub(super) fn message(number: u128) -> Entry {
    Entry::Message {
        id: MessageId::from_bits(number),
        role: ChatRole::Assistant,
        content: format!("message {number}"),
        sender: None,
        at: AT,
    }
}

/// A step that makes three events.
fn step(number: u128) -> Entry {
    let call = |tool: &str| Call {
        id: format!("{number}-{tool}"),
        name: tool.to_owned(),
        arguments: format!("{{\"n\": {number}}}"),
    };
    Entry::Model {
        text: format!("step {number}"),
        calls: vec![call("doc_read"), call("doc_list")],
        usage: Usage::default(),
        at: AT,
        carry: None,
    }
}

async fn bound(desk: &Desk, address: &str) -> (Socket, String, Pen) {
    let mut socket = Socket::open(address, "acme", JANE).await;
    let bound = socket.ask("session-create", json!({"projectId": "home"})).await;
    assert_eq!(bound["type"], "session-create", "{bound}");
    let session = bound["data"]["sessionId"].as_str().unwrap().to_owned();
    let pen = desk.own(&session).await;
    (socket, session, pen)
}

async fn refusal(address: &str, headers: &[(&'static str, &str)]) -> (u16, Value) {
    let refused = Socket::try_open(address, "acme", Some(JANE), headers).await;
    let (status, body) = refused.err().expect("refused");
    (status, body["reason"].clone())
}

#[tokio::test]
async fn an_upgrade_is_checked_before_the_protocol_changes() {
    let desk = Desk::new();
    let address = desk.listen().await;
    let version = ("x-vance-client-version", "9");
    assert_eq!(refusal(&address, &[]).await, (400, json!("missing_client_version")));
    let bad = [version, ("x-vance-profile", "Foot!")];
    assert_eq!(refusal(&address, &bad).await, (400, json!("invalid_profile")));
    let plain = desk.get("/brain/acme/ws").await;
    assert_eq!(plain.json()["reason"], "missing_client_version");
}

#[tokio::test]
async fn frames_are_answered_each_by_its_own() {
    let desk = Desk::new();
    let address = desk.listen().await;
    let mut socket = Socket::open(&address, "acme", JANE).await;
    let pong = socket.ask("ping", json!({"clientTimestamp": 12})).await;
    assert_eq!((&pong["type"], &pong["data"]["clientTimestamp"]), (&json!("pong"), &json!(12)));
    let cases = [
        ("{".to_owned(), Value::Null, "invalid_json"),
        (
            r#"{"channel":"session","payload":{"id":"a","type":"pin"}}"#.to_owned(),
            json!("a"),
            "unknown_type",
        ),
        (
            r#"{"channel":"session","payload":{"id":"b","type":"process-steer","data":[]}}"#
                .to_owned(),
            json!("b"),
            "invalid_frame",
        ),
        (
            r#"{"channel":"x","payload":{"id":"c","type":"ping"}}"#.to_owned(),
            json!("c"),
            "unknown_channel",
        ),
    ];
    for (text, reply_to, reason) in cases {
        socket.text(text.clone()).await;
        let error = socket.push("error").await;
        assert_eq!(error["payload"].get("replyTo").unwrap_or(&Value::Null), &reply_to, "{text}");
        assert_eq!(error["payload"]["data"]["reason"], reason, "{text}");
    }
    socket.stream.send(Message::binary(vec![1, 2])).await.unwrap();
    assert_eq!(socket.push("error").await["payload"]["data"]["reason"], "binary_frame");
    let pong = socket.ask("ping", json!({"clientTimestamp": 13})).await;
    assert_eq!(pong["type"], "pong", "the connection stays open");
}

#[tokio::test]
async fn a_frame_beyond_the_limit_ends_the_connection_with_a_reason() {
    let desk = Desk::new();
    let address = desk.listen().await;
    let mut socket = Socket::open(&address, "acme", JANE).await;
    // The service may hang up before it has read all of it.
    drop(socket.stream.send(Message::text("x".repeat(FRAME_BYTES_MAX + 1))).await);
    let (errors, code) = socket.close_code().await;
    if let Some(code) = code {
        assert_eq!((code, &errors[0]["reason"]), (1009, &json!("frame_too_large")));
    }
    let mut other = Socket::open(&address, "acme", JANE).await;
    assert_eq!(other.ask("ping", json!({"clientTimestamp": 1})).await["type"], "pong");
}

#[tokio::test]
async fn who_sends_nonsense_only_is_shown_the_door() {
    let desk = Desk::new();
    let address = desk.listen().await;
    let mut socket = Socket::open(&address, "acme", JANE).await;
    for _ in 0..=super::super::ws::FAULTS_MAX {
        drop(socket.stream.send(Message::text("{")).await);
    }
    let (errors, code) = socket.close_code().await;
    assert_eq!(code, Some(4429));
    assert_eq!(errors.last().unwrap()["reason"], "too_many_malformed_frames");
}

#[tokio::test]
async fn requests_about_a_process_need_a_session() {
    let desk = Desk::new();
    let address = desk.listen().await;
    let mut socket = Socket::open(&address, "acme", JANE).await;
    let steer = json!({"processName": "chat", "content": "hi"});
    let refused = socket.ask("process-steer", steer.clone()).await;
    assert_eq!(refused["data"]["reason"], "no_session_bound");
    let bound = socket.ask("session-create", json!({"projectId": "home"})).await;
    assert_eq!(bound["data"]["sessionCreated"], true);
    let again = socket.ask("session-create", json!({"projectId": "home"})).await;
    assert_eq!(again["data"]["reason"], "session_bound");
    let queued = socket.ask("process-steer", steer).await;
    assert_eq!(
        (&queued["type"], &queued["data"]["duplicate"]),
        (&json!("process-steer"), &json!(false))
    );
    let unknown = json!({"processName": "worker", "content": "hi"});
    let refused = socket.ask("process-steer", unknown).await;
    assert_eq!(refused["data"]["reason"], "unknown_process");
}

#[tokio::test]
async fn the_same_key_queues_once() {
    let desk = Desk::new();
    let address = desk.listen().await;
    let (mut socket, _, _pen) = bound(&desk, &address).await;
    let steer = json!({"processName": "chat", "content": "hi", "idempotencyKey": "k"});
    let first = socket.ask("process-steer", steer.clone()).await;
    let second = socket.ask("process-steer", steer).await;
    assert_eq!(first["data"]["queued"], second["data"]["queued"]);
    assert_eq!(second["data"]["duplicate"], true);
    let long = json!({"processName": "chat", "content": "hi", "idempotencyKey": "k".repeat(200)});
    let refused = socket.ask("process-steer", long).await;
    assert_eq!(refused["data"]["reason"], "invalid_idempotency_key");
}

#[tokio::test]
async fn skills_are_queued_or_listed() {
    let desk = Desk::new();
    let address = desk.listen().await;
    let (mut socket, ..) = bound(&desk, &address).await;
    let listed =
        socket.ask("process-skill", json!({"processName": "chat", "command": "LIST"})).await;
    let names = listed["data"]["availableSkills"].to_string();
    assert!(names.contains("\"code-review\""), "{names}");
    let activate =
        json!({"processName": "chat", "command": "ACTIVATE", "skillName": "code-review"});
    let queued = socket.ask("process-skill", activate).await;
    assert!(queued["data"]["queued"].is_u64(), "{queued}");
    let nameless = json!({"processName": "chat", "command": "CLEAR"});
    let refused = socket.ask("process-skill", nameless).await;
    assert_eq!(refused["data"]["reason"], "missing_skill_name");
}

#[tokio::test]
async fn what_is_written_is_pushed_in_order_with_cursors() {
    let desk = Desk::new();
    let address = desk.listen().await;
    let (mut socket, session, mut pen) = bound(&desk, &address).await;
    pen.write(vec![message(1), step(2)]).await;
    pen.overlay(Event::ChatMessageStreamChunk(StreamChunk {
        think_process_id: pen.lane().clone(),
        process_name: "chat".parse().unwrap(),
        role: ChatRole::Assistant,
        chunk: "mess".to_owned(),
        turn_id: Seq(1),
        attempt: 1,
        message_id: MessageId::from_bits(3),
        offset: 0,
    }));
    pen.write(vec![message(3)]).await;
    let mut told = Vec::new();
    for _ in 0..6 {
        let mut frame = socket.frame().await;
        assert_eq!(frame["sessionId"], session);
        let durable = frame["payload"].as_object_mut().unwrap().remove("cursor").is_some();
        let overlay = frame["payload"]["type"] == "chat-message-stream-chunk";
        assert_eq!(durable, !overlay, "{frame}");
        told.push(frame["payload"].clone());
    }
    insta::assert_json_snapshot!("pushes", told);
}

#[tokio::test]
async fn what_the_bus_loses_is_found_by_looking() {
    let desk = Desk::new();
    let address = desk.listen().await;
    let (mut socket, _, mut pen) = bound(&desk, &address).await;
    pen.write_silently(vec![message(1)]).await;
    let pushed = socket.push("chat-message-appended").await;
    assert_eq!(pushed["payload"]["data"]["content"], "message 1");
    // A signal that does not follow what the client has: the gap is read first.
    pen.write_silently(vec![message(2)]).await;
    pen.write(vec![message(3)]).await;
    for expect in ["message 2", "message 3"] {
        let pushed = socket.push("chat-message-appended").await;
        assert_eq!(pushed["payload"]["data"]["content"], expect);
    }
}

/// The frames of a session from a cursor on, as many as asked for.
async fn resumed(address: &str, session: &str, cursor: &str, count: usize) -> Vec<(Value, Value)> {
    let mut socket = Socket::open(address, "acme", JANE).await;
    let data = json!({"sessionId": session, "cursor": cursor, "takeover": true});
    let bound = socket.ask("session-resume", data).await;
    assert_eq!(
        (&bound["data"]["resync"], &bound["data"]["cursor"]),
        (&json!(false), &json!(cursor))
    );
    let mut frames = Vec::new();
    while frames.len() < count {
        let mut frame = socket.frame().await["payload"].clone();
        let cursor = frame.as_object_mut().unwrap().remove("cursor").unwrap();
        frames.push((frame, cursor));
    }
    // Nothing follows: the answer to a later request is the next frame.
    let id = socket.request("ping", json!({"clientTimestamp": 1})).await;
    assert_eq!(socket.frame().await["payload"]["replyTo"], json!(id));
    frames
}

#[tokio::test]
async fn a_client_resumes_from_any_cursor_without_gap_or_repetition() {
    let desk = Desk::new();
    let address = desk.listen().await;
    let mut socket = Socket::open(&address, "acme", JANE).await;
    let bound = socket.ask("session-create", json!({"projectId": "home"})).await;
    let session = bound["data"]["sessionId"].as_str().unwrap().to_owned();
    let start = bound["data"]["cursor"].as_str().unwrap().to_owned();
    let mut pen = desk.own(&session).await;
    pen.write(vec![message(1), step(2), Entry::StepClaimed { inputs: vec![] }, message(3)]).await;
    pen.write_silently(vec![step(4), message(5)]).await;
    drop(socket);

    let all = resumed(&address, &session, &start, 9).await;
    for (index, (_, cursor)) in all.iter().enumerate() {
        let rest = resumed(&address, &session, cursor.as_str().unwrap(), 8 - index).await;
        assert_eq!(rest, all[index + 1..], "from frame {index}");
    }
}

#[tokio::test]
async fn a_cursor_that_means_nothing_asks_the_client_to_read_again() {
    let desk = Desk::new();
    let address = desk.listen().await;
    let (mut first, session, mut pen) = bound(&desk, &address).await;
    pen.write(vec![message(1)]).await;
    first.ask("session-unbind", json!({})).await;
    let data = json!({"sessionId": session, "cursor": "AAAA"});
    let bound = first.ask("session-resume", data).await;
    assert_eq!(bound["data"]["resync"], true, "{bound}");
    let messages = first.ask("process-messages", json!({"processName": "chat"})).await;
    assert_eq!(messages["data"]["messages"][0]["content"], "message 1");
    pen.write(vec![message(2)]).await;
    let pushed = first.push("chat-message-appended").await;
    assert_eq!(pushed["payload"]["data"]["content"], "message 2");
}

#[tokio::test]
async fn a_session_is_held_by_one_connection() {
    let desk = Desk::new();
    let address = desk.listen().await;
    let (mut first, session, mut pen) = bound(&desk, &address).await;
    let mut second = Socket::open(&address, "acme", JANE).await;
    let refused = second.ask("session-resume", json!({"sessionId": session})).await;
    assert_eq!(refused["data"]["reason"], "session_bound_elsewhere", "{refused}");
    assert_eq!(refused["data"]["errorCode"], 409);
    let taken = second.ask("session-resume", json!({"sessionId": session, "takeover": true})).await;
    assert_eq!(taken["type"], "session-resume", "{taken}");
    let (errors, code) = first.close_code().await;
    assert_eq!((code, &errors[0]["reason"]), (Some(4409), &json!("session_taken_over")));
    pen.write(vec![message(1)]).await;
    second.push("chat-message-appended").await;
}

#[tokio::test]
async fn a_connection_that_ends_lets_its_session_go() {
    let desk = Desk::new();
    let address = desk.listen().await;
    let (mut first, session, _pen) = bound(&desk, &address).await;
    first.stream.close(None).await.unwrap();
    first.close_code().await;
    let mut second = Socket::open(&address, "acme", JANE).await;
    let resumed = second.ask("session-resume", json!({"sessionId": session})).await;
    assert_eq!(resumed["type"], "session-resume", "{resumed}");
    assert_eq!(second.ask("session-unbind", json!({})).await["type"], "session-unbind");
    let resumed = second.ask("session-resume", json!({"sessionId": session})).await;
    assert_eq!(resumed["type"], "session-resume", "{resumed}");
}

#[tokio::test]
async fn a_bootstrap_makes_activates_and_sends_in_one_step() {
    let desk = Desk::new();
    let address = desk.listen().await;
    let mut socket = Socket::open(&address, "acme", JANE).await;
    let data = json!({
        "projectId": "home",
        "activations": [{"skillName": "code-review", "oneShot": true, "args": "a  b "}],
        "initialMessage": "go",
        "idempotencyKey": "run-1",
    });
    let bound = socket.ask("session-bootstrap", data.clone()).await;
    assert_eq!(bound["data"]["queued"].as_array().map(Vec::len), Some(2), "{bound}");
    socket.ask("session-unbind", json!({})).await;
    let again = socket.ask("session-bootstrap", data).await;
    assert_eq!(again["data"]["sessionId"], bound["data"]["sessionId"]);
    assert_eq!(again["data"]["queued"], bound["data"]["queued"]);
}

#[tokio::test]
async fn logout_ends_the_session_and_the_connection() {
    let desk = Desk::new();
    let address = desk.listen().await;
    let (mut socket, session, _pen) = bound(&desk, &address).await;
    assert_eq!(socket.ask("logout", json!({})).await["type"], "logout");
    assert_eq!(socket.close_code().await.1, Some(1000));
    let closed = desk.get(&format!("/brain/acme/sessions/{session}")).await.json();
    assert_eq!(closed["status"], "CLOSED");
}

#[tokio::test]
async fn a_service_that_stops_says_so() {
    let desk = Desk::new();
    let address = desk.listen().await;
    let (mut socket, ..) = bound(&desk, &address).await;
    let client = async {
        let (errors, code) = socket.close_code().await;
        assert_eq!((code, &errors[0]["reason"]), (Some(1001), &json!("service_stopping")));
    };
    let (ended, ()) = tokio::join!(desk.services.tasks.stop(Duration::from_secs(10)), client);
    assert!(ended, "server and sockets end in time");
}

#[tokio::test]
async fn a_client_that_shows_no_sign_of_life_is_given_up() {
    let desk = Desk::new();
    let address = desk.listen().await;
    let (mut socket, ..) = bound(&desk, &address).await;
    // Time runs ahead while the client reads nothing, so it answers no ping.
    tokio::time::pause();
    tokio::time::sleep(Duration::from_secs(90)).await;
    tokio::time::resume();
    let mut pings = 0;
    while let Some(message) = socket.message().await {
        pings += u32::from(matches!(message, Message::Ping(_)));
    }
    assert_eq!(pings, 2);
}

#[tokio::test]
async fn a_client_that_asks_and_never_reads_is_cut_off() {
    let desk = Desk::new();
    let address = desk.listen().await;
    let (mut socket, _, mut pen) = bound(&desk, &address).await;
    let long = Entry::Message {
        id: MessageId::from_bits(1),
        role: ChatRole::User,
        content: "x".repeat(200 * 1024),
        sender: None,
        at: AT,
    };
    pen.write(vec![long]).await;
    socket.push("chat-message-appended").await;
    let ask = json!({"channel": "session", "payload": {
        "type": "process-messages", "data": {"processName": "chat"},
    }});
    // Many times what the operating system buffers.
    for _ in 0..400 {
        drop(socket.stream.feed(Message::text(ask.to_string())).await);
    }
    drop(socket.stream.flush().await);
    let mut bytes = 0;
    let code = loop {
        match socket.message().await {
            Some(Message::Close(close)) => break close.map(|close| u16::from(close.code)),
            Some(message) => bytes += message.len(),
            None => break None,
        }
    };
    assert!(bytes < 300 * 200 * 1024, "{bytes} bytes were sent to a client that reads nothing");
    if let Some(code) = code {
        assert_eq!(code, 4429);
    }
}
