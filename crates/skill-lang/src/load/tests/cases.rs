//! Inputs that broke comparable products.

use super::{check, load_text};
use crate::load::{Input, load};
use crate::skill::Arguments;

/// A mark at the start is none of the skill's text; inside the body it is.
#[test]
fn byte_order_marks() {
    check("\u{feff}---\nname: x\ndescription: d\n---\nb", &["byte-order-mark 1:1"]);
    let text = "---\nname: x\ndescription: d\n---\na\u{feff}b\n";
    assert_eq!(check(text, &[]).body_of(text.as_bytes()), "a\u{feff}b\n");
}

/// Values stay as written, whatever YAML would make of them.
#[test]
fn numbers_truth_values_and_nothing() {
    for folder in ["3000", "true"] {
        let text = format!("---\nname: {folder}\ndescription: d\nversion: 1.10\n---\n");
        let input = Input { path: "x", folder, bytes: text.as_bytes(), files: None };
        let loaded = load(input);
        assert!(loaded.is_valid());
        assert_eq!(loaded.name.unwrap().as_str(), folder);
        assert_eq!(loaded.head.version, "1.10");
        assert_eq!(loaded.diagnostics.len(), 1, "the version's form only");
    }
    for nothing in ["null", "~", "", "''", "\" \""] {
        let text = format!("---\nname: x\ndescription: {nothing}\n---\n");
        let loaded = load_text(&text);
        let codes: Vec<_> = loaded.errors().map(|error| error.code.as_str()).collect();
        assert_eq!(codes, ["missing-description"], "{nothing}");
    }
    check("---\nname: x\ndescription: \"null\"\n---\n", &[]);
}

/// Length is counted in code points, after folding.
#[test]
fn lengths_of_descriptions() {
    let folded = |length: usize| {
        let line = "😀".repeat(511);
        let rest = "é".repeat(length - 512);
        format!("---\nname: x\ndescription: >-\n  {line}\n  {rest}\n---\n")
    };
    let loaded = check(&folded(1024), &[]);
    assert_eq!(loaded.head.description.chars().count(), 1024);
    check(&folded(1025), &["description-too-long 3:1"]);
    let loaded = check(&folded(5000), &["description-too-long 3:1"]);
    assert_eq!(loaded.head.description.chars().count(), 5000);
}

/// Only a line of exactly three dashes ends the head, in a quoted value too.
#[test]
fn dashes_in_quoted_values() {
    let loaded = check("---\nname: x\ndescription: \"a\n  ----\n  ---x\n  b\"\n---\nbody", &[]);
    assert_eq!(loaded.head.description, "a ---- ---x b");
    let loaded = load_text("---\nname: x\ndescription: \"a\n----\n---x\nb\"\n---\nbody");
    assert!(loaded.is_valid(), "{:#?}", loaded.diagnostics);
    assert_eq!(loaded.head.description, "a ---- ---x b");
    let loaded = check("---\nname: x\ndescription: |\n  a\n  ---\n  b\n---\nbody", &[]);
    assert_eq!(loaded.head.description, "a\n---\nb");
}

/// A body is what stands below the head, whatever it looks like.
#[test]
fn rules_and_heads_in_bodies() {
    let body = "\n---\na\n---\n```yaml\n---\nname: y\n---\n```\n\n---\n  \n";
    let text = format!("---\nname: x\ndescription: d\n---\n{body}");
    assert_eq!(check(&text, &[]).body_of(text.as_bytes()), body);
    let skill = load_text(&text).into_skill(text.as_bytes()).unwrap();
    assert_eq!((skill.name.as_str(), skill.body.as_str()), ("x", body));
}

