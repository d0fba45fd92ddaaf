//! What goes over the wire.

use ::tests::fake_provider::Recorded;
use serde_json::Value;

use super::*;

const MARKER: &str = r#","cache_control":{"type":"ephemeral"}"#;

fn conversation() -> Vec<Arc<Segment>> {
    let calls = vec![
        call("c1", "read", Arguments::Json(json!({"path": "a"}))),
        call("c 2", "wri te", Arguments::Malformed { raw: "{".into(), reason: "EOF".into() }),
    ];
    let outcome = |call: &str, name: &str, content: &str, is_error| ToolOutcome {
        call: call.into(),
        name: name.into(),
        content: content.into(),
        is_error,
    };
    vec![
        user("first"),
        segment(Message::Assistant { text: "looking".into(), calls, carry: None }),
        segment(Message::Results(vec![
            outcome("c1", "read", "content", false),
            outcome("c 2", "wri te", "no such tool", true),
        ])),
        segment(Message::Assistant { text: String::new(), calls: Vec::new(), carry: None }),
        user("second"),
    ]
}

async fn sent(requests: &[Request]) -> Vec<Recorded> {
    let bench = Bench::new([]).await;
    for request in requests {
        bench.providers.call(&bench.ctx, request, &Discard).await.unwrap();
    }
    bench.fake.log().all()
}

#[tokio::test]
async fn anthropic_gets_what_its_format_says() {
    let system = vec![
        SystemBlock { text: "static".into(), cache: true },
        SystemBlock { text: "--- Skill: x ---".into(), cache: false },
        SystemBlock { text: "".into(), cache: true },
    ];
    let request = Request {
        system,
        messages: conversation(),
        temperature: Some(0.5),
        ..request("anthropic/claude")
    };
    let recorded = &sent(&[request]).await[0];
    assert_eq!(recorded.headers["anthropic-version"], "2023-06-01");
    assert_eq!(recorded.headers["x-api-key"], "***");
    let body = recorded.body();
    let head = json!([body["model"], body["max_tokens"], body["stream"], body["temperature"]]);
    assert_eq!(head, json!(["claude", 1000, true, 0.5]));
    let names = json!([body["tools"][0]["name"], body["tools"][1]["name"]]);
    assert_eq!(names, json!(["read", "write"]));
    assert_eq!(body["tools"][0]["input_schema"]["type"], "object");
    let ephemeral = json!({"type": "ephemeral"});
    assert_eq!(
        body["system"],
        json!([
            {"type": "text", "text": "static", "cache_control": ephemeral},
            {"type": "text", "text": "--- Skill: x ---"},
        ])
    );
    let odd_id = body["messages"][1]["content"][2]["id"].as_str().unwrap();
    assert!(odd_id.starts_with("c_2-"), "{odd_id}");
    let odd_name = &body["messages"][1]["content"][2]["name"];
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": [
                {"type": "text", "text": "first", "cache_control": ephemeral},
            ]},
            {"role": "assistant", "content": [
                {"type": "text", "text": "looking"},
                {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a"}},
                {"type": "tool_use", "id": odd_id, "name": odd_name,
                 "input": {"malformed_arguments": "{"}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "content"},
                {"type": "tool_result", "tool_use_id": odd_id, "content": "no such tool",
                 "is_error": true},
            ]},
            {"role": "user", "content": [
                {"type": "text", "text": "second", "cache_control": ephemeral},
            ]},
        ])
    );
}

#[tokio::test]
async fn chat_completions_get_what_their_format_says() {
    let mut request = Request { messages: conversation(), ..request("openai/org/gpt") };
    request.system.push(SystemBlock { text: "--- Skill: x ---".into(), cache: false });
    let recorded = &sent(&[request]).await[0];
    assert_eq!(recorded.headers["authorization"], "***");
    assert!(recorded.headers.contains_key("content-length"), "old servers know no chunks");
    let body = recorded.body();
    let head = json!([body["model"], body["max_tokens"], body["stream_options"]["include_usage"]]);
    assert_eq!(head, json!(["org/gpt", 1000, true]));
    assert_eq!(body["tools"][1]["function"]["name"], "write");
    let odd_name = body["messages"][3]["tool_calls"][1]["function"]["name"].clone();
    assert_eq!(
        body["messages"],
        json!([
            {"role": "system", "content": "You are careful."},
            {"role": "system", "content": "--- Skill: x ---"},
            {"role": "user", "content": "first"},
            {"role": "assistant", "content": "looking", "tool_calls": [
                {"id": "c1", "type": "function",
                 "function": {"name": "read", "arguments": "{\"path\":\"a\"}"}},
                {"id": "c 2", "type": "function",
                 "function": {"name": odd_name, "arguments": "{\"malformed_arguments\":\"{\"}"}},
            ]},
            {"role": "tool", "tool_call_id": "c1", "content": "content"},
            {"role": "tool", "tool_call_id": "c 2", "content": "Error: no such tool"},
            {"role": "user", "content": "second"},
        ])
    );
}

