//! What holds for any file.

use proptest::prelude::*;
use serde_json::json;
use skill_lang::diagnostic::apply_fixes;
use skill_lang::load::{Input, Loaded, State, load};
use skill_lang::name::from_folder;
use skill_lang::rewrite::{create, rewrite};

fn load_bytes(bytes: &[u8]) -> Loaded {
    load(Input { path: "SKILL.md", folder: "x", bytes, files: Some(&|_| true) })
}

/// What heads and their mistakes are made of.
const PIECES: &[&str] = &[
    "---\n",
    "---",
    "----\n",
    "\n",
    "\r\n",
    "  ",
    "\t",
    ": ",
    ":",
    "- ",
    "-",
    "#",
    " #",
    "\"",
    "'",
    "[",
    "]",
    "{",
    "}",
    ",",
    "&a ",
    "*a",
    "!x ",
    "|\n",
    ">-\n",
    "%",
    "@",
    "?",
    "? ",
    "\\",
    "name: ",
    "description: ",
    "title",
    "version: 1.0",
    "triggers:\n",
    "- type: PATTERN\n",
    "pattern: ",
    "(?=a)",
    "keywords: ",
    "arguments: ",
    "run: ",
    "target: spawn",
    "scripts:\n",
    "metadata:\n",
    "true",
    "null",
    "~",
    "...\n",
    "ä",
    "漢字",
    "😀",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "\0",
    "\u{7}",
    "<!--",
    "-->",
    "{{ x }}",
    "{% if %}",
    "$ARGUMENTS",
    "a",
    "b c",
];

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![4 => proptest::sample::select(PIECES).prop_map(str::to_owned), 1 => "\\PC{0,4}"]
}

/// An entry with a value that may be anything, or anything at all.
fn line() -> impl Strategy<Value = String> {
    let keys: &[&str] = &[
        "name",
        "description",
        "title",
        "version",
        "tags",
        "tools",
        "triggers",
        "arguments",
        "run",
        "scripts",
        "metadata",
        "allowed-tools",
        "enabled",
        "Description",
        "argument",
        "x y",
    ];
    let key = proptest::sample::select(keys);
    prop_oneof![
        8 => (key.clone(), "[a-zA-Z ä:#'\"-]{0,12}").prop_map(|(key, text)| format!("{key}: {text}\n")),
        4 => (key, proptest::collection::vec(piece(), 0..6))
            .prop_map(|(key, value)| format!("{key}: {}\n", value.concat())),
        1 => proptest::collection::vec(piece(), 0..6).prop_map(|pieces| pieces.concat() + "\n"),
    ]
}

fn skill() -> impl Strategy<Value = String> {
    let lines = proptest::collection::vec(line(), 0..5);
    let body = proptest::collection::vec(piece(), 0..6);
    prop_oneof![
        6 => (lines, body).prop_map(|(lines, body)| {
            format!("---\n{}---\n{}", lines.concat(), body.concat())
        }),
        1 => proptest::collection::vec(piece(), 0..60).prop_map(|pieces| pieces.concat()),
    ]
}

fn check_loaded(text: &str, loaded: &Loaded) {
    let errors = loaded.errors().count();
    assert_eq!(loaded.state == State::Valid, errors == 0);
    assert_eq!(loaded.state == State::Valid, !loaded.head.description.is_empty() && errors == 0);
    let lines = u32::try_from(text.split('\n').count()).expect("few lines");
    for problem in &loaded.diagnostics {
        assert!((1..=lines).contains(&problem.line), "{problem}");
        assert!(problem.position().offset_in(text).is_some(), "{problem}");
        if let Some(fix) = &problem.fix {
            assert!(fix.range_in(text).is_some(), "{problem} {fix:?}");
        }
    }
    if loaded.state != State::Unreadable {
        assert!(text.ends_with(loaded.body_of(text.as_bytes())));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, max_global_rejects: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn any_text_loads_or_says_where_it_fails(text in skill()) {
        let loaded = load_bytes(text.as_bytes());
        check_loaded(&text, &loaded);
        let head = serde_json::to_string(&loaded.head).unwrap();
        prop_assert_eq!(&serde_json::from_str::<skill_lang::skill::Head>(&head).unwrap(), &loaded.head);
    }

    #[test]
    fn any_bytes_load_or_say_why_not(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let loaded = load_bytes(&bytes);
        prop_assert_eq!(loaded.state == State::Valid, loaded.errors().next().is_none());
    }

    #[test]
    fn fixes_leave_the_body_alone(text in skill()) {
        let loaded = load_bytes(text.as_bytes());
        prop_assume!(loaded.state != State::Unreadable);
        let (fixed, _) = apply_fixes(&text, &loaded.diagnostics);
        let again = load_bytes(fixed.as_bytes());
        prop_assert!(again.state != State::Unreadable, "{:?}\n{}", again.diagnostics, fixed);
        prop_assert_eq!(again.body_of(fixed.as_bytes()), loaded.body_of(text.as_bytes()));
    }

    #[test]
    fn a_rewriting_changes_no_body(text in skill(), value in "(\\PC|\n|\t){0,40}") {
        let before = load_bytes(text.as_bytes());
        prop_assume!(before.state != State::Unreadable);
        if let Ok(changed) = rewrite(&text, &[("license", Some(json!(value)))]) {
            let after = load_bytes(changed.as_bytes());
            prop_assert_eq!(after.body_of(changed.as_bytes()), before.body_of(text.as_bytes()));
            let value = value.trim();
            prop_assert_eq!(after.head.license.as_deref().unwrap_or_default(), value);
            prop_assert_eq!(after.head.description, before.head.description);
            prop_assert_eq!(after.head.triggers, before.head.triggers);
        }
    }

    #[test]
    fn names_made_from_folders_stay_as_they_are(folder in "(\\PC|[a-zA-Z_. -]){0,20}") {
        if let Ok(mapped) = from_folder(&folder) {
            let again = from_folder(mapped.name.as_str()).expect("a name is a folder's name");
            prop_assert_eq!(again.name, mapped.name.clone());
            prop_assert!(!again.changed);
            prop_assert_eq!(mapped.changed, mapped.name.as_str() != folder);
        }
    }

    #[test]
    fn any_text_survives_as_a_value(value in "(\\PC|\\PC|[\\x00-\\x20\u{85}\u{feff}\u{2028}#:'\"-])*") {
        let text = create(&[("metadata", json!({"note": value, "list": [value]}))], "b").unwrap();
        let loaded = load_bytes(text.as_bytes());
        prop_assert_eq!(&loaded.head.metadata["note"], &json!(value), "{}", text);
        prop_assert_eq!(&loaded.head.metadata["list"][0], &json!(value), "{}", text);
        prop_assert_eq!(loaded.head.metadata.len(), 2);
    }
}
