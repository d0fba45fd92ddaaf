//! What a file is made of, before it is about skills.

use super::{Loaded, check, load_text, problems};
use crate::diagnostic::apply_fixes;
use crate::load::State;

#[track_caller]
fn unreadable(text: &str, expect: &[&str]) -> Loaded {
    let loaded = load_text(text);
    assert_eq!(problems(&loaded), expect, "{:#?}", loaded.diagnostics);
    assert_eq!((loaded.state, loaded.head.description.as_str()), (State::Unreadable, ""));
    loaded
}

/// Fixing all that can be fixed gives a file without problems.
#[track_caller]
fn fixed(text: &str, expect: &str) {
    let (fixed, _) = apply_fixes(text, &load_text(text).diagnostics);
    assert_eq!(fixed, expect);
    check(&fixed, &[]);
}

#[test]
fn form_is_no_reason_to_refuse() {
    check("---\r\nname: x\r\ndescription: d\r\n---\r\nb\r\n", &["carriage-return 2:8"]);
    check("\n\n---\nname: x\ndescription: d\n---\n", &["text-before-head 1:1"]);
    check("<!-- c -->\n---\nname: x\ndescription: d\n---\n", &["text-before-head 1:1"]);
    check("---\nname: x\ndescription: d\u{7}\n---\n", &["control-character 3:15"]);
    check("---\nname: x\ndescription: d\n---\na\0b", &["control-character 5:2"]);
    fixed("\n---\nname: x\ndescription: d\n---\n", "---\nname: x\ndescription: d\n---\n");
}

#[test]
fn files_without_a_head_say_what_is_missing() {
    unreadable("", &["!missing-head 1:1"]);
    unreadable("# Title\n\ntext\n", &["!missing-head 1:1"]);
    unreadable("\n\n```yaml\n---\n", &["!missing-head 3:1"]);
    unreadable("---\nname: x\n\ntext", &["!unclosed-head 1:1"]);
    fixed("----\nname: x\ndescription: d\n---\n", "---\nname: x\ndescription: d\n---\n");
    fixed("name: x\ndescription: d\n---\nb", "---\nname: x\ndescription: d\n---\nb");
    fixed("---\nname: x\ndescription: d\n-----\nb", "---\nname: x\ndescription: d\n---\nb");
    fixed(
        "---\nname: x\ndescription: d\n\n# Title\n",
        "---\nname: x\ndescription: d\n\n---\n\n# Title\n",
    );
}

#[test]
fn bytes_that_are_no_text_say_where() {
    let load = |bytes: &[u8]| {
        let input = crate::load::Input { path: "x", folder: "x", bytes, files: None };
        crate::load::load(input)
    };
    assert_eq!(problems(&load(b"---\nname: \xff\n---\n")), ["!not-utf8 2:7"]);
    let utf16: Vec<u8> = "\u{feff}---\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let loaded = load(&utf16);
    assert_eq!(problems(&loaded), ["!not-utf8 1:1"]);
    assert!(loaded.diagnostics[0].message.contains("UTF-16"));
    assert_eq!(problems(&load(&vec![b'a'; (1 << 20) + 1])), ["!file-too-large 1:1"]);
}

#[test]
fn limits_are_refused_with_their_place() {
    unreadable("---\nname: a\0\n---\n", &["!control-character 2:8"]);
    let deep = format!("---\nname: x\nm: {}{}\n---\n", "[".repeat(40), "]".repeat(40));
    unreadable(&deep, &["!yaml-too-deep 3:19"]);
    let long = format!("---\nm: [{}]\n---\n", "a,".repeat(5000));
    unreadable(&long, &["!yaml-too-many-nodes 2:8003"]);
    let bomb = "---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n---\n";
    unreadable(bomb, &["!yaml-too-many-aliases 4:29"]);
    let large = format!("---\nm: {}\n---\n", "a".repeat(70_000));
    unreadable(&large, &["!head-too-large 1:1"]);
    unreadable("---\nname: x\n...\ndescription: d\n---\n", &["!invalid-yaml 3:1"]);
    unreadable("---\n- a\n- b\n---\n", &["!head-not-a-map 2:1"]);
}

