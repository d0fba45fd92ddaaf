//! What goes back to the model that made it, and what is left out when a model refuses it.

use ::tests::fake_provider::{Fault, Recorded};
use serde_json::Value;

use super::*;

fn refusal(message: &str) -> Reply {
    let body = json!({"error": {"type": "invalid_request_error", "message": message}});
    Reply::fault(Fault::Status { status: 400, retry_after: None, body: Some(body.to_string()) })
}

fn thoughtful() -> Reply {
    Reply {
        thinking: Some("I must look".into()),
        text: Some("Looking.".into()),
        chunk_chars: 4,
        ..Reply::call("read", json!({"path": "a"}))
    }
}

/// The request that follows an answer with calls.
fn next(request: &Request, answer: Answer) -> Request {
    let outcomes = answer.calls.iter().map(|call| ToolOutcome {
        call: call.id.clone(),
        name: call.name.clone(),
        content: "text".into(),
        is_error: false,
    });
    let outcomes = Message::Results(outcomes.collect());
    let Answer { text, calls, carry, .. } = answer;
    let mut next = request.clone();
    next.messages.push(segment(Message::Assistant { text, calls, carry }));
    next.messages.push(segment(outcomes));
    next
}

/// Asks, and asks again with the outcome; gives what was sent the second time.
async fn second_request(bench: &Bench, first: &str, second: &str) -> Vec<Recorded> {
    let request = request(first);
    let answer = bench.providers.call(&bench.ctx, &request, &Discard).await.unwrap();
    let mut request = next(&request, answer);
    request.model = second.parse().unwrap();
    bench.providers.call(&bench.ctx, &request, &Discard).await.unwrap();
    bench.fake.log().all().split_off(1)
}

fn answer_in(recorded: &Recorded) -> Value {
    let body = recorded.body();
    let messages = body["messages"].as_array().unwrap();
    messages.iter().find(|message| message["role"] == "assistant").unwrap().clone()
}

#[tokio::test]
async fn reasoning_goes_back_to_its_model_as_it_came() {
    let bench = Bench::new([thoughtful()]).await;
    let sent = second_request(&bench, "anthropic/a", "anthropic/a").await;
    let content = answer_in(&sent[0])["content"].clone();
    let id = &content[2]["id"];
    assert_eq!(
        content,
        json!([
            {"type": "thinking", "thinking": "I must look", "signature": "signed:11"},
            {"type": "text", "text": "Looking."},
            {"type": "tool_use", "id": id, "name": "read", "input": {"path": "a"}},
        ])
    );
    let bench = Bench::new([thoughtful()]).await;
    let sent = second_request(&bench, "openai/a", "openai/a").await;
    assert_eq!(answer_in(&sent[0])["reasoning_content"], "I must look");
}

#[tokio::test]
async fn another_model_never_sees_it() {
    for model in DIALECTS {
        for other in ["anthropic/b", "openai/b"] {
            let bench = Bench::new([thoughtful()]).await;
            let sent = second_request(&bench, model, other).await;
            let body = std::str::from_utf8(&sent[0].raw).unwrap();
            assert!(!body.contains("I must look"), "{model} {other}: {body}");
            assert!(body.contains("Looking."), "{model} {other}: {body}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_ends_the_turn_carries_nothing() {
    for model in DIALECTS {
        let reply = Reply { thinking: Some("hm".into()), ..Reply::text("done") };
        let answer = Bench::new([reply]).await.ask(model).await.unwrap();
        assert_eq!(answer.carry, None, "{model}");
    }
}

#[tokio::test]
async fn reasoning_that_is_refused_is_left_out() {
    let complaint = "messages.1.content.0: Invalid `signature` in `thinking` block.";
    let bench = Bench::new([thoughtful(), refusal(complaint)]).await;
    let sent = second_request(&bench, "anthropic/a", "anthropic/a").await;
    assert_eq!(sent.len(), 2);
    assert_eq!(answer_in(&sent[1])["content"][0]["type"], "text");
}

#[tokio::test]
async fn what_a_model_refuses_is_left_out_from_then_on() {
    let cases = [
        (
            "anthropic/x",
            "temperature: this model does not support sampling parameters",
            "temperature",
        ),
        ("openai/x", "Unsupported value: 'temperature' does not support 0.5", "temperature"),
        ("openai/x", "unknown field stream_options", "stream_options"),
        (
            "openai/x",
            "'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
            "max_tokens",
        ),
    ];
    for (model, complaint, field) in cases {
        let bench = Bench::new([refusal(complaint)]).await;
        let request = Request { temperature: Some(0.5), ..request(model) };
        for _ in 0..2 {
            bench.providers.call(&bench.ctx, &request, &Discard).await.unwrap();
        }
        let has: Vec<_> =
            bench.fake.log().all().iter().map(|sent| !sent.body()[field].is_null()).collect();
        assert_eq!(has, [true, false, false], "{model} {field}: refused, left out, known");
    }
}

#[tokio::test]
async fn a_model_that_reasons_in_another_interface_is_asked_not_to() {
    let complaint =
        "Function tools with reasoning_effort are not supported for m in /v1/chat/completions.";
    let bench = Bench::new([refusal(complaint)]).await;
    bench.ask("openai/m").await.unwrap();
    assert_eq!(bench.fake.log().all()[1].body()["reasoning_effort"], "none");
}

#[tokio::test]
async fn a_complaint_that_stays_is_told() {
    let bench = Bench::new(vec![refusal("temperature is wrong"); 2]).await;
    let error = bench.ask("openai/m").await.unwrap_err();
    assert!(error.to_string().contains("temperature is wrong"), "{error}");
    assert_eq!(bench.fake.log().all().len(), 2);
}