/// Names of other scripts are names.
#[test]
fn names_of_other_scripts() {
    let mut names = Vec::new();
    for folder in ["审查", "测试", "обзор"] {
        let text = format!("---\nname: {folder}\ndescription: d\n---\n");
        let input = Input { path: "x", folder, bytes: text.as_bytes(), files: None };
        let loaded = load(input);
        assert_eq!(loaded.diagnostics, []);
        names.push(loaded.name.unwrap());
    }
    names.dedup();
    assert_eq!(names.len(), 3);
}

/// The public format's placeholder makes a skill take the line; a word like it does not.
#[test]
fn placeholders_for_arguments() {
    let head = "---\nname: x\ndescription: d\n---\n";
    let arguments = |body: &str| load_text(&format!("{head}{body}")).head.arguments;
    assert_eq!(arguments("Fix issue $ARGUMENTS."), Arguments::Raw);
    assert_eq!(arguments("Fix issue $ARGUMENTS_FILE"), Arguments::None);
    assert_eq!(arguments("{{ x }} {% y %} ${{ z }}"), Arguments::None);
}

/// What the public format allows beside lists, and its free-form parts.
#[test]
fn portable_fields() {
    let loaded = check(
        "---\nname: x\ndescription: d\nlicense: MIT\nallowed-tools: Bash(git add:*) Read, Write\n\
         disallowed-tools: Bash(rm *) Edit\nargument-hint: [issue-number]\nserves: a, b\n\
         user-invocable: false\nwhenToUse: later\nmetadata:\n  version: 1.10\n  deep: {a: [1]}\n---\n",
        &[],
    );
    let head = loaded.head;
    assert_eq!(head.allowed_tools, ["Bash(git add:*) Read", "Write"]);
    assert_eq!(head.disallowed_tools, ["Bash(rm *)", "Edit"]);
    assert_eq!(head.argument_hint.as_deref(), Some("[issue-number]"));
    assert_eq!(head.serves, ["a", "b"]);
    assert_eq!(head.when_to_use.as_deref(), Some("later"));
    assert!(!head.user_invocable);
    let metadata = serde_json::json!({"version": "1.10", "deep": {"a": ["1"]}});
    assert_eq!(serde_json::Value::Object(head.metadata), metadata);
}

/// The stored form is small: what the head does not say is not in it.
#[test]
fn stored_heads_are_small() {
    let head = load_text("---\nname: x\ndescription: d\n---\n").head;
    let stored = serde_json::to_string(&head).unwrap();
    assert_eq!(stored, r#"{"dialect":"portable","title":"X","description":"d","version":"0.0.0"}"#);
    assert_eq!(serde_json::from_str::<crate::skill::Head>(&stored).unwrap(), head);
}

/// The stored form is a contract: a reader of an older or newer version finds the same fields.
#[test]
fn stored_heads_have_a_stable_form() {
    let text = "---\ntitle: T\ndescription: d\nversion: 1.0.0\nenabled: false\nlifecycle: shot\n\
        run: {target: inline}\narguments: [{name: a, required: true}, {name: b, type: integer}]\n\
        activate: [guard clear]\naction: go\nuser-invocable: false\ntriggers:\n\
        - {type: KEYWORDS, keywords: [one, two], match: any}\n- {type: PATTERN, pattern: a, examples: [b]}\n\
        ---\n";
    let head = load_text(text).head;
    let expect = serde_json::json!({
        "dialect": "native", "title": "T", "description": "d", "version": "1.0.0",
        "enabled": false, "lifecycle": "shot",
        "arguments": {"declared": [
            {"name": "a", "required": true},
            {"name": "b", "type": "integer"},
        ]},
        "activate": ["guard clear"], "action": "go",
        "triggers": [
            {"type": "KEYWORDS", "keywords": ["one", "two"], "match": "any"},
            {"type": "PATTERN", "pattern": "a", "examples": ["b"]},
        ],
        "userInvocable": false, "template": true,
    });
    assert_eq!(serde_json::to_value(&head).unwrap(), expect);
    assert_eq!(serde_json::from_value::<crate::skill::Head>(expect).unwrap(), head);
}
