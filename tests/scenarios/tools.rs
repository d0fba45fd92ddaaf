//! The tool loop.

use serde_json::json;
use tests::fake_provider::{Reply, Rule, Script};

use super::pair;
use super::prompt::{bound, say};
use crate::session::rest;

#[tokio::test(flavor = "multi_thread")]
async fn the_model_writes_and_reads_documents() {
    let pair = pair("anthropic").await;
    let write = Reply::call(
        "doc_write",
        json!({"path": "documents/note.md", "content": "# Note\nfirst\n"}),
    );
    let edit = Reply::call(
        "doc_edit",
        json!({"path": "documents/note.md", "oldText": "first", "newText": "second"}),
    );
    let grep = Reply::call("doc_grep", json!({"pattern": "sec.nd"}));
    pair.model.script(Script::on("take a note", [write, edit, grep, Reply::text("written")]));
    let mut client = bound(&pair).await;
    let closed = say(&mut client, "take a note").await;
    assert_eq!(closed["outcome"], "DONE", "{closed}");
    let requests = pair.model.log().all();
    assert_eq!(requests.len(), 4);
    assert!(
        requests[3].body().to_string().contains("\\\"line\\\":2"),
        "grep's result is in the next request"
    );
    let document = rest(
        &pair.node,
        reqwest::Method::GET,
        "documents/by-path?projectId=home&path=documents/note.md",
        None,
    )
    .await;
    let id = document["id"].as_str().unwrap();
    let history =
        rest(&pair.node, reqwest::Method::GET, &format!("documents/{id}/history"), None).await;
    assert_eq!(history["versions"].as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_tool_is_a_result_that_the_model_can_act_on() {
    let pair = pair("anthropic").await;
    let calls = [
        Reply::call("doc_read", json!({"path": "documents/absent.md"})),
        Reply::call("doc_read", json!({"path": "../escape"})),
        Reply::call("no_such_tool", json!({})),
        Reply::text("sorry"),
    ];
    pair.model.script(Script::on("read it", calls));
    let mut client = bound(&pair).await;
    assert_eq!(say(&mut client, "read it").await["outcome"], "DONE");
    let last = pair.model.log().all().pop().unwrap().body().to_string();
    for part in ["documents/absent.md", "`..`", "there is no tool", "is_error"] {
        assert!(last.contains(part), "{part} is missing in {last}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_on_demand_reference_is_read_by_its_title() {
    let pair = pair("anthropic").await;
    let mut client = bound(&pair).await;
    crate::prompt::skill(&mut client, "ACTIVATE", Some("code-review")).await;
    say(&mut client, "hello").await;
    let section = crate::run::system_texts(&pair.model.log().all()[0].body())[1].clone();
    let title = section.split("load via `manual_read`:\n- ").nth(1).unwrap();
    let title = title.lines().next().unwrap().split(" — ").next().unwrap().to_owned();
    let read = Reply::call("manual_read", json!({"name": title}));
    pair.model.script(Script::on("read the reference", [read, Reply::text("read")]));
    assert_eq!(say(&mut client, "read the reference").await["outcome"], "DONE");
    let last = pair.model.log().all().pop().unwrap().body();
    assert!(!last.to_string().contains("is_error\":true"), "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_never_answers_is_stopped_at_the_recipes_limit() {
    let pair = pair("anthropic").await;
    let rule = Rule::on("loop", [Reply::call("current_time", json!({}))]).repeated();
    pair.model.script(Script { rules: vec![rule], ..Script::default() });
    let mut client = bound(&pair).await;
    let closed = say(&mut client, "loop").await;
    assert_eq!(closed["outcome"], "LIMIT_REACHED");
    assert!(closed["message"].as_str().unwrap().contains("maxIterations"));
}
