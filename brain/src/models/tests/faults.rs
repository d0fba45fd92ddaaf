//! What becomes of what goes wrong.

use ::tests::fake_provider::Fault;
use api_types::error::ErrorCode;

use super::*;

fn status(status: u16, retry_after: Option<&str>) -> Reply {
    let retry_after = retry_after.map(str::to_owned);
    Reply::fault(Fault::Status { status, retry_after, body: None })
}

fn says(status: u16, body: &str) -> Reply {
    Reply::fault(Fault::Status { status, retry_after: None, body: Some(body.to_owned()) })
}

#[tokio::test]
async fn passing_failures_are_tried_again_without_a_word() {
    for model in DIALECTS {
        for code in [408, 429, 500, 502, 503, 529] {
            let bench = Bench::new([status(code, None), status(code, Some("0.001"))]).await;
            let answer = bench.ask(model).await.unwrap();
            assert_eq!(answer.text, "ok: Good morning", "{model} {code}");
            assert_eq!(bench.fake.log().all().len(), 3, "{model} {code}");
            assert_eq!(bench.seen.restarts(), [0u32; 0], "nothing was seen, so nothing is void");
        }
    }
}

#[tokio::test]
async fn a_cut_stream_is_restarted_and_the_watcher_told() {
    let faults = [
        Fault::Cut { after_chunks: 1 },
        Fault::EndEarly { after_chunks: 1 },
        Fault::BrokenJson { after_chunks: 1 },
        Fault::ErrorEvent { after_chunks: 1, error: "overloaded_error".into() },
        Fault::ErrorEvent { after_chunks: 1, error: "api_error".into() },
    ];
    for model in DIALECTS {
        for fault in faults.clone() {
            let cut = Reply::text("This will not come whole").with_fault(fault.clone());
            let bench = Bench::new([cut, Reply::text("Here it is")]).await;
            let answer = bench.ask(model).await.unwrap();
            assert_eq!(answer.text, "Here it is", "{model} {fault:?}");
            assert_eq!(bench.seen.text(), "Here it is", "{model} {fault:?}");
            assert_eq!(bench.seen.restarts(), [2], "{model} {fault:?}");
        }
    }
}

#[tokio::test]
async fn long_waits_go_back_to_the_caller() {
    for model in DIALECTS {
        let bench = Bench::new([status(429, Some("30"))]).await;
        let error = bench.ask(model).await.unwrap_err();
        let retry_after = error.retry_after().unwrap();
        assert!((30..=33).contains(&retry_after.as_secs()), "{model}: {retry_after:?}");
        assert_eq!(error.code(), ErrorCode::TooManyRequests);
        assert!(error.retryable());
        assert_eq!(bench.fake.log().all().len(), 1, "{model}: not tried in place");
    }
}

#[tokio::test]
async fn a_provider_that_stays_full_is_busy_and_one_that_stays_broken_has_failed() {
    for model in DIALECTS {
        let bench = Bench::new(vec![status(529, None); 4]).await;
        let error = bench.ask(model).await.unwrap_err();
        assert!(matches!(error, Error::Busy { .. }), "{model}: {error}");
        let bench = Bench::new(vec![status(500, None); 4]).await;
        let error = bench.ask(model).await.unwrap_err();
        assert!(matches!(error, Error::Failed { attempts: 4, .. }), "{model}: {error}");
        assert_eq!(bench.fake.log().all().len(), 4);
    }
}

async fn check_final(reply: Reply, code: ErrorCode, reason: &str, words: &[&str]) {
    for model in DIALECTS {
        let bench = Bench::new([reply.clone()]).await;
        let error = bench.ask(model).await.unwrap_err();
        let text = error.to_string();
        assert_eq!((error.code(), error.reason()), (code, reason), "{model}: {text}");
        assert_eq!(bench.fake.log().all().len(), 1, "{model}: tried again: {text}");
        assert!(!error.retryable(), "{model}: {text}");
        let host = bench.fake.address().to_string();
        for word in words.iter().copied().chain([host.as_str()]) {
            assert!(text.contains(word), "{model}: «{word}» is not in «{text}»");
        }
    }
}

