//! Nothing is lost and nothing happens twice when the brain dies.

use std::time::Duration;

use serde_json::json;
use tests::client::Client;
use tests::fake_provider::{Reply, Script};

use super::prompt::bound;
use super::session::rest;
use super::{pair, until};

fn slow(text: &str) -> Reply {
    Reply { first_delay_ms: 600_000, ..Reply::text(text) }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_goes_on_after_a_kill_in_its_middle() {
    let mut pair = pair("anthropic").await;
    pair.model.script(Script::on("important", [slow("never sent"), Reply::text("done after all")]));
    let mut client = bound(&pair).await;
    client
        .ask("process-steer", json!({"processName": "chat", "content": "important"}))
        .await
        .unwrap();
    assert!(pair.model.log().wait(Duration::from_secs(10), |all| all.len() == 1).await);
    pair.node.restart().unwrap();
    assert!(
        pair.model.log().wait(Duration::from_secs(10), |all| all.len() == 2).await,
        "the call is made again"
    );
    let messages = settled_messages(&pair.node, 2).await;
    assert_eq!(
        messages,
        [
            ("USER".to_owned(), "important".to_owned()),
            ("ASSISTANT".to_owned(), "done after all".to_owned())
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_was_acknowledged_is_answered_after_a_kill() {
    let mut pair = pair("anthropic").await;
    let mut client = bound(&pair).await;
    client
        .ask("process-steer", json!({"processName": "chat", "content": "acknowledged"}))
        .await
        .unwrap();
    pair.node.restart().unwrap();
    let messages = settled_messages(&pair.node, 2).await;
    assert_eq!(messages[0].1, "acknowledged");
    assert_eq!(messages[1].1, "ok: acknowledged");
}

#[tokio::test(flavor = "multi_thread")]
async fn recorded_steps_are_not_repeated_after_a_kill() {
    let mut pair = pair("anthropic").await;
    let write = Reply::call("doc_write", json!({"path": "documents/once.md", "content": "x"}));
    pair.model.script(Script::on("write once", [write, slow("never"), Reply::text("finished")]));
    let mut client = bound(&pair).await;
    client
        .ask("process-steer", json!({"processName": "chat", "content": "write once"}))
        .await
        .unwrap();
    assert!(pair.model.log().wait(Duration::from_secs(10), |all| all.len() == 2).await);
    pair.node.restart().unwrap();
    let messages = settled_messages(&pair.node, 2).await;
    assert_eq!(messages[1].1, "finished");
    let document = rest(
        &pair.node,
        reqwest::Method::GET,
        "documents/by-path?projectId=home&path=documents/once.md",
        None,
    )
    .await;
    let history = format!("documents/{}/history", document["id"].as_str().unwrap());
    let history = rest(&pair.node, reqwest::Method::GET, &history, None).await;
    assert_eq!(history["versions"].as_array().unwrap().len(), 1, "the tool ran once");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_idempotency_key_is_answered_once() {
    let mut pair = pair("anthropic").await;
    let mut client = bound(&pair).await;
    let data = json!({"processName": "chat", "content": "only once", "idempotencyKey": "k1"});
    let first = client.ask("process-steer", data.clone()).await.unwrap();
    pair.node.restart().unwrap();
    let bootstrap = pair.node.bootstrap().unwrap();
    let mut client = Client::connect(&bootstrap).await.unwrap();
    let sessions = rest(&pair.node, reqwest::Method::GET, "sessions?projectId=home", None).await;
    let session = sessions["sessions"][0]["sessionId"].clone();
    client.ask("session-resume", json!({"sessionId": session})).await.unwrap();
    let second = client.ask("process-steer", data).await.unwrap();
    assert_eq!(second["queued"], first["queued"]);
    assert_eq!(second["duplicate"], true);
    let messages = settled_messages(&pair.node, 2).await;
    assert_eq!(messages.len(), 2);
}

/// Messages of the only session, once there are `count` of them.
async fn settled_messages(node: &tests::node::Node, count: usize) -> Vec<(String, String)> {
    let sessions = rest(node, reqwest::Method::GET, "sessions?projectId=home", None).await;
    let session = sessions["sessions"][0]["sessionId"].as_str().unwrap().to_owned();
    let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
    loop {
        let page = rest(
            node,
            reqwest::Method::GET,
            &format!("sessions/{session}/messages?processName=chat"),
            None,
        )
        .await;
        let messages = page["messages"].as_array().unwrap();
        if messages.len() >= count {
            let pair = |m: &serde_json::Value| {
                (m["role"].as_str().unwrap().to_owned(), m["content"].as_str().unwrap().to_owned())
            };
            return messages.iter().map(pair).collect();
        }
        assert!(tokio::time::Instant::now() < deadline, "only {messages:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_brain_leaves_within_its_grace_and_its_turn_goes_on_later() {
    let mut pair = pair("anthropic").await;
    let mut client = bound(&pair).await;
    client
        .ask("process-steer", json!({"processName": "chat", "content": "before the stop"}))
        .await
        .unwrap();
    client.until(|f| f["type"] == "turn-closed").await.unwrap();
    let pid = pair.node.pid().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    until("the address is free", || std::net::TcpStream::connect(address(&pair.node)).is_err())
        .await;
    pair.node.restart().unwrap();
    assert_eq!(settled_messages(&pair.node, 2).await.len(), 2);
}

fn address(node: &tests::node::Node) -> String {
    node.ready["http"].as_str().unwrap().trim_start_matches("http://").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn foot_waits_for_a_brain_that_comes_back_and_prints_the_answer_once() {
    let mut pair = pair("anthropic").await;
    pair.model.script(Script::on("survive", [slow("never sent"), Reply::text("still here")]));
    let bootstrap = pair.node.bootstrap().unwrap();
    let run = tokio::task::spawn_blocking(move || {
        let env =
            [("BRAIN_URL", bootstrap.url.as_str()), ("BRAIN_TOKEN", bootstrap.token.as_str())];
        tests::node::foot(&["run", "-p", "survive"], &env)
    });
    assert!(pair.model.log().wait(Duration::from_secs(10), |all| all.len() == 1).await);
    pair.node.restart().unwrap();
    let run = run.await.unwrap().unwrap();
    assert_eq!((run.code, run.out.trim_end()), (0, "still here"), "{}", run.err);
}
