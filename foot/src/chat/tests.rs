use api_types::events::{SkillOutcome, StatusTag, TurnOutcome};
use api_types::frames::{ProcessSkillResponse, Queued, ReplyFrame, SkillCommand};
use api_types::sessions::ThinkProcessStatus;

use super::*;
use crate::testing::*;

fn queued(seq: u64) -> Queued {
    let bound = bound(&[], "c");
    Queued {
        think_process_id: bound.chat_process_id,
        process_name: bound.chat_process_name,
        status: ThinkProcessStatus::Idle,
        queued: Seq(seq),
        duplicate: false,
    }
}

/// Feeds lines to a chat against a scripted brain; returns data and notes.
async fn play<F: Future<Output = ()>>(
    lines: &[&str],
    script: impl FnOnce(FakeBrain) -> F,
) -> (String, String) {
    let brain = FakeBrain::start().await;
    let settings = brain.settings();
    let (mut out, data, notes) = output(Format::Text);
    let talk = async {
        let mut link = Link::open(settings.clone(), Duration::from_secs(5)).await.unwrap();
        let opened = open::open(&Arguments::default(), &settings, &mut link).await.unwrap();
        let editor = Editor::of_lines(lines);
        let screen = Screen::new(&mut out, false);
        let mut chat = Chat::new(link, settings, opened, editor, screen, SkillNames::default());
        let exit = chat.talk().await.unwrap();
        chat.link.close().await;
        exit
    };
    let both = async { tokio::join!(talk, script(brain)) };
    let (exit, ()) =
        tokio::time::timeout(Duration::from_secs(20), both).await.expect("ends in time");
    assert_eq!(exit, Exit::Done);
    (data.text(), notes.text())
}

async fn created(brain: &FakeBrain) -> Peer {
    let mut peer = brain.accept().await;
    let (id, frame) = peer.hear().await;
    let ClientFrame::SessionCreate(create) = frame else { panic!("{frame:?}") };
    assert_eq!(create.project_id.as_str(), "home");
    peer.reply(&id, ReplyFrame::SessionCreate(bound(&[], "c0"))).await;
    peer
}

#[tokio::test]
async fn a_message_is_answered_before_the_next_line_is_read() {
    let script = |brain: FakeBrain| async move {
        let mut peer = created(&brain).await;
        for (seq, answer) in [(1, "One **1**"), (2, "Two")] {
            let (id, frame) = peer.hear().await;
            let ClientFrame::ProcessSteer(steer) = frame else { panic!("{frame:?}") };
            assert_eq!(steer.content, ["first", "second"][usize::try_from(seq).unwrap() - 1]);
            assert!(steer.idempotency_key.is_some());
            peer.reply(&id, ReplyFrame::ProcessSteer(queued(seq))).await;
            peer.push(Some("c"), asked(&steer.content)).await;
            peer.push(None, chunk(seq.into(), 0, &answer[..3])).await;
            peer.push(Some("c"), said(seq.into(), answer)).await;
            peer.push(Some("c"), closed(TurnOutcome::Done, &[seq])).await;
        }
        peer.left().await;
    };
    let (data, notes) = play(&["first", "", "second", "/quit"], script).await;
    assert_eq!(data, "One **1**\nTwo\n");
    assert!(notes.starts_with("new session sess_"), "{notes}");
}

#[tokio::test]
async fn a_skill_is_activated_with_its_rest_untouched() {
    let script = |brain: FakeBrain| async move {
        let mut peer = created(&brain).await;
        let (id, frame) = peer.hear().await;
        let ClientFrame::ProcessSkill(request) = frame else { panic!("{frame:?}") };
        assert_eq!((request.command, request.one_shot), (SkillCommand::Activate, true));
        assert_eq!(request.skill_name.as_deref(), Some("review"));
        assert_eq!(request.args.as_deref(), Some(" a  \"b"));
        let response = ProcessSkillResponse {
            process_name: request.process_name,
            queued: Some(Seq(4)),
            active_skills: Vec::new(),
            available_skills: Vec::new(),
        };
        peer.reply(&id, ReplyFrame::ProcessSkill(response)).await;
        peer.push(Some("c"), skill(Some(4), "review", SkillOutcome::Activated)).await;
        peer.push(Some("c"), progress(StatusTag::EngineTurnStart, "m")).await;
        let (id, _) = peer.hear().await;
        peer.reply(&id, processes(ThinkProcessStatus::Running)).await;
        peer.push(Some("c"), said(1, "Reviewed")).await;
        peer.push(Some("c"), closed(TurnOutcome::Done, &[4])).await;
        peer.left().await;
    };
    let (data, notes) = play(&["/skill review --once  a  \"b"], script).await;
    assert_eq!(data, "Reviewed\n");
    assert!(notes.contains("· review: Activated"), "{notes}");
}

#[tokio::test]
async fn a_failed_turn_is_told_and_the_chat_goes_on() {
    let script = |brain: FakeBrain| async move {
        let mut peer = created(&brain).await;
        let (id, _) = peer.hear().await;
        peer.reply(&id, ReplyFrame::ProcessSteer(queued(1))).await;
        peer.push(None, chunk(1, 0, "Half")).await;
        peer.push(Some("c"), closed(TurnOutcome::ModelFailed, &[1])).await;
        peer.left().await;
    };
    let (data, notes) = play(&["hi", "/nope", "/help"], script).await;
    assert!(data.starts_with("Half\n/skill NAME"), "{data}");
    assert!(notes.contains("the model failed: no luck\n"), "{notes}");
    assert!(notes.contains("no command /nope"), "{notes}");
}

#[tokio::test]
async fn a_dropped_connection_during_a_turn_is_bridged() {
    let script = |brain: FakeBrain| async move {
        let mut peer = created(&brain).await;
        let (id, _) = peer.hear().await;
        peer.reply(&id, ReplyFrame::ProcessSteer(queued(1))).await;
        peer.push(None, chunk(1, 0, "He")).await;
        drop(peer);
        let mut peer = brain.accept().await;
        assert_eq!(peer.resumed(false).await.as_deref(), Some("c0"));
        peer.push(Some("c1"), said(1, "Hello")).await;
        peer.push(Some("c2"), closed(TurnOutcome::Done, &[1])).await;
        peer.left().await;
    };
    let (data, notes) = play(&["hi"], script).await;
    assert_eq!(data.replace('\n', ""), "Hello");
    assert!(notes.contains("connected again"), "{notes}");
}

#[test]
fn the_badge_names_what_is_active() {
    assert_eq!(skills::badge(&[]), "");
    let active = |name: &str, one_shot| ActiveSkillRefDto {
        name: name.parse().unwrap(),
        resolved_from_scope: api_types::skills::SkillScope::Project,
        one_shot,
        from_recipe: false,
        activated_at: 0,
        args: None,
    };
    assert_eq!(skills::badge(&[active("a", false), active("b", true)]), "Skill: a, b (once)");
}
