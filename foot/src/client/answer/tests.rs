use api_types::ids::{LaneId, MessageId, Seq};
use api_types::sessions::ChatRole;
use proptest::prelude::*;

use super::*;

fn chunk(message: u128, attempt: u32, offset: usize, text: &str) -> StreamChunk {
    StreamChunk {
        think_process_id: LaneId::from_bits(1),
        process_name: "chat".parse().unwrap(),
        role: ChatRole::Assistant,
        chunk: text.to_owned(),
        turn_id: Seq(1),
        attempt,
        message_id: MessageId::from_bits(message),
        offset: offset as u64,
    }
}

/// Prints pieces `(message, attempt, offset, text)`, then the message; `⏎` where text is replaced.
#[track_caller]
fn check(pieces: &[(u128, u32, usize, &str)], text: &str, expect: &str) {
    let mut answer = Answer::default();
    let mut printed = String::new();
    for (message, attempt, offset, text) in pieces {
        printed.push_str(answer.chunk(&chunk(*message, *attempt, *offset, text)));
        printed.push('|');
    }
    match answer.appended(text) {
        Rest::Continues(rest) => printed.push_str(&rest),
        Rest::Replaces(rest) => printed.push_str(&format!("⏎{rest}")),
    }
    assert_eq!(printed, expect);
}

#[test]
fn pieces_are_printed_once_and_completed_by_the_message() {
    check(&[(1, 1, 0, "Hel"), (1, 1, 3, "lo")], "Hello", "Hel|lo|");
    check(&[(1, 1, 0, "Hel")], "Hello", "Hel|lo");
    check(&[], "Hello", "Hello");
    check(&[(1, 1, 0, "ä"), (1, 1, 2, "ö")], "äö", "ä|ö|");
}

#[test]
fn repeated_and_lost_pieces_do_no_harm() {
    check(&[(1, 1, 0, "Hel"), (1, 1, 0, "Hello")], "Hello", "Hel|lo|");
    check(&[(1, 1, 0, "Hel"), (1, 1, 0, "Hel")], "Hello", "Hel||lo");
    check(&[(1, 1, 0, "He"), (1, 1, 4, "o"), (1, 1, 5, "!")], "Hello!", "He|||llo!");
    check(&[(1, 1, 3, "lo")], "Hello", "|Hello");
}

#[test]
fn a_new_attempt_goes_on_where_the_old_one_stopped() {
    check(&[(1, 1, 0, "Hel"), (1, 2, 0, "He"), (1, 2, 2, "llo")], "Hello", "Hel||lo|");
    check(&[(1, 1, 0, "Hel"), (2, 1, 0, "Hello")], "Hello", "Hel|lo|");
}

#[test]
fn an_attempt_that_says_something_else_replaces_what_was_printed() {
    check(&[(1, 1, 0, "Hel"), (1, 2, 0, "Hi"), (1, 2, 2, "!")], "Hi!", "Hel|||⏎Hi!");
    check(&[(1, 1, 0, "Hello")], "Hel", "Hello|⏎Hel");
}

#[test]
fn text_before_tools_is_not_part_of_what_follows() {
    let mut answer = Answer::default();
    assert_eq!(answer.chunk(&chunk(1, 1, 0, "Let me look.")), "Let me look.");
    assert_eq!(answer.step_ended(), Rest::Continues(String::new()));
    assert_eq!(answer.chunk(&chunk(2, 1, 0, "Found.")), "Found.");
    assert_eq!(answer.appended("Found."), Rest::Continues(String::new()));
}

proptest! {
    /// Pieces of one text, any of them lost or repeated: the text is printed exactly once.
    #[test]
    fn the_text_is_printed_exactly_once(
        text in "[a-zäöж \n]{0,60}",
        cuts in prop::collection::vec(0usize..60, 0..8),
        fate in prop::collection::vec(0u8..4, 9),
    ) {
        let mut ends: Vec<usize> = cuts.into_iter().filter(|c| text.is_char_boundary(*c)).collect();
        ends.push(text.len());
        ends.sort_unstable();
        let (mut answer, mut printed, mut from) = (Answer::default(), String::new(), 0);
        for (end, fate) in ends.into_iter().filter(|end| *end <= text.len()).zip(fate) {
            for _ in 0..fate.min(2) {
                printed.push_str(answer.chunk(&chunk(1, 1, from, &text[from..end])));
            }
            from = end;
        }
        match answer.appended(&text) {
            Rest::Continues(rest) => printed.push_str(&rest),
            Rest::Replaces(_) => prop_assert!(false, "nothing was void"),
        }
        prop_assert_eq!(printed, text);
    }
}
