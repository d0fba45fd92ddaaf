use serde_json::json;

use super::*;
use crate::load::{Input, Loaded, load};

fn load_text(text: &str) -> Loaded {
    load(Input { path: "SKILL.md", folder: "x", bytes: text.as_bytes(), files: None })
}

#[track_caller]
fn check(original: &str, changes: &[Change<'_>], expect: &str) {
    assert_eq!(rewrite(original, changes).as_deref(), Ok(expect));
}

#[test]
fn only_the_named_keys_change() {
    let text = "---\n# on top\nname: x # why\ndescription: old\n# about y\ny: [1,  2]\n\n---\n\nbody\n---\n";
    check(
        text,
        &[("description", Some(json!("new: text"))), ("version", Some(json!("1.0.0")))],
        "---\n# on top\nname: x # why\ndescription: \"new: text\"\n# about y\ny: [1,  2]\n\nversion: 1.0.0\n---\n\nbody\n---\n",
    );
    check(
        text,
        &[("name", Some(json!("z"))), ("y", None)],
        "---\n# on top\nname: z # why\ndescription: old\n# about y\n\n---\n\nbody\n---\n",
    );
}

#[test]
fn values_of_several_lines_are_replaced_whole() {
    check(
        "---\ndescription: >-\n  a\n  b\n\ntags:\n- a\n- b\nname: x\n---\n",
        &[("description", Some(json!("c"))), ("tags", Some(json!(["d", "e: f"])))],
        "---\ndescription: c\n\ntags:\n  - d\n  - \"e: f\"\nname: x\n---\n",
    );
    check(
        "---\nname: x\n---\n",
        &[("action", Some(json!("Do:\n\n  this\nnow\n"))), ("m", Some(json!({"a": {"b": []}})))],
        "---\nname: x\naction: |\n  Do:\n\n    this\n  now\nm:\n  a:\n    b: []\n---\n",
    );
}

#[test]
fn line_ends_indentation_and_marks_stay() {
    check(
        "\u{feff}---\r\n  name: x\r\n---\r\nbody\r\n",
        &[("description", Some(json!("d")))],
        "\u{feff}---\r\n  name: x\r\n  description: d\r\n---\r\nbody\r\n",
    );
}

#[test]
fn a_head_is_put_where_there_is_none_and_repaired_where_it_must_be() {
    check("# T\n", &[("description", Some(json!("d")))], "---\ndescription: d\n---\n# T\n");
    check(
        "---\ndescription: a: b\n---\nbody",
        &[("name", Some(json!("x")))],
        "---\ndescription: \"a: b\"\nname: x\n---\nbody",
    );
    check("---\n{name: x, y: [1]}\n---\n", &[("name", None)], "---\ny: [1]\n---\n");
    check(
        "---\nDescription: old\n---\n",
        &[("description", Some(json!("new")))],
        "---\ndescription: new\n---\n",
    );
}

#[test]
fn refused_rather_than_changing_more() {
    let change = [("name", None)];
    let unreadable = rewrite("---\nname: x\n", &change);
    assert_eq!(unreadable, Err(Error::Unreadable { at: Position::START }));
    assert_eq!(rewrite("---\nname: &a x\ny: *a\n---\n", &change), Err(Error::Entangled));
    assert_eq!(rewrite("---\nname: x\nname: y\n---\n", &change), Err(Error::Entangled));
    let key = rewrite("---\nname: x\n---\n", &[("a: b\nc", None)]);
    assert_eq!(key, Err(Error::InvalidKey("a: b\nc".to_owned())));
}

#[test]
fn a_hostile_description_adds_no_key_and_ends_no_head() {
    let description = "first\n---\nadmin: true\n---\n\"quoted\" \\ # end:";
    let text = create(&[("description", json!(description))], "body\n").unwrap();
    let loaded = load_text(&text);
    assert!(loaded.is_valid(), "{text}");
    assert_eq!(loaded.head.description, description);
    assert_eq!(loaded.body_of(text.as_bytes()), "body\n");
    assert!(!text.contains("\nadmin"), "{text}");
    let again = rewrite(&text, &[("description", Some(json!("--- \nadmin: true")))]).unwrap();
    assert_eq!(load_text(&again).head.description, "--- \nadmin: true");
}
