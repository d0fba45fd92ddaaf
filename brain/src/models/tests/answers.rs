//! What a good answer becomes.

use ::tests::fake_provider::{Call, Quirks, Tokens};

use super::*;

#[track_caller]
fn words(answer: &Answer) -> (&str, Vec<(&str, String)>, &Stop) {
    let written = |call: &ToolCall| match &call.arguments {
        Arguments::Json(value) => value.to_string(),
        Arguments::Malformed { raw, .. } => format!("malformed {raw}"),
    };
    let calls = answer.calls.iter().map(|call| (call.name.as_str(), written(call))).collect();
    (&answer.text, calls, &answer.stop)
}

#[tokio::test]
async fn text_streams_in_pieces_and_comes_back_whole() {
    for model in DIALECTS {
        for quirks in [
            Quirks::default(),
            Quirks { crlf: true, ..Quirks::default() },
            Quirks { split_bytes: 1, ..Quirks::default() },
            Quirks { split_bytes: 7, crlf: true, ..Quirks::default() },
            Quirks { no_done: true, ..Quirks::default() },
        ] {
            let text = "Grüße an alle 🦀 im Haus";
            let reply = Reply { quirks, thinking: Some("hm".into()), ..Reply::text(text) };
            let bench = Bench::new([reply]).await;
            let answer = bench.ask(model).await.unwrap();
            assert_eq!(words(&answer), (text, vec![], &Stop::EndTurn), "{model}");
            assert_eq!((answer.thinking.as_str(), answer.model.as_str()), ("hm", "fake-1"));
            assert_eq!(bench.seen.text(), text, "{model}");
            let pieces = bench.seen.all().len();
            assert_eq!(pieces, 4, "one of thinking and three of text: {:?}", bench.seen.all());
        }
    }
}

#[tokio::test]
async fn tool_calls_come_in_order_with_their_arguments() {
    let calls = vec![
        Call { id: Some("a".into()), ..Call::new("read", json!({"path": "ä/\"b\""})) },
        Call { id: Some("b".into()), ..Call::new("write", json!({})) },
    ];
    for model in DIALECTS {
        let reply = Reply { calls: calls.clone(), chunk_chars: 3, ..Reply::text("Let me see.") };
        let bench = Bench::new([reply]).await;
        let answer = bench.ask(model).await.unwrap();
        let expect = vec![("read", json!({"path": "ä/\"b\""}).to_string()), ("write", "{}".into())];
        assert_eq!(words(&answer), ("Let me see.", expect, &Stop::ToolUse), "{model}");
        let ids: Vec<_> = answer.calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(ids, ["a", "b"]);
        let announced = Delta::ToolCall { name: "read".into() };
        assert!(bench.seen.all().contains(&announced), "{model}");
    }
}

#[tokio::test]
async fn arguments_that_are_no_object_are_kept_for_repair() {
    for model in DIALECTS {
        let raw = |raw: &str| Call { raw: Some(raw.into()), ..Call::new("read", json!(null)) };
        let calls = vec![raw("{\"path\": \"x"), raw("[1]"), raw("\"{\\\"path\\\":1}\"")];
        let bench = Bench::new([Reply { calls, ..Reply::default() }]).await;
        let answer = bench.ask(model).await.unwrap();
        let Arguments::Malformed { raw, reason } = &answer.calls[0].arguments else {
            panic!("{model}: {:?}", answer.calls[0]);
        };
        assert_eq!(raw, "{\"path\": \"x");
        assert!(reason.contains("EOF") && reason.contains("column"), "{reason}");
        assert!(matches!(answer.calls[1].arguments, Arguments::Malformed { .. }), "{model}");
        assert_eq!(answer.calls[2].arguments, Arguments::Json(json!({"path": 1})), "{model}");
    }
}

#[tokio::test]
async fn usage_adds_up_and_is_estimated_where_nobody_counts() {
    let tokens = Tokens { input: 10, output: 5, cache_read: 300, cache_write: 20 };
    for model in DIALECTS {
        let bench = Bench::new([Reply { usage: Some(tokens), ..Reply::text("hi") }]).await;
        let usage = bench.ask(model).await.unwrap().usage;
        let expect = Usage { input: 10, output: 5, cache_read: 300, cache_write: 20 };
        assert_eq!(usage, expect, "{model}");
    }
    let quirks = Quirks { no_usage: true, ..Quirks::default() };
    let bench = Bench::new([Reply { quirks, ..Reply::text("twelve bytes") }]).await;
    let usage = bench.ask("openai/x").await.unwrap().usage;
    assert!(usage.input > 50 && usage.output == 3, "{usage:?}");
}