#[test]
fn duplicate_keys_are_refused_with_their_place() {
    let loaded =
        check("---\nname: x\ndescription: a\ndescription: b\n---\n", &["!duplicate-key 4:1"]);
    assert_eq!(loaded.head.description, "a");
    assert!(loaded.diagnostics[0].message.contains("line 3"));
    check("---\nname: x\ndescription: a\nmetadata: {k: 1, k: 2}\n---\n", &["!duplicate-key 4:18"]);
    check(
        "---\nname: x\ndescription: a\nDescription: b\n---\n",
        &["!duplicate-key 4:1", "misspelt-key 4:1"],
    );
}

#[test]
fn slips_of_layout_are_repaired() {
    let loaded = check(
        "---\nname: x\ndescription: d\nmetadata:\n\ta: b\n\tc: d\n---\n",
        &["tab-indentation 5:1", "tab-indentation 6:1"],
    );
    assert_eq!(loaded.head.metadata["c"], "d");
    fixed(
        "---\nname: x\ndescription: d\nmetadata:\n\ta: b\n---\n",
        "---\nname: x\ndescription: d\nmetadata:\n  a: b\n---\n",
    );
    fixed("---\nname:x\ndescription:d\n---\n", "---\nname: x\ndescription: d\n---\n");
    fixed("---\nname: x\n description: d\n---\n", "---\nname: x\ndescription: d\n---\n");
    let loaded = check(
        "---\nname: x\ndescription: wrapped\nwithout indentation: none\nlicense: MIT\n---\n",
        &["unknown-key 4:1"],
    );
    assert_eq!(loaded.head.license.as_deref(), Some("MIT"));
    let loaded = check(
        "---\nname: x\ndescription: wrapped\nwithout indenting, see below\n---\n",
        &["wrong-indentation 4:1"],
    );
    assert_eq!(loaded.head.description, "wrapped without indenting, see below");
}

#[test]
fn tabs_and_stray_lines_are_repaired() {
    fixed(
        "---\nname:\tx\ndescription: >-\n\ta\n\tb\n---\n",
        "---\nname: x\ndescription: >-\n  a\n  b\n---\n",
    );
    fixed(
        "---\nname: x\ndescription: 'd'\nstray text\n---\n",
        "---\nname: x\ndescription: 'd'\n# stray text\n---\n",
    );
}

#[test]
fn one_broken_entry_does_not_hide_the_others() {
    let loaded = check(
        "---\nname: x\ndescription: d\nmetadata:\n    a: b\n  c: d\n---\n",
        &["unreadable-entry 6:3"],
    );
    assert_eq!(loaded.head.description, "d");
    let broken = "---\nname: x\ndescription: d\ntriggers:\n  - type: A\n x\n---\n";
    let loaded = load_text(broken);
    assert!(loaded.errors().any(|e| e.code.as_str() == "unreadable-entry"), "{loaded:#?}");
    assert_eq!(loaded.state, State::Invalid);
    assert_eq!(loaded.head.description, "d");
}

#[test]
fn several_problems_are_all_reported() {
    check(
        "---\nnmae: x\nversion: 1.0\ntags: a, b\ndisable-model-invocation: yes\nfoo: 1\n---\n",
        &[
            "!missing-description 1:1",
            "missing-title 1:1",
            "unknown-key 2:1",
            "invalid-version 3:10",
            "wrong-type 4:7",
            "loose-boolean 5:27",
            "unknown-key 6:1",
        ],
    );
    let many: String = (0..300).map(|n| format!("k{n}: 1\n")).collect();
    let loaded = load_text(&format!("---\nname: x\ndescription: d\n{many}---\n"));
    assert_eq!(loaded.diagnostics.len(), 101);
    assert_eq!(loaded.diagnostics[100].message, "200 more problems are not listed");
}
