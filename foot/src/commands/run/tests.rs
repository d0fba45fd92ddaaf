use api_types::events::{SkillOutcome, StatusTag, TurnOutcome};
use api_types::frames::{ProcessMessagesReply, ReplyFrame};
use api_types::sessions::{ChatRole, ThinkProcessStatus};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;
use crate::output::Format;
use crate::testing::*;

fn arguments(prompt: Option<&str>, skills: &[&str]) -> Arguments {
    Arguments {
        prompt: prompt.map(str::to_owned),
        stdin: None,
        recipe: None,
        skills: skills.iter().map(|skill| (*skill).to_owned()).collect(),
        session: None,
    }
}

/// Exit, data and notes of a run against a scripted brain.
async fn play<F: Future<Output = ()>>(
    format: Format,
    arguments: Arguments,
    script: impl FnOnce(FakeBrain) -> F,
) -> (Exit, String, String) {
    let brain = FakeBrain::start().await;
    let settings = brain.settings();
    let (mut out, data, notes) = output(format);
    let both = async {
        let (exit, ()) = tokio::join!(run(&arguments, settings, &mut out), script(brain));
        exit
    };
    let exit = tokio::time::timeout(Duration::from_secs(20), both).await.expect("ends in time");
    let exit = exit.unwrap_or_else(|error| {
        out.note(&error.to_string());
        error.exit()
    });
    (exit, data.text(), notes.text())
}

#[tokio::test]
async fn an_answer_is_streamed_once() {
    let script = |brain: FakeBrain| async move {
        let mut peer = brain.accept().await;
        let asked_for = peer.bootstrapped(&[1, 2]).await;
        let activation = &asked_for.activations[0];
        assert_eq!(activation.skill_name.to_string(), "code-review");
        assert_eq!((activation.one_shot, activation.args.as_deref()), (true, Some(" src\n")));
        assert_eq!(asked_for.initial_message.as_deref(), Some("hi"));
        assert!(asked_for.idempotency_key.is_some());
        assert_eq!(asked_for.project_id.unwrap().as_str(), "home");
        peer.push(Some("c1"), skill(Some(1), "code-review", SkillOutcome::Activated)).await;
        peer.push(Some("c2"), progress(StatusTag::EngineTurnStart, "m")).await;
        peer.push(Some("c3"), asked("hi")).await;
        peer.push(None, chunk(1, 0, "Hel")).await;
        peer.push(None, chunk(1, 3, "lo")).await;
        peer.push(Some("c4"), said(1, "Hello")).await;
        peer.push(Some("c5"), skill(None, "code-review", SkillOutcome::Ended)).await;
        peer.push(Some("c6"), closed(TurnOutcome::Done, &[2])).await;
        peer.left().await;
    };
    let arguments = arguments(Some("hi"), &["code-review --once  src\n"]);
    let got = play(Format::Text, arguments, script).await;
    assert_eq!(got, (Exit::Done, "Hello\n".to_owned(), String::new()));
}

