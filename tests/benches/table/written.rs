//! Skills as people write them, made up: about 6 KiB each, a third of them native.

use std::fmt::Write;

const WORDS: &[&str] = &[
    "review",
    "the",
    "change",
    "before",
    "merging",
    "and",
    "name",
    "every",
    "risk",
    "with",
    "its",
    "file",
    "line",
    "prefer",
    "small",
    "steps",
    "tests",
    "that",
    "fail",
    "first",
    "database",
    "migration",
    "rollback",
    "deploy",
    "metrics",
    "latency",
    "budget",
    "customer",
    "report",
    "draft",
    "summary",
    "checklist",
    "never",
    "guess",
    "ask",
    "owner",
    "when",
    "unsure",
    "measure",
    "twice",
];

/// A sentence of so many words, another for each seed.
fn sentence(seed: usize, words: usize) -> String {
    let word = |at: usize| WORDS[(seed * 31 + at * 17 + seed * at) % WORDS.len()];
    (0..words).map(word).collect::<Vec<_>>().join(" ")
}

/// The folder of skill `number`.
pub(crate) fn name(number: usize) -> String {
    format!("skill-{number:05}")
}

/// Its `SKILL.md`.
pub(crate) fn skill(number: usize) -> String {
    let mut text = String::with_capacity(7_000);
    if number.is_multiple_of(3) {
        let title = sentence(number, 3);
        let (about, keyword) = (sentence(number, 24), sentence(number + 1, 1));
        write!(
            text,
            "---\ntitle: {title}\ndescription: {about}\nversion: 1.{number}.0\ntags: [bench, {keyword}]\n\
             triggers:\n  - type: KEYWORDS\n    keywords: [{keyword}, {}]\n  - type: PATTERN\n    pattern: 'ticket-{number}\\b'\n---\n",
            sentence(number + 2, 1)
        )
    } else {
        let about = sentence(number, 30);
        write!(text, "---\nname: {}\ndescription: {about}. Use when asked to {}.\n---\n", name(number), sentence(number, 8))
    }
    .expect("a string takes all that is written");
    body(&mut text, number);
    text
}

fn body(text: &mut String, number: usize) {
    write!(text, "\n# {}\n\n", sentence(number, 4)).expect("a string takes all that is written");
    for part in 0..6 {
        let seed = number + part;
        write!(
            text,
            "## {}\n\n{}.\n\n1. {}\n2. {}\n\n```sh\nmake check NAME={number}\n```\n\n- {}\n- {}\n\n",
            sentence(seed, 3),
            sentence(seed, 70),
            sentence(seed + 7, 14),
            sentence(seed + 8, 14),
            sentence(seed + 9, 12),
            sentence(seed + 10, 12),
        )
        .expect("a string takes all that is written");
    }
}

/// A native body of the size of a real one that uses what the template language offers.
pub(crate) fn template(number: usize) -> String {
    let mut text = "{% if profile == \"foot\" %}\nYou work in a terminal.\n{% endif %}\n\
                    Recipe {{ recipe }} on {{ model }}.\n"
        .to_owned();
    body(&mut text, number);
    text
}
