use api_types::events::{SkillOutcome, TurnOutcome};
use api_types::ids::MessageId;
use api_types::sessions::{ChatRole, CloseReason, ThinkProcessStatus};
use api_types::skills::SkillScope;

use super::*;
use crate::lanes::head::ActiveSkill;
use crate::lanes::usage::Usage;

fn source() -> Source {
    Source { lane: LaneId::from_bits(1), process: "chat".parse().unwrap(), turn: Some(Seq(1)) }
}

const AT: Timestamp = Timestamp(1_000);

fn usage() -> Usage {
    Usage { input: 10, output: 20, cache_read: 3, cache_write: 4, calls: 1 }
}

/// One entry of each kind.
fn entries() -> Vec<Entry> {
    let active = ActiveSkill {
        name: "code-review".parse().unwrap(),
        resolved_from_scope: SkillScope::Vance,
        one_shot: false,
        from_recipe: false,
        activated_at: AT,
        args: None,
        layer: None,
    };
    let call = |name: &str| Call {
        id: format!("call-{name}"),
        name: name.to_owned(),
        arguments: r#"{"path": "a.md"}"#.to_owned(),
    };
    vec![
        Entry::TurnOpened {
            at: AT,
            inputs: vec![Seq(1)],
            skills: Vec::new(),
            model: "echo/echo".to_owned(),
        },
        Entry::StepClaimed { inputs: vec![Seq(2)] },
        Entry::Message {
            id: MessageId::from_bits(2),
            role: ChatRole::User,
            content: "hi".to_owned(),
            sender: Some("jane".to_owned()),
            at: AT,
        },
        Entry::Model {
            text: "let me look".to_owned(),
            calls: vec![call("doc_read"), call("doc_list")],
            usage: usage(),
            at: AT,
            carry: None,
        },
        Entry::Started { call: "call-doc_read".to_owned(), tool: "doc_read".to_owned(), at: AT },
        Entry::Result {
            call: "call-doc_read".to_owned(),
            tool: "doc_read".to_owned(),
            content: "no\n  such   document".to_owned(),
            is_error: true,
            at: AT,
        },
        Entry::Awaiting { id: "a".to_owned(), what: "tool".to_owned(), due_at: AT },
        Entry::Skill {
            request: Some(Seq(4)),
            skill: Some("code-review".parse().unwrap()),
            outcome: SkillOutcome::Activated,
            message: "active".to_owned(),
            reason: None,
            active: vec![active],
        },
        Entry::Status {
            status: ThinkProcessStatus::Closed,
            close_reason: Some(CloseReason::Stopped),
        },
        Entry::Notice { text: "a skill was left out".to_owned(), at: AT },
        Entry::TurnClosed {
            turn: Seq(1),
            outcome: TurnOutcome::Done,
            message: None,
            settled: vec![Seq(1), Seq(2)],
            usage: usage(),
            at: AT,
        },
    ]
}

#[test]
fn each_entry_has_its_events() {
    let rows = (1..).map(Seq).zip(entries()).map(|(seq, entry)| LogRow { seq, entry });
    let told: Vec<(Seq, Vec<Event>)> = rows.map(|row| (row.seq, source().events(&row))).collect();
    insta::assert_json_snapshot!("events", told);
}

#[test]
fn what_clients_are_not_told_of_makes_no_event() {
    for entry in entries() {
        let told = entry.is_client();
        let row = LogRow { seq: Seq(1), entry };
        assert!(told || source().events(&row).is_empty(), "{row:?}");
    }
}

#[test]
fn a_turn_is_known_from_its_opening_to_its_end() {
    let mut source = Source { turn: None, ..source() };
    let mut turns = Vec::new();
    for (seq, entry) in (7..).map(Seq).zip(entries()) {
        source.observe(&LogRow { seq, entry });
        turns.push(source.turn);
    }
    assert_eq!(turns.first(), Some(&Some(Seq(7))));
    assert_eq!(turns.last(), Some(&None));
}

#[test]
fn long_results_are_cut_in_progress_texts() {
    let check = |text: &str, expect: &str| assert_eq!(excerpt(text), expect);
    check("", "");
    check("a\n\tb  c", "a b c");
    let long = "x".repeat(EXCERPT_CHARS_MAX);
    check(&long, &long);
    check(&format!("{long}x"), &format!("{long}…"));
    check(&"ü ".repeat(500), &format!("{}…", "ü ".repeat(EXCERPT_CHARS_MAX / 2)));
}