#[tokio::test]
async fn stop_reasons_are_understood() {
    let cases = [
        ("anthropic/x", "max_tokens", Stop::MaxTokens),
        ("anthropic/x", "refusal", Stop::Refusal),
        ("anthropic/x", "stop_sequence", Stop::EndTurn),
        ("anthropic/x", "pause_turn", Stop::Other("pause_turn".into())),
        ("openai/x", "length", Stop::MaxTokens),
        ("openai/x", "content_filter", Stop::Refusal),
        ("openai/x", "eos", Stop::EndTurn),
        ("openai/x", "strange", Stop::Other("strange".into())),
    ];
    for (model, reason, expect) in cases {
        let bench = Bench::new([Reply { stop: Some(reason.into()), ..Reply::text("a") }]).await;
        assert_eq!(bench.ask(model).await.unwrap().stop, expect, "{model} {reason}");
    }
}

#[tokio::test]
async fn local_servers_are_understood_whatever_their_tool_calls_look_like() {
    let plain = Quirks::default();
    let cases = [
        Quirks { no_ids: true, ..plain.clone() },
        Quirks { whole_calls: true, ..plain.clone() },
        Quirks { whole_calls: true, no_ids: true, ..plain.clone() },
        Quirks { whole_calls: true, same_index: true, ..plain.clone() },
        Quirks { whole_calls: true, same_index: true, no_ids: true, ..plain },
    ];
    for quirks in cases {
        let calls =
            vec![Call::new("read", json!({"path": "a"})), Call::new("read", json!({"path": "b"}))];
        let stop = Some("stop".to_owned());
        let reply =
            Reply { calls, stop, quirks: quirks.clone(), chunk_chars: 4, ..Reply::default() };
        let answer = Bench::new([reply]).await.ask("openai/x").await.unwrap();
        let expect = [r#"{"path":"a"}"#, r#"{"path":"b"}"#].map(|a| ("read", a.to_owned()));
        assert_eq!(words(&answer), ("", expect.to_vec(), &Stop::ToolUse), "{quirks:?}");
        assert!(!answer.calls[0].id.is_empty() && answer.calls[0].id != answer.calls[1].id);
    }
}

#[tokio::test]
async fn an_answer_without_words_is_an_answer() {
    for model in DIALECTS {
        let bench = Bench::new([Reply::text("")]).await;
        assert_eq!(words(&bench.ask(model).await.unwrap()), ("", vec![], &Stop::EndTurn));
    }
}

#[tokio::test]
async fn auto_takes_the_first_model_that_the_server_lists() {
    let bench = Bench::new([]).await;
    let answer = bench.ask("openai/auto").await.unwrap();
    assert_eq!((answer.model.as_str(), answer.text.as_str()), ("fake", "ok: Good morning"));
}

#[tokio::test]
async fn ollama_is_asked_at_its_host() {
    let fake = serve(Options::default()).await.unwrap();
    let host = fake.address().to_string();
    let providers = providers(Config { ollama_host: Some(host), ..Config::default() });
    let answer = providers.call(&ctx(), &request("ollama/qwen3:4b"), &Discard).await.unwrap();
    assert_eq!(answer.model, "qwen3:4b");
    assert_eq!(fake.log().all()[0].path, "/v1/chat/completions");
}

#[tokio::test]
async fn echo_outlines_the_prompt_and_streams_it() {
    let mut request = request("echo");
    let section = "--- Skill: code-review ---\nBe strict.\n--- Skill: Zwölf ---\nText".into();
    request.system.push(SystemBlock { text: section, cache: false });
    request.system.push(SystemBlock { text: "  ".into(), cache: false });
    let seen = Seen::default();
    let providers = providers(Config::default());
    let answer = providers.call(&ctx(), &request, &seen).await.unwrap();
    let expect = "system blocks: 2\nskill: code-review\nskill: Zwölf\ntools: 2\nmessages: 1\nuser: Good morning";
    assert_eq!(answer.text, expect);
    assert_eq!(seen.text(), expect);
    assert!(seen.all().len() > 3, "in pieces");
    assert!(answer.usage.input > 0 && answer.usage.output > 0);
    let again = providers.call(&ctx(), &request, &Discard).await.unwrap();
    assert_eq!(answer, again);
}