/// The body without the brackets that close it.
fn open_end(recorded: &Recorded) -> String {
    let body = String::from_utf8(recorded.raw.to_vec()).unwrap();
    body.strip_suffix("]}").unwrap().to_owned()
}

#[tokio::test]
async fn the_next_request_begins_with_the_bytes_of_the_one_before() {
    for model in DIALECTS {
        let mut requests = vec![request(model)];
        for step in 0..3 {
            let mut next = requests[step].clone();
            let id = format!("c{step}");
            let calls = vec![call(&id, "read", Arguments::Json(json!({"z": 1, "a": {"y": 2}})))];
            next.messages.push(segment(Message::Assistant {
                text: "ä".into(),
                calls,
                carry: None,
            }));
            next.messages.push(segment(Message::Results(vec![ToolOutcome {
                call: id,
                name: "read".into(),
                content: "text".into(),
                is_error: false,
            }])));
            requests.push(next);
        }
        let recorded = sent(&requests).await;
        for pair in recorded.windows(2) {
            // Markers of a turn before the last step are taken out again; they are no content.
            let (earlier, later) = (open_end(&pair[0]), open_end(&pair[1]));
            assert!(later.replace(MARKER, "").starts_with(&earlier.replace(MARKER, "")), "{later}");
            let end = earlier.rfind("{\"role\"").unwrap();
            assert!(later.contains(&earlier[end..]), "{model}: the end of before stays marked");
        }
    }
}

#[tokio::test]
async fn skills_come_and_go_behind_the_cached_prefix() {
    for model in DIALECTS {
        let without = request(model);
        let mut with = without.clone();
        with.system.push(SystemBlock { text: "--- Skill: x ---\nBody".into(), cache: false });
        let recorded = sent(&[without, with]).await;
        let body = |at: usize| String::from_utf8(recorded[at].raw.to_vec()).unwrap();
        let end = body(0).find("You are careful.").unwrap() + "You are careful.\"".len();
        assert_eq!(body(0)[..end], body(1)[..end], "{model}");
        assert!(body(1)[end..].contains("Skill: x") && !body(0).contains("Skill: x"));
    }
}

#[tokio::test]
async fn at_most_four_markers_are_sent() {
    let mut request = request("anthropic/x");
    request.system =
        (0..6).map(|n| SystemBlock { text: format!("block {n}").into(), cache: true }).collect();
    let body = String::from_utf8(sent(&[request]).await[0].raw.to_vec()).unwrap();
    assert_eq!(body.matches("cache_control").count(), 3, "two of them, and the conversation's");
    assert!(body.contains(&format!("\"block 5\"{MARKER}")), "the longest prefix is marked");
}

#[test]
fn segments_serialise_once() {
    let segment = user("x");
    for dialect in [Dialect::Anthropic, Dialect::OpenAi] {
        assert_eq!(segment.wire(dialect).as_ptr(), segment.wire(dialect).as_ptr());
        let value: Value = serde_json::from_slice(segment.wire(dialect)).unwrap();
        assert_eq!(value["role"], "user");
    }
}

#[test]
fn equal_tool_sets_have_equal_bytes() {
    let one = ToolSet::new(vec![tool("b"), tool("a"), tool("b")]);
    let other = ToolSet::new(vec![tool("a"), tool("b")]);
    assert_eq!(one.wire(Dialect::Anthropic), other.wire(Dialect::Anthropic));
    assert_eq!(one.wire(Dialect::OpenAi), other.wire(Dialect::OpenAi));
    assert!(one.get("b").is_some() && one.get("c").is_none());
    assert!(ToolSet::default().wire(Dialect::OpenAi).is_empty());
}
