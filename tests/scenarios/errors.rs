//! Bad input: a clear error that names the place and the remedy, and nothing half-done.

use serde_json::json;
use tests::client::Client;
use tests::fake_provider::{Fault, Reply, Script};
use tests::node::{Node, Options, foot as run_foot, serve};

use super::prompt::{bound, say};
use super::{foot, pair};

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_skill_stops_the_run_before_the_model_is_asked() {
    let pair = pair("anthropic").await;
    let run = foot(&pair.node, &["run", "-p", "hi", "--skill", "code-reveiw"]).await;
    assert_eq!(run.code, 1, "{} {}", run.out, run.err);
    assert!(run.err.contains("code-reveiw") && run.err.contains("code-review"), "{}", run.err);
    assert!(pair.model.log().all().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_token_and_a_wrong_address_are_told_apart() {
    let pair = pair("anthropic").await;
    let bootstrap = pair.node.bootstrap().unwrap();
    let wrong = tokio::task::spawn_blocking(move || {
        run_foot(
            &["run", "-p", "hi", "--tenant", "default", "--project", "home"],
            &[("BRAIN_URL", &bootstrap.url), ("BRAIN_TOKEN", "nonsense")],
        )
    });
    let wrong = wrong.await.unwrap().unwrap();
    assert_eq!(wrong.code, 3, "{}", wrong.err);
    let nowhere = tokio::task::spawn_blocking(|| {
        run_foot(
            &["run", "-p", "hi", "--tenant", "default", "--project", "home"],
            &[("BRAIN_URL", "http://127.0.0.1:1"), ("BRAIN_TOKEN", "x")],
        )
    });
    let nowhere = nowhere.await.unwrap().unwrap();
    assert_eq!(nowhere.code, 4, "{}", nowhere.err);
    assert!(nowhere.err.contains("127.0.0.1:1"), "{}", nowhere.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_down_or_talks_nonsense_fails_the_turn_and_not_the_session() {
    let pair = pair("anthropic").await;
    let unauthorised = Reply {
        fault: Some(Fault::Status { status: 401, retry_after: None, body: None }),
        ..Reply::default()
    };
    pair.model.script(Script::on("bad key", [unauthorised]));
    let run = foot(&pair.node, &["run", "-p", "bad key"]).await;
    assert_eq!(run.code, 5, "{}", run.err);
    assert!(run.err.contains("ANTHROPIC_API_KEY"), "{}", run.err);
    let mut client = bound(&pair).await;
    assert_eq!(say(&mut client, "fine again").await["outcome"], "DONE");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_brain_on_the_same_folder_is_refused() {
    let node = Node::start(Options::default()).unwrap();
    let second = serve(&node.data, &Options::default())
        .unwrap()
        .stderr(std::process::Stdio::piped())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&second.stderr);
    assert!(!second.status.success());
    assert!(said.contains(&*node.data.to_string_lossy()), "{said}");
    let run = foot(&node, &["run", "-p", "unharmed"]).await;
    assert_eq!(run.code, 0, "{}", run.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_frames_are_answered_and_the_connection_lives_on() {
    let pair = pair("anthropic").await;
    let mut client = Client::connect(&pair.node.bootstrap().unwrap()).await.unwrap();
    let cases = [
        ("{", "INVALID_ARGUMENT"),
        (
            r#"{"channel":"session","payload":{"id":"a","type":"proces-steer","data":{}}}"#,
            "process-steer",
        ),
        (
            r#"{"channel":"session","payload":{"id":"b","type":"process-steer","data":{"processName":"chat"}}}"#,
            "content",
        ),
        (
            r#"{"channel":"session","payload":{"id":"c","type":"process-steer","data":{"processName":"chat","content":"x"}}}"#,
            "session",
        ),
    ];
    for (text, says) in cases {
        client.send_text(text.to_owned()).await.unwrap();
        let error = client.until(|f| f["type"] == "error").await.unwrap();
        assert!(error.to_string().contains(says), "{text}: {error}");
    }
    client.ask("session-create", json!({"projectId": "home"})).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_with_a_broken_template_is_listed_with_its_place_and_cannot_be_activated() {
    let pair = pair("anthropic").await;
    let text = "---\ntitle: Broken\ndescription: Broken\nversion: 1.0.0\n---\nfine\n{% if x %}\n";
    let change = json!({"changes": [{"op": "put", "path": "_vance/skills/broken/SKILL.md", "text": text, "expected": "any"}]});
    crate::session::rest(
        &pair.node,
        reqwest::Method::POST,
        "documents/changes?projectId=home",
        Some(change),
    )
    .await;
    let listed = crate::session::rest(
        &pair.node,
        reqwest::Method::GET,
        "skills/effective?projectId=home",
        None,
    )
    .await;
    let broken = listed["skills"]
        .as_array()
        .unwrap()
        .iter()
        .find(|s| s["name"] == "broken")
        .unwrap()
        .clone();
    assert_eq!(broken["state"], "INVALID");
    assert!(broken["diagnostics"][0]["line"].as_u64().unwrap() >= 6, "{broken}");
    let mut client = bound(&pair).await;
    let outcome = crate::prompt::skill(&mut client, "ACTIVATE", Some("broken")).await;
    assert_eq!(outcome["outcome"], "FAILED");
    assert_eq!(outcome["reason"], "skill_invalid");
}
