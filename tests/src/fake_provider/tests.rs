//! Over plain sockets, as any client sees it.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;

const PATIENCE: Duration = Duration::from_secs(10);

async fn send(fake: &Handle, method: &str, path: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(fake.address()).await.unwrap();
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: fake\r\nx-api-key: geheim\r\nconnection: close\r\n\
         content-length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body.as_bytes()).await.unwrap();
    stream
}

/// Status and body.
async fn fetch(fake: &Handle, method: &str, path: &str, body: &str) -> (u16, String) {
    let mut answer = String::new();
    send(fake, method, path, body).await.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head[9..12].parse().unwrap(), body.to_owned())
}

fn asked(words: &str) -> String {
    let messages = json!([{"role": "user", "content": words}]);
    json!({"model": "m", "stream": false, "messages": messages}).to_string()
}

async fn answer(fake: &Handle, words: &str) -> String {
    let (status, body) = fetch(fake, "POST", "/v1/chat/completions", &asked(words)).await;
    assert_eq!(status, 200, "{body}");
    let body: Value = serde_json::from_str(&body).unwrap();
    body["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn rules_answer_their_own_requests_and_the_queue_all_others() {
    let fake = serve(Options::default()).await.unwrap();
    let script = json!({
        "rules": [
            {"when": {"last_user": "apples"}, "replies": [{"text": "one"}, {"text": "two"}]},
            {"when": {"last_user": "pears"}, "replies": [{"text": "round"}], "repeat": true},
        ],
        "queue": [{"text": "anything"}],
    });
    let (status, _) = fetch(&fake, "POST", "/_script", &script.to_string()).await;
    assert_eq!(status, 204);
    for (words, expect) in [
        ("my apples", "one"),
        ("pears", "round"),
        ("plums", "anything"),
        ("apples", "two"),
        ("pears", "round"),
        ("apples", "ok: apples"),
    ] {
        assert_eq!(answer(&fake, words).await, expect, "{words}");
    }
}

#[tokio::test]
async fn a_rule_can_tell_how_far_a_tool_loop_is() {
    let fake = serve(Options::default()).await.unwrap();
    let rule = |rounds, reply| Rule {
        when: Match { tool_rounds: Some(rounds), ..Match::default() },
        replies: [reply].into(),
        repeat: true,
    };
    let rules = vec![
        rule(0, Reply::call("read", json!({"path": "a"}))),
        rule(1, Reply { calls: vec![Call::new("write", json!({}))], ..Reply::default() }),
        rule(2, Reply::text("done")),
    ];
    fake.script(Script { rules, ..Script::default() });
    let user = json!({"role": "user", "content": "go"});
    let call = json!({"role": "assistant", "content": "", "tool_calls": []});
    let result = json!({"role": "tool", "tool_call_id": "1", "content": "x"});
    let loops = [
        (json!([user]), "read"),
        (json!([user, call, result, result]), "write"),
        (json!([user, call, result, call, result]), "done"),
    ];
    for (messages, expect) in loops {
        let body = json!({"model": "m", "messages": messages}).to_string();
        let (_, body) = fetch(&fake, "POST", "/v1/chat/completions", &body).await;
        assert!(body.contains(expect), "{body}");
    }
}

#[tokio::test]
async fn a_wrong_script_is_refused_with_its_place() {
    let fake = serve(Options::default()).await.unwrap();
    for (script, word) in [
        (r#"{"queue": [{"txt": "a"}]}"#, "txt"),
        (r#"{"queue": [{"fault": {"kind": "explode"}}]}"#, "explode"),
        ("{", "line 1"),
    ] {
        let (status, body) = fetch(&fake, "POST", "/_script", script).await;
        assert!(status == 400 && body.contains(word), "{status} {body}");
    }
}

#[tokio::test]
async fn requests_are_recorded_without_keys_until_forgotten() {
    let fake = serve(Options::default()).await.unwrap();
    answer(&fake, "one").await;
    answer(&fake, "two").await;
    let (_, all) = fetch(&fake, "GET", "/_requests?min=2&wait_ms=9000", "").await;
    assert!(!all.contains("geheim"), "{all}");
    let all: Value = serde_json::from_str(&all).unwrap();
    assert_eq!(all[0]["path"], "/v1/chat/completions");
    assert_eq!(all[0]["headers"]["x-api-key"], "***");
    assert_eq!(all[1]["body"]["messages"][0]["content"], "two");
    assert_eq!(all[1]["outcome"], "completed");
    let (_, some) = fetch(&fake, "GET", "/_requests?last_user=two", "").await;
    assert_eq!(serde_json::from_str::<Value>(&some).unwrap().as_array().unwrap().len(), 1);
    fetch(&fake, "DELETE", "/_requests", "").await;
    assert_eq!(fetch(&fake, "GET", "/_requests", "").await.1, "[]");
}

#[tokio::test]
async fn a_client_that_leaves_is_noticed() {
    let fake = serve(Options::default()).await.unwrap();
    for after_chunks in [None, Some(1)] {
        let silent = Reply::text("many words").with_fault(Fault::Hang { after_chunks });
        fake.script(Script::on("wait", [silent]));
        let body = asked("wait").replace("false", "true");
        let stream = send(&fake, "POST", "/v1/messages", &body).await;
        assert!(fake.log().wait(PATIENCE, |all| all.last().is_some()).await);
        drop(stream);
        let left = |all: &[Recorded]| {
            all.last().is_some_and(|request| request.outcome == Outcome::ClosedByClient)
        };
        assert!(fake.log().wait(PATIENCE, left).await, "{after_chunks:?}");
        fake.log().clear();
    }
}

#[tokio::test]
async fn without_a_record_long_conversations_are_only_skimmed() {
    let fake = serve(Options { record: false, ..Options::default() }).await.unwrap();
    let result = json!({"role": "user", "content": [{"type": "tool_result", "content": "x"}]});
    let mut messages = vec![json!({"role": "user", "content": "old"}); 200];
    messages.push(
        json!({"role": "user", "content": [{"type": "text", "text": "say \"role\":\"user\""}]}),
    );
    messages.push(result);
    let body = json!({"model": "m", "stream": true, "messages": messages}).to_string();
    let (_, answer) = fetch(&fake, "POST", "/v1/messages", &body).await;
    assert!(answer.contains(r#"ok: say \"role\":\"user\""#), "{answer}");
    let (status, why) = fetch(&fake, "GET", "/_requests", "").await;
    assert!(status == 409 && why.contains("--no-record"), "{why}");
}

#[tokio::test]
async fn bodies_that_are_no_requests_are_refused_in_the_words_of_the_dialect() {
    let fake = serve(Options::default()).await.unwrap();
    for path in ["/v1/messages", "/v1/chat/completions"] {
        let (status, body) = fetch(&fake, "POST", path, "{\"messages\": 1}").await;
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!((status, &body["error"]["type"]), (400, &json!("invalid_request_error")));
    }
}
