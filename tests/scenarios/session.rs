//! Sessions outlive connections.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tests::client::Client;
use tests::fake_provider::{Reply, Script};
use tests::node::Node;

use super::pair;
use super::prompt::{bound, say};

/// A REST call as the bootstrap's user; its body, which must not be an error.
pub(crate) async fn rest(node: &Node, method: Method, path: &str, body: Option<Value>) -> Value {
    // Plain HTTP, but the client wants a provider of cryptography all the same.
    drop(rustls::crypto::ring::default_provider().install_default());
    let b = node.bootstrap().unwrap();
    let url = format!("{}/brain/{}/{path}", b.url, b.tenant);
    let mut request = reqwest::Client::new().request(method, &url).bearer_auth(&b.token);
    if let Some(body) = body {
        request = request.json(&body);
    }
    let answer = request.send().await.unwrap();
    let status = answer.status();
    let text = answer.text().await.unwrap();
    assert!(status.is_success(), "{url}: {status} {text}");
    serde_json::from_str(&text).unwrap_or(Value::Null)
}

/// Durable pushes, as (type, cursor).
fn durable(frames: &[Value]) -> Vec<(String, String)> {
    let with_cursor = frames.iter().filter(|f| f["cursor"].is_string());
    with_cursor.map(|f| (f["type"].to_string(), f["cursor"].as_str().unwrap().to_owned())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_connection_resumes_without_gap_or_duplicate() {
    let pair = pair("anthropic").await;
    let slow = Reply {
        delay_ms: Some(20),
        chunk_chars: 4,
        ..Reply::text("a rather long answer that comes in many pieces")
    };
    pair.model.script(Script::on("go", [slow]));
    let bootstrap = pair.node.bootstrap().unwrap();
    let mut first = Client::connect(&bootstrap).await.unwrap();
    let opened = first.ask("session-create", json!({"projectId": "home"})).await.unwrap();
    first.ask("process-steer", json!({"processName": "chat", "content": "go"})).await.unwrap();
    first.until(|f| f["type"] == "chat-message-stream-chunk").await.unwrap();
    let mut seen = durable(&first.seen);
    let cursor = first.cursor.clone().or(opened["cursor"].as_str().map(str::to_owned)).unwrap();
    drop(first);
    let mut second = Client::connect(&bootstrap).await.unwrap();
    let resume = json!({"sessionId": opened["sessionId"], "cursor": cursor, "takeover": true});
    let resumed = second.ask("session-resume", resume).await.unwrap();
    assert_eq!(resumed["resync"], false);
    let end = second.until(|f| f["type"] == "turn-closed").await.unwrap();
    second.seen.push(end);
    seen.extend(durable(&second.seen));
    let mut full = Client::connect(&bootstrap).await.unwrap();
    let resume =
        json!({"sessionId": opened["sessionId"], "cursor": opened["cursor"], "takeover": true});
    full.ask("session-resume", resume).await.unwrap();
    let end = full.until(|f| f["type"] == "turn-closed").await.unwrap();
    full.seen.push(end);
    assert_eq!(seen, durable(&full.seen));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_client_is_told_that_the_session_is_open_elsewhere() {
    let pair = pair("anthropic").await;
    let bootstrap = pair.node.bootstrap().unwrap();
    let mut first = Client::connect(&bootstrap).await.unwrap();
    let session =
        first.ask("session-create", json!({"projectId": "home"})).await.unwrap()["sessionId"]
            .clone();
    let mut second = Client::connect(&bootstrap).await.unwrap();
    let refused = second.ask_raw("session-resume", json!({"sessionId": session})).await.unwrap();
    assert_eq!(refused["data"]["reason"], "session_bound_elsewhere", "{refused}");
    second.ask("session-resume", json!({"sessionId": session, "takeover": true})).await.unwrap();
    assert!(first.until(|_| false).await.is_err(), "the first client is shut out");
    say(&mut second, "mine now").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_a_turn_closes_the_call_to_the_model() {
    let pair = pair("anthropic").await;
    let hang = Reply { first_delay_ms: 600_000, ..Reply::text("never") };
    pair.model.script(Script::on("hang", [hang]));
    let mut client = bound(&pair).await;
    client.ask("process-steer", json!({"processName": "chat", "content": "hang"})).await.unwrap();
    assert!(pair.model.log().wait(Duration::from_secs(10), |all| all.len() == 1).await);
    client.ask("process-cancel", json!({"processName": "chat"})).await.unwrap();
    let closed = client.until(|f| f["type"] == "turn-closed").await.unwrap();
    assert_eq!(closed["data"]["outcome"], "CANCELLED");
    let gone = |all: &[tests::fake_provider::Recorded]| {
        all[0].outcome == tests::fake_provider::Outcome::ClosedByClient
    };
    assert!(pair.model.log().wait(Duration::from_secs(10), gone).await);
    assert_eq!(say(&mut client, "still there?").await["outcome"], "DONE");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_cancel_does_not_hit_the_next_turn() {
    let pair = pair("anthropic").await;
    let mut client = bound(&pair).await;
    let first = say(&mut client, "one").await;
    client
        .ask("process-cancel", json!({"processName": "chat", "turnId": first["turnId"]}))
        .await
        .unwrap();
    client.ask("process-cancel", json!({"processName": "chat"})).await.unwrap();
    assert_eq!(say(&mut client, "two").await["outcome"], "DONE");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_sent_during_a_turn_is_read_at_its_next_step() {
    let pair = pair("anthropic").await;
    let first = Reply { first_delay_ms: 500, ..Reply::call("current_time", json!({})) };
    pair.model.script(Script::on("begin", [first]));
    pair.model.script(Script::on("and this too", [Reply::text("both read")]));
    let mut client = bound(&pair).await;
    client.ask("process-steer", json!({"processName": "chat", "content": "begin"})).await.unwrap();
    assert!(pair.model.log().wait(Duration::from_secs(10), |all| all.len() == 1).await);
    client
        .ask("process-steer", json!({"processName": "chat", "content": "and this too"}))
        .await
        .unwrap();
    let closed = client.until(|f| f["type"] == "turn-closed").await.unwrap();
    assert_eq!(closed["data"]["settled"].as_array().unwrap().len(), 2, "{closed}");
    assert_eq!(pair.model.log().all().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_session_takes_no_more_messages() {
    let pair = pair("anthropic").await;
    let mut client = bound(&pair).await;
    say(&mut client, "one").await;
    client.ask("logout", json!({})).await.unwrap();
    let sessions = rest(&pair.node, Method::GET, "sessions?projectId=home", None).await;
    assert_eq!(sessions["sessions"][0]["status"], "CLOSED");
    let bootstrap = pair.node.bootstrap().unwrap();
    let mut again = Client::connect(&bootstrap).await.unwrap();
    let id = sessions["sessions"][0]["sessionId"].clone();
    let refused = again.ask_raw("session-resume", json!({"sessionId": id})).await.unwrap();
    assert_eq!(refused["data"]["reason"], "session_closed");
}