#[tokio::test]
async fn stream_json_has_each_frame_and_the_result() {
    let script = |brain: FakeBrain| async move {
        let mut peer = brain.accept().await;
        peer.bootstrapped(&[2]).await;
        peer.push(Some("c1"), said(1, "Hello")).await;
        peer.push(Some("c2"), closed(TurnOutcome::Done, &[2])).await;
        peer.left().await;
    };
    let (exit, data, _) = play(Format::StreamJson, arguments(Some("hi"), &[]), script).await;
    assert_eq!(exit, Exit::Done);
    let mut types = Vec::new();
    for line in data.lines() {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        types.push(value["type"].as_str().unwrap().to_owned());
    }
    assert_eq!(
        types,
        ["welcome", "session-bootstrap", "chat-message-appended", "turn-closed", "result"]
    );
    insta::assert_snapshot!(data.lines().last().unwrap(), @r#"{"type":"result","data":{"sessionId":"sess_00000000000000000000000000000007","text":"Hello","outcome":"DONE","usage":{"tokensIn":3,"tokensOut":4,"cacheRead":0,"cacheWrite":0,"llmCalls":1},"skills":[],"activeSkills":[]}}"#);
}

#[tokio::test]
async fn text_before_tools_and_the_answer_are_told_apart() {
    let script = |brain: FakeBrain| async move {
        let mut peer = brain.accept().await;
        peer.bootstrapped(&[2]).await;
        peer.push(None, chunk(1, 0, "Let me look.")).await;
        peer.push(Some("c1"), progress(StatusTag::Metrics, "Let me look.")).await;
        peer.push(None, chunk(2, 0, "Found")).await;
        peer.push(Some("c2"), progress(StatusTag::Info, "skill x is left out")).await;
        peer.push(Some("c3"), said(2, "Found it.")).await;
        peer.push(Some("c4"), closed(TurnOutcome::Done, &[2])).await;
        peer.left().await;
    };
    let got = play(Format::Text, arguments(Some("hi"), &[]), script).await;
    let notes = "foot: skill x is left out\n".to_owned();
    assert_eq!(got, (Exit::Done, "Let me look.\n\nFound it.\n".to_owned(), notes));
}

#[tokio::test]
async fn a_dropped_socket_loses_and_repeats_nothing() {
    let script = |brain: FakeBrain| async move {
        let mut peer = brain.accept().await;
        peer.bootstrapped(&[2]).await;
        peer.push(Some("c1"), asked("hi")).await;
        peer.push(None, chunk(1, 0, "Hel")).await;
        drop(peer);
        // Not ready yet.
        drop(brain.accept_tcp().await);
        let mut peer = brain.accept().await;
        assert_eq!(peer.resumed(false).await.as_deref(), Some("c1"));
        peer.push(None, chunk(1, 5, " wor")).await;
        peer.push(Some("c2"), said(1, "Hello world")).await;
        peer.push(Some("c3"), closed(TurnOutcome::Done, &[2])).await;
        peer.left().await;
    };
    let (exit, data, notes) = play(Format::Text, arguments(Some("hi"), &[]), script).await;
    assert_eq!((exit, data.as_str()), (Exit::Done, "Hello world\n"));
    assert!(notes.contains("connection lost") && notes.contains("connected again"), "{notes}");
}

#[tokio::test]
async fn a_request_without_an_answer_is_repeated_with_its_key() {
    let script = |brain: FakeBrain| async move {
        let mut peer = brain.accept().await;
        let (_, first) = peer.hear().await;
        drop(peer);
        let mut peer = brain.accept().await;
        let (id, second) = peer.hear().await;
        assert_eq!(first, second);
        peer.reply(&id, ReplyFrame::SessionBootstrap(bound(&[2], "c0"))).await;
        // The turn ended while nobody listened: the messages tell.
        let (id, _) = peer.hear().await;
        let messages =
            vec![message(1, ChatRole::User, "hi"), message(2, ChatRole::Assistant, "Hello")];
        let reply = ProcessMessagesReply { messages, older_truncated: false };
        peer.reply(&id, ReplyFrame::ProcessMessages(reply)).await;
        let (id, _) = peer.hear().await;
        peer.reply(&id, processes(ThinkProcessStatus::Idle)).await;
        peer.left().await;
    };
    let (exit, data, _) = play(Format::Text, arguments(Some("hi"), &[]), script).await;
    assert_eq!((exit, data.as_str()), (Exit::Done, "Hello\n"));
}

#[tokio::test]
async fn after_a_resync_the_messages_are_read_again() {
    let script = |brain: FakeBrain| async move {
        let mut peer = brain.accept().await;
        peer.bootstrapped(&[2]).await;
        peer.push(Some("c1"), asked("hi")).await;
        peer.push(None, chunk(1, 0, "Hel")).await;
        drop(peer);
        let mut peer = brain.accept().await;
        peer.resumed(true).await;
        let (id, _) = peer.hear().await;
        let messages = vec![message(9, ChatRole::User, "hi")];
        let reply = ProcessMessagesReply { messages, older_truncated: false };
        peer.reply(&id, ReplyFrame::ProcessMessages(reply)).await;
        let (id, _) = peer.hear().await;
        peer.reply(&id, processes(ThinkProcessStatus::Running)).await;
        peer.push(Some("d1"), said(1, "Hello")).await;
        peer.push(Some("d2"), closed(TurnOutcome::Done, &[2])).await;
        peer.left().await;
    };
    let (exit, data, _) = play(Format::Text, arguments(Some("hi"), &[]), script).await;
    assert_eq!((exit, data.as_str()), (Exit::Done, "Hello\n"));
}

#[tokio::test]
async fn a_model_that_fails_has_its_own_exit_code() {
    let script = |brain: FakeBrain| async move {
        let mut peer = brain.accept().await;
        peer.bootstrapped(&[2]).await;
        peer.push(Some("c1"), closed(TurnOutcome::ModelFailed, &[2])).await;
        peer.left().await;
    };
    let got = play(Format::Text, arguments(Some("hi"), &[]), script).await;
    let notes = "foot: the model failed: no luck\n".to_owned();
    assert_eq!(got, (Exit::Model, String::new(), notes));
}

#[tokio::test]
async fn a_refused_skill_ends_the_run_when_no_turn_comes() {
    let script = |brain: FakeBrain| async move {
        let mut peer = brain.accept().await;
        peer.bootstrapped(&[1, 2]).await;
        peer.push(Some("c1"), skill(Some(1), "nope", SkillOutcome::Failed)).await;
        let (id, _) = peer.hear().await;
        peer.reply(&id, processes(ThinkProcessStatus::Idle)).await;
        peer.left().await;
    };
    let got = play(Format::Text, arguments(Some("hi"), &["nope"]), script).await;
    assert_eq!(got, (Exit::Failed, String::new(), "foot: nope: Failed\n".to_owned()));
}

#[tokio::test]
async fn without_a_prompt_the_turn_of_the_skill_is_waited_for() {
    let script = |brain: FakeBrain| async move {
        let mut peer = brain.accept().await;
        peer.bootstrapped(&[1]).await;
        peer.push(Some("c1"), skill(Some(1), "go", SkillOutcome::Activated)).await;
        peer.push(Some("c2"), progress(StatusTag::EngineTurnStart, "m")).await;
        let (id, _) = peer.hear().await;
        peer.reply(&id, processes(ThinkProcessStatus::Running)).await;
        peer.push(Some("c3"), said(1, "Done.\n")).await;
        peer.push(Some("c4"), closed(TurnOutcome::Done, &[1])).await;
        peer.left().await;
    };
    let got = play(Format::Text, arguments(None, &["go"]), script).await;
    assert_eq!(got, (Exit::Done, "Done.\n".to_owned(), String::new()));
}

#[tokio::test]
async fn another_turn_of_the_session_is_not_ours() {
    let script = |brain: FakeBrain| async move {
        let mut peer = brain.accept().await;
        let (id, _) = peer.hear().await;
        let mut resumed = bound(&[5], "c0");
        resumed.session_created = false;
        peer.reply(&id, ReplyFrame::SessionBootstrap(resumed)).await;
        peer.push(None, chunk(1, 7, "of before")).await;
        peer.push(Some("c1"), said(1, "Answer of before")).await;
        peer.push(Some("c2"), closed(TurnOutcome::Done, &[4])).await;
        peer.push(Some("c3"), asked("hi")).await;
        peer.push(None, chunk(2, 0, "Ours")).await;
        peer.push(Some("c4"), said(2, "Ours")).await;
        peer.push(Some("c5"), closed(TurnOutcome::Done, &[5])).await;
        peer.left().await;
    };
    let (exit, data, _) = play(Format::Text, arguments(Some("hi"), &[]), script).await;
    assert_eq!((exit, data.as_str()), (Exit::Done, "Ours\n"));
}

#[tokio::test]
async fn a_session_that_another_client_takes_is_not_fought_for() {
    let script = |brain: FakeBrain| async move {
        let mut peer = brain.accept().await;
        peer.bootstrapped(&[2]).await;
        peer.close(4409, "session_taken_over").await;
    };
    let (exit, _, notes) = play(Format::Text, arguments(Some("hi"), &[]), script).await;
    assert_eq!(exit, Exit::Failed);
    assert!(notes.contains("session_taken_over"), "{notes}");
}

#[tokio::test]
async fn a_refused_token_is_final() {
    for (status, expect) in [("401 Unauthorized", Exit::Denied), ("403 Forbidden", Exit::Denied)] {
        let script = |brain: FakeBrain| async move {
            let mut stream = brain.accept_tcp().await;
            let mut request = vec![0; 4096];
            let length = stream.read(&mut request).await.unwrap();
            let request = String::from_utf8(request[..length].to_vec()).unwrap().to_lowercase();
            assert!(request.starts_with("get /brain/acme/ws http/1.1\r\n"), "{request}");
            for header in
                ["authorization: bearer secret", "x-vance-profile: foot", "x-vance-client-version:"]
            {
                assert!(request.contains(header), "{request}");
            }
            let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
            stream.write_all(answer.as_bytes()).await.unwrap();
            stream.shutdown().await.unwrap();
        };
        let (exit, ..) = play(Format::Text, arguments(Some("hi"), &[]), script).await;
        assert_eq!(exit, expect, "{status}");
    }
}

#[tokio::test]
async fn a_brain_that_is_not_there_is_said_at_once() {
    let script = |brain: FakeBrain| async move { drop(brain) };
    let brain = FakeBrain::start().await;
    let settings = brain.settings();
    script(brain).await;
    let (mut out, ..) = output(Format::Text);
    let error = run(&arguments(Some("hi"), &[]), settings, &mut out).await.unwrap_err();
    assert_eq!(error.exit(), Exit::Unreachable);
    assert!(error.to_string().contains("is it running?"), "{error}");
}

#[tokio::test]
async fn nothing_to_do_is_a_usage_error() {
    let (mut out, ..) = output(Format::Text);
    let error = run(&arguments(None, &[]), settings(1), &mut out).await.unwrap_err();
    assert_eq!(error.exit(), Exit::Usage);
}

#[tokio::test]
async fn a_refused_request_is_told_with_its_reason() {
    let script = |brain: FakeBrain| async move {
        let mut peer = brain.accept().await;
        let (id, _) = peer.hear().await;
        let error = api_types::error::ErrorBody {
            code: api_types::error::ErrorCode::NotFound,
            error_code: 404,
            error_message: "there is no recipe x".to_owned(),
            reason: None,
            request_id: None,
            current_revision: None,
            retry_after_ms: None,
        };
        peer.refuse(&id, error).await;
        peer.left().await;
    };
    let got = play(Format::Text, arguments(Some("hi"), &[]), script).await;
    assert_eq!(got, (Exit::Failed, String::new(), "there is no recipe x\n".to_owned()));
}

#[tokio::test]
async fn skills_without_a_turn_leave_a_session_to_go_on_with() {
    let script = |brain: FakeBrain| async move {
        let mut peer = brain.accept().await;
        peer.bootstrapped(&[1]).await;
        peer.push(Some("c1"), skill(Some(1), "calm", SkillOutcome::Activated)).await;
        let (id, _) = peer.hear().await;
        peer.reply(&id, processes(ThinkProcessStatus::Idle)).await;
        peer.left().await;
    };
    let (exit, data, notes) = play(Format::Text, arguments(None, &["calm"]), script).await;
    assert_eq!((exit, data.as_str()), (Exit::Done, ""));
    assert!(notes.contains("foot run --session sess_"), "{notes}");
}
