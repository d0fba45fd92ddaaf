//! A stream that ends anywhere is never taken for an answer.

use ::tests::fake_provider::Call;
use proptest::prelude::*;

use super::*;
use crate::models::draft::{Draft, Trouble};
use crate::models::remote::Read;
use crate::models::{anthropic, openai, sse};

fn reader(dialect: Dialect) -> Box<dyn Read> {
    match dialect {
        Dialect::Anthropic => Box::<anthropic::Reader>::default(),
        Dialect::OpenAi => Box::<openai::Reader>::default(),
    }
}

/// Reads a stream that ends after `bytes`.
fn read(dialect: Dialect, bytes: &[u8]) -> Result<Draft, Trouble> {
    let mut reader = reader(dialect);
    let mut events = Vec::new();
    let mut parser = sse::Parser::default();
    let broken = |error: sse::Error| Trouble::Nonsense(error.to_string());
    parser.push(bytes, &mut events).map_err(broken)?;
    let mut done = false;
    for event in &events {
        done |= reader.event(event, &Discard)?;
    }
    reader.finish(done)
}

async fn whole(dialect: Dialect) -> Vec<u8> {
    let fake = serve(Options::default()).await.unwrap();
    let calls = vec![Call::new("read", json!({"path": "ä"})), Call::new("list", json!({}))];
    let reply = Reply { calls, chunk_chars: 4, ..Reply::text("Ein Käfer läuft") };
    fake.script(Script { queue: [reply].into(), ..Script::default() });
    let path = match dialect {
        Dialect::Anthropic => "/v1/messages",
        Dialect::OpenAi => "/v1/chat/completions",
    };
    let body = r#"{"model":"m","stream":true,"messages":[{"role":"user","content":"x"}]}"#;
    rustls::crypto::ring::default_provider().install_default().ok();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let response = client.post(fake.url() + path).body(body).send().await.unwrap();
    response.bytes().await.unwrap().to_vec()
}

#[tokio::test]
async fn no_part_of_a_stream_passes_for_the_whole() {
    for dialect in [Dialect::Anthropic, Dialect::OpenAi] {
        let stream = whole(dialect).await;
        let ids = IdGen::seeded(1);
        let full = read(dialect, &stream).unwrap().finish(&ids, &ModelSpec::echo(), 0);
        assert_eq!((full.text.as_str(), full.calls.len()), ("Ein Käfer läuft", 2));
        let mut complete = 0;
        for end in 0..stream.len() {
            let Ok(draft) = read(dialect, &stream[..end]) else { continue };
            // Only counts may be missing: the provider had said why it stopped.
            let answer = draft.finish(&ids, &ModelSpec::echo(), 0);
            assert_eq!(
                (&answer.text, &answer.calls, &answer.stop),
                (&full.text, &full.calls, &full.stop)
            );
            complete += 1;
        }
        assert!(complete < stream.len() / 3, "{dialect:?}: {complete} of {}", stream.len());
    }
}

proptest! {
    #[test]
    fn any_events_are_read_or_refused(
        data in proptest::collection::vec(
            prop_oneof![
                r#"\{"type":"(content_block_(start|delta|stop)|message_(start|delta|stop)|error|ping)","index":[0-2](,"(delta|content_block)":\{"type":"(text|text_delta|tool_use|input_json_delta)","(text|partial_json|name)":"[a-z{]{0,3}"\})?\}"#,
                r#"\{"choices":\[\{"delta":\{("content":("a"|null|\[\]|1)|"tool_calls":\[\{("index":[0-2],)?("id":"[ab]?",)?"function":\{("name":"[f]?",)?"arguments":("\{\}?"|\{\}|null)\}\}\])\},"finish_reason":(null|"stop"|"")\}\]\}"#,
                "[a-z{}\\[\\]\", :0-9]{0,20}",
            ],
            0..8,
        )
    ) {
        for dialect in [Dialect::Anthropic, Dialect::OpenAi] {
            let stream: String = data.iter().map(|line| format!("data: {line}\n\n")).collect();
            if let Ok(draft) = read(dialect, stream.as_bytes()) {
                draft.finish(&IdGen::seeded(1), &ModelSpec::echo(), 0);
            }
        }
    }
}