#[tokio::test]
async fn errors_say_what_to_do() {
    use ErrorCode::{InvalidArgument, Unavailable};
    let key = ["401", "API_KEY"];
    check_final(status(401, None), Unavailable, "model_key_refused", &key).await;
    let missing = ["404", "fake-1", "BRAIN_MODEL", "BASE_URL"];
    check_final(status(404, None), InvalidArgument, "model_unknown", &missing).await;
    check_final(status(400, None), InvalidArgument, "model_request_refused", &["400"]).await;
    let long = says(400, r#"{"error":{"message":"prompt is too long: 9 > 8"}}"#);
    let words = ["prompt is too long: 9 > 8", "compact"];
    check_final(long, InvalidArgument, "model_context_too_long", &words).await;
    let money = says(429, r#"{"error":{"code":"insufficient_quota","message":"pay first"}}"#);
    check_final(money, InvalidArgument, "model_request_refused", &["pay first"]).await;
    let page = Fault::ContentType { content_type: "text/html".into(), body: "<html>Hi".into() };
    let words = ["text/html", "<html>Hi", "BASE_URL"];
    check_final(Reply::fault(page), Unavailable, "model_nonsense", &words).await;
}

#[tokio::test]
async fn nonsense_is_tried_once_more_and_then_named() {
    let endless = Fault::EndlessLine { bytes: 5 * 1024 * 1024 };
    for model in DIALECTS {
        for (fault, word) in [
            (Fault::Empty, "holds no"),
            (Fault::BrokenJson { after_chunks: 0 }, "can't be read"),
            (Fault::BrokenStream, "UTF-8"),
            (endless.clone(), "longer than 4194304 bytes"),
        ] {
            let bench = Bench::new(vec![Reply::fault(fault.clone()); 2]).await;
            let error = bench.ask(model).await.unwrap_err();
            let text = error.to_string();
            assert!(matches!(error, Error::Nonsense { .. }), "{model} {fault:?}: {text}");
            assert!(text.contains(word), "{model} {fault:?}: {text}");
            assert_eq!(bench.fake.log().all().len(), 2, "{model} {fault:?}");
        }
    }
}

#[tokio::test]
async fn a_key_is_in_no_error_even_if_the_provider_repeats_it() {
    for model in DIALECTS {
        let body = r#"{"error":{"message":"Incorrect API key provided: sk-geheim."}}"#;
        let error = Bench::new([says(401, body)]).await.ask(model).await.unwrap_err();
        assert!(error.to_string().contains("provided: ***."), "{error}");
        assert!(!format!("{error:?}").contains("geheim"), "{error:?}");
    }
}

#[tokio::test]
async fn long_explanations_are_cut() {
    let error = Bench::new([says(400, &"ä".repeat(9000))]).await.ask(DIALECTS[0]).await;
    let text = error.unwrap_err().to_string();
    assert!(text.len() < 600 && text.ends_with('…'), "{text}");
}

#[tokio::test]
async fn a_server_that_is_down_is_named_with_what_to_check() {
    for model in DIALECTS {
        // A port that is taken and that nobody listens on.
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = socket.local_addr().unwrap();
        let providers = providers(config(&format!("http://{address}")));
        let error = providers.call(&ctx(), &request(model), &Discard).await.unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, Error::Unreachable { attempts: 4, .. }), "{text}");
        for word in [address.to_string().as_str(), "BASE_URL", "refused"] {
            assert!(text.contains(word), "«{word}» is not in «{text}»");
        }
        assert_eq!((error.code(), error.retryable()), (ErrorCode::Unavailable, true));
    }
}

#[tokio::test]
async fn a_model_without_a_provider_says_what_to_set() {
    let providers = providers(Config::default());
    let error = providers.call(&ctx(), &request("openai/x"), &Discard).await.unwrap_err();
    assert!(error.to_string().contains("OPENAI_API_KEY"), "{error}");
    assert!(providers.check(&"echo".parse().unwrap()).is_ok());
}
