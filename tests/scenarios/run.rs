//! `foot run`: a skill, activated in foot, answers through a model.

use serde_json::Value;
use tests::node::{Node, Options};

use super::{foot, pair};

/// The system texts of a recorded request, in order, whatever its wire format.
pub(crate) fn system_texts(body: &Value) -> Vec<String> {
    let blocks: Vec<&Value> = match &body["system"] {
        Value::Array(blocks) => blocks.iter().collect(),
        _ => {
            body["messages"].as_array().unwrap().iter().filter(|m| m["role"] == "system").collect()
        }
    };
    let text = |block: &&Value| {
        block["text"].as_str().or(block["content"].as_str()).unwrap_or_default().to_owned()
    };
    blocks.iter().map(text).collect()
}

async fn answers_through_a_skill(provider: &str) {
    let pair = pair(provider).await;
    let run = foot(
        &pair.node,
        &["run", "-p", "look at this", "--skill", "code-review", "--output", "stream-json"],
    )
    .await;
    assert_eq!(run.code, 0, "{}", run.err);
    let lines = run.lines().unwrap();
    let kinds: Vec<&str> = lines.iter().filter_map(|line| line["type"].as_str()).collect();
    for kind in [
        "session-bootstrap",
        "skill-operation",
        "chat-message-stream-chunk",
        "chat-message-appended",
        "turn-closed",
    ] {
        assert!(kinds.contains(&kind), "{kind} is missing in {kinds:?}");
    }
    let result = lines.last().unwrap();
    assert_eq!(result["type"], "result");
    assert_eq!(result["data"]["text"], "ok: look at this");
    let requests = pair.model.log().all();
    assert_eq!(requests.len(), 1);
    let system = system_texts(&requests[0].body());
    assert_eq!(system.len(), 2, "the skill section is a message of its own");
    assert!(system[1].starts_with("## Active Skills"));
    assert!(system[1].contains("--- Skill: code-review ---"));
    assert!(system[1].contains("--- Reference Doc: "), "INLINE documents are embedded");
    assert!(system[1].contains("On-demand references — load via `manual_read`:"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_answers_through_anthropic() {
    answers_through_a_skill("anthropic").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_answers_through_an_openai_compatible_server() {
    answers_through_a_skill("openai").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_any_key_echo_shows_the_composed_prompt() {
    let node = Node::start(Options::default()).unwrap();
    let run = foot(&node, &["run", "-p", "hello there", "--skill", "code-review"]).await;
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("skill: code-review"), "{}", run.out);
    assert!(run.out.contains("hello there"), "{}", run.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_for_one_turn_is_gone_in_the_next() {
    let pair = pair("anthropic").await;
    let first = foot(
        &pair.node,
        &["run", "-p", "one", "--skill", "code-review --once", "--output", "json"],
    )
    .await;
    assert_eq!(first.code, 0, "{}", first.err);
    let result: Value = serde_json::from_str(&first.out).unwrap();
    let session = result["data"]["sessionId"]
        .as_str()
        .unwrap_or_else(|| panic!("no session in {result}"))
        .to_owned();
    let second = foot(&pair.node, &["run", "-p", "two", "--session", &session]).await;
    assert_eq!(second.code, 0, "{}", second.err);
    let requests = pair.model.log().all();
    assert_eq!(system_texts(&requests[0].body()).len(), 2);
    assert_eq!(system_texts(&requests[1].body()).len(), 1, "nothing of the skill is left");
    let text = requests[1].body().to_string();
    assert!(text.contains("ok: one"), "the second turn continues the conversation");
}

#[tokio::test(flavor = "multi_thread")]
async fn text_output_is_the_answer_and_nothing_else() {
    let pair = pair("anthropic").await;
    let run = foot(&pair.node, &["run", "-p", "naïve — 日本"]).await;
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.out.trim_end(), "ok: naïve — 日本");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rest_of_a_skill_line_becomes_the_message_of_the_user() {
    let pair = pair("anthropic").await;
    let run = foot(&pair.node, &["run", "--skill", "code-review check PR #42"]).await;
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.out.trim_end(), "ok: check PR #42");
}
