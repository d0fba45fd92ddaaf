//! What the model reads, request by request.

use serde_json::json;
use tests::client::Client;

use super::run::system_texts;
use super::{Pair, pair};

/// Binds a session and returns its client.
pub(crate) async fn bound(pair: &Pair) -> Client {
    let bootstrap = pair.node.bootstrap().unwrap();
    let mut client = Client::connect(&bootstrap).await.unwrap();
    client.ask("session-create", json!({"projectId": bootstrap.project})).await.unwrap();
    client
}

/// Sends a message and waits for the end of its turn.
pub(crate) async fn say(client: &mut Client, text: &str) -> serde_json::Value {
    let queued =
        client.ask("process-steer", json!({"processName": "chat", "content": text})).await.unwrap();
    let place = queued["queued"].clone();
    let closed = client
        .until(|f| {
            f["type"] == "turn-closed"
                && f["data"]["settled"].as_array().is_some_and(|s| s.contains(&place))
        })
        .await;
    closed.unwrap()["data"].clone()
}

/// Changes the skills and waits for the outcome.
pub(crate) async fn skill(
    client: &mut Client,
    command: &str,
    name: Option<&str>,
) -> serde_json::Value {
    let data = json!({"processName": "chat", "command": command, "skillName": name});
    let queued = client.ask("process-skill", data).await.unwrap()["queued"].clone();
    let outcome =
        client.until(|f| f["type"] == "skill-operation" && f["data"]["queued"] == queued).await;
    outcome.unwrap()["data"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_static_prefix_stays_byte_identical_while_skills_come_and_go() {
    let pair = pair("anthropic").await;
    let mut client = bound(&pair).await;
    say(&mut client, "one").await;
    assert_eq!(skill(&mut client, "ACTIVATE", Some("code-review")).await["outcome"], "ACTIVATED");
    say(&mut client, "two").await;
    assert_eq!(skill(&mut client, "CLEAR", Some("code-review")).await["outcome"], "CLEARED");
    say(&mut client, "three").await;
    let requests: Vec<_> = pair.model.log().all().iter().map(|r| r.body()).collect();
    let systems: Vec<_> = requests.iter().map(system_texts).collect();
    assert_eq!(systems.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 1]);
    for (request, system) in requests.iter().zip(&systems) {
        assert_eq!(system[0], systems[0][0]);
        assert_eq!(request["tools"], requests[0]["tools"]);
        assert_eq!(request["system"][0]["cache_control"]["type"], "ephemeral");
    }
    assert!(requests[1]["system"][1].get("cache_control").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn activating_twice_changes_nothing_and_keeps_the_order() {
    let pair = pair("anthropic").await;
    let mut client = bound(&pair).await;
    skill(&mut client, "ACTIVATE", Some("explain-code")).await;
    skill(&mut client, "ACTIVATE", Some("code-review")).await;
    let again = skill(&mut client, "ACTIVATE", Some("Explain-Code")).await;
    assert_eq!(again["outcome"], "UPDATED");
    let names: Vec<_> =
        again["activeSkills"].as_array().unwrap().iter().map(|s| s["name"].clone()).collect();
    assert_eq!(names, ["explain-code", "code-review"]);
    let cleared = skill(&mut client, "CLEAR_ALL", None).await;
    assert_eq!(cleared["activeSkills"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_skill_is_read_in_its_new_form_by_the_next_turn() {
    let pair = pair("anthropic").await;
    let mut client = bound(&pair).await;
    let put = |text: &str| {
        let text =
            format!("---\ntitle: Mine\ndescription: My skill\nversion: 1.0.0\n---\n{text}\n");
        json!({"changes": [{"op": "put", "path": "_vance/skills/mine/SKILL.md", "text": text, "expected": "any"}]})
    };
    crate::session::rest(
        &pair.node,
        reqwest::Method::POST,
        "documents/changes?projectId=home",
        Some(put("old body")),
    )
    .await;
    skill(&mut client, "ACTIVATE", Some("mine")).await;
    say(&mut client, "one").await;
    crate::session::rest(
        &pair.node,
        reqwest::Method::POST,
        "documents/changes?projectId=home",
        Some(put("new body")),
    )
    .await;
    say(&mut client, "two").await;
    let bodies: Vec<_> =
        pair.model.log().all().iter().map(|r| system_texts(&r.body())[1].clone()).collect();
    assert!(bodies[0].contains("old body") && !bodies[0].contains("new body"));
    assert!(bodies[1].contains("new body") && !bodies[1].contains("old body"));
}
