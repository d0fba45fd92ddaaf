//! What our own skills can say, and what is wrong when they say it wrong.

use super::{Loaded, check, load_text};
use crate::load::{Input, load};
use crate::skill::{
    Argument, ArgumentType, Arguments, Dialect, Engine, Lifecycle, LoadMode, Match, ReferenceDoc,
    Run, ScriptTarget, Trigger,
};

/// A native head with one more part.
fn with(part: &str) -> String {
    format!("---\ntitle: X\ndescription: d\nversion: 1.0.0\n{part}\n---\nbody\n")
}

#[track_caller]
fn check_part(part: &str, expect: &[&str]) -> Loaded {
    check(&with(part), expect)
}

#[test]
fn every_field_is_read() {
    let text = "\
---
title: Code Review
description: Reviews the changes
version: 2.3.1
tags: [review, quality]
enabled: false
lifecycle: Sticky
pin: true
run:
  target: spawn
  recipe: code-read
arguments:
  - name: scope
    required: true
  - {name: depth, type: INTEGER, description: How deep}
activate:
  - guard clear
  - |
    guard inline
    const x = 1;
deactivate: [guard clear]
action: |
  Review {{ args.scope }}.
tools: [web_search]
manualPaths: ['docs\\manuals']
referenceDocs:
  - {title: List, file: references/list.md}
  - {title: More, file: more.md, summary: s, loadMode: on_demand}
scripts:
  - name: count
    target: brain
    file: scripts/count.js
    description: Counts
    params: [{name: path, required: true}]
---
Body {% if args.depth %}deep{% endif %}
";
    let loaded = check(text, &[]);
    let head = loaded.head;
    assert_eq!(head.dialect, Dialect::Native);
    assert_eq!((head.title.as_str(), head.version.as_str()), ("Code Review", "2.3.1"));
    assert_eq!(head.tags, ["review", "quality"]);
    assert_eq!((head.enabled, head.pin, head.template), (false, true, true));
    assert_eq!(head.lifecycle, Lifecycle::Sticky);
    let (recipe, inherit) = ("code-read".to_owned(), "none".to_owned());
    assert_eq!(head.run, Run::Spawn { recipe, inherit });
    let argument = |name: &str, kind, description: Option<&str>, required| Argument {
        name: name.to_owned(),
        kind,
        description: description.map(str::to_owned),
        required,
    };
    let scope = argument("scope", ArgumentType::String, None, true);
    let depth = argument("depth", ArgumentType::Integer, Some("How deep"), false);
    assert_eq!(head.arguments, Arguments::Declared(vec![scope, depth]));
    assert_eq!(head.activate, ["guard clear", "guard inline\nconst x = 1;"]);
    assert_eq!(head.deactivate, ["guard clear"]);
    assert_eq!(head.action.as_deref(), Some("Review {{ args.scope }}."));
    assert_eq!(head.tools, ["web_search"]);
    assert_eq!(head.manual_paths, ["docs/manuals"]);
    assert_eq!(
        head.reference_docs[1],
        ReferenceDoc {
            title: "More".to_owned(),
            file: "more.md".to_owned(),
            summary: Some("s".to_owned()),
            load_mode: LoadMode::OnDemand,
        }
    );
    let script = &head.scripts[0];
    assert_eq!((script.name.as_str(), script.target), ("count", ScriptTarget::Brain));
    assert!(script.params[0].required);
}

#[test]
fn triggers_are_read() {
    let part = "triggers:\n- type: keywords\n  keywords: [pull request, PR]\n  match: any\n- type: PATTERN\n  pattern: \\bdeploy\\b";
    assert_eq!(
        check_part(part, &[]).head.triggers,
        [
            Trigger::Keywords {
                keywords: vec!["pull request".to_owned(), "PR".to_owned()],
                matching: Match::Any,
                examples: vec![],
            },
            Trigger::Pattern {
                pattern: r"\bdeploy\b".to_owned(),
                engine: Engine::Linear,
                examples: vec![],
            },
        ]
    );
}

#[test]
fn triggers_of_the_wrong_shape_are_errors() {
    check_part("triggers: deploy", &["!invalid-trigger 5:11"]);
    check_part("triggers: [deploy]", &["!invalid-trigger 5:12"]);
    check_part("triggers:\n- keywords: [aa]", &["!invalid-trigger 6:3"]);
    check_part("triggers:\n- type: WORDS", &["!invalid-trigger 6:3"]);
    check_part("triggers:\n- type: KEYWORDS", &["!invalid-trigger 6:3"]);
    check_part("triggers:\n- type: PATTERN", &["!invalid-trigger 6:3"]);
    check_part("triggers:\n- {type: PATTERN, pattern: '(a'}", &["!invalid-pattern 6:28"]);
    check_part(
        "triggers:\n- {type: PATTERN, pattern: 'a{1000}{1000}'}",
        &["!invalid-pattern 6:28"],
    );
    let long = format!("triggers:\n- {{type: PATTERN, pattern: {}}}", "a".repeat(1001));
    check_part(&long, &["!invalid-pattern 6:28"]);
}

#[test]
fn triggers_that_do_little_are_warned_of() {
    let loaded =
        check_part("triggers:\n- {type: PATTERN, pattern: '(?=a)a'}", &["slow-pattern 6:28"]);
    assert!(matches!(
        loaded.head.triggers[..],
        [Trigger::Pattern { engine: Engine::Backtracking, .. }]
    ));
    check_part("triggers:\n- {type: KEYWORDS, keywords: [ab, '?']}", &["useless-keyword 6:30"]);
    check_part(
        "triggers:\n- {type: KEYWORDS, keywords: [x]}",
        &["useless-keyword 6:30", "idle-trigger 6:30"],
    );
    check_part(
        "triggers:\n- {type: KEYWORDS, keywords: 'ab, cd', match: most}",
        &["wrong-type 6:30", "unknown-value 6:47"],
    );
}

#[test]
fn arguments_are_checked() {
    assert_eq!(check_part("arguments: true", &[]).head.arguments, Arguments::Raw);
    assert_eq!(check_part("arguments: false", &[]).head.arguments, Arguments::None);
    let loose = check_part("arguments: yes", &["loose-boolean 5:12"]);
    assert_eq!(loose.head.arguments, Arguments::Raw);
    check_part("arguments: scope", &["!invalid-arguments 5:12"]);
    check_part("arguments: {name: a}", &["!invalid-arguments 5:12"]);
    check_part("arguments: [a]", &["!invalid-arguments 5:13"]);
    check_part("arguments: [{type: string}]", &["!invalid-arguments 5:13"]);
    check_part("arguments: [{name: a, type: file}]", &["!invalid-arguments 5:29"]);
    check_part("arguments: [{name: a}, {name: a}]", &["!duplicate-argument 5:24"]);
    check_part("arguments: [{name: text}]", &["!reserved-argument 5:13"]);
    check_part("arguments: [{name: words}]", &["!reserved-argument 5:13"]);
    check_part(
        "arguments: [{name: a}, {name: b, required: true}]",
        &["!required-after-optional 5:24"],
    );
    check_part("arguments: [{name: a, requird: true}]", &["unknown-key 5:23"]);
    check_part("arguments: [{name: a-b}]", &["invalid-arguments 5:13"]);
}

#[test]
fn files_stay_in_the_folder() {
    for path in ["/etc/passwd", "../x", "a/../../x", "C:\\x", "C:/x", "\\x", "~/x", "\"\"", "a/"] {
        let part = format!("referenceDocs:\n- {{title: a, file: {path}}}");
        check_part(&part, &["!file-outside-folder 6:20"]);
        let part = format!("scripts:\n- {{name: a, target: FOOT, file: {path}}}");
        check_part(&part, &["!file-outside-folder 6:33"]);
    }
    let loaded = check_part("referenceDocs:\n- {title: a, file: ./a/../b//c.md}", &[]);
    assert_eq!(loaded.head.reference_docs[0].file, "b/c.md");
    let text = with("referenceDocs:\n- {title: a, file: a.md}");
    let files = |path: &str| path == "b.md";
    let input = Input { path: "x", folder: "x", bytes: text.as_bytes(), files: Some(&files) };
    assert_eq!(super::problems(&load(input)), ["!file-not-found 6:20"]);
}

#[test]
fn scripts_and_documents_are_checked() {
    check_part("scripts: count.js", &["!invalid-script 5:10"]);
    check_part("scripts: [count.js]", &["!invalid-script 5:11"]);
    check_part("scripts: [{name: a, file: a.js}]", &["!invalid-script 5:11"]);
    check_part("scripts: [{name: a, file: a.js, target: MOON}]", &["!invalid-script 5:11"]);
    check_part("scripts: [{name: ä, file: a.js, target: FOOT}]", &["invalid-tool-name 5:11"]);
    check_part(
        "scripts: [{name: a, file: a.js, target: FOOT, params: 1}]",
        &["!invalid-arguments 5:55"],
    );
    check_part("referenceDocs: a.md", &["invalid-reference-doc 5:16"]);
    check_part("referenceDocs: [{file: a.md}]", &["invalid-reference-doc 5:17"]);
    check_part("referenceDocs: [{title: a, file: a.md, loadMode: LATER}]", &["unknown-value 5:50"]);
    check_part("tools: [web search, ok, '@label']", &["invalid-tool-name 5:8"]);
    check_part("manualPaths: [../x, /y, z]", &["unknown-value 5:14", "unknown-value 5:14"]);
}

#[test]
fn spawning_needs_what_a_worker_needs() {
    let spawn = "run: {target: spawn, recipe: r}\naction: go";
    check_part(spawn, &[]);
    check_part("run: {target: spawn}\naction: go", &["!invalid-run 5:1"]);
    check_part("run: {target: spawn, recipe: r}", &["!invalid-run 5:1"]);
    check_part("run: spawn", &["!invalid-run 5:1", "!invalid-run 5:1", "wrong-type 5:6"]);
    check_part(&format!("{spawn}\nlifecycle: shot"), &["!invalid-run 5:1"]);
    check_part(
        &format!("{spawn}\ntriggers: [{{type: KEYWORDS, keywords: [ab]}}]"),
        &["idle-trigger 5:1"],
    );
    check_part("run: {target: spawn, recipe: Code Read}\naction: go", &["unknown-value 5:1"]);
    check_part("run: {recipe: r}", &["ineffective-key 5:6"]);
    check_part("run: {target: moon, recipie: r}", &["unknown-value 5:6", "unknown-key 5:21"]);
    check_part("run: [spawn]", &["wrong-type 5:6"]);
}

#[test]
fn lifecycles_and_what_they_leave_idle() {
    assert_eq!(check_part("lifecycle: macro", &[]).head.lifecycle, Lifecycle::Shot);
    check_part("lifecycle: forever", &["unknown-value 5:12"]);
    check_part(
        "lifecycle: shot\ntools: [a]\ndeactivate: [b]",
        &["ineffective-key 6:1", "ineffective-key 7:1"],
    );
    let trigger = "triggers: [{type: KEYWORDS, keywords: [ab]}]";
    check_part(&format!("lifecycle: shot\n{trigger}"), &["idle-trigger 6:1"]);
    check_part(&format!("lifecycle: shot\n{trigger}\nactivate: [a]"), &[]);
    let part = "activate: guard clear\ndeactivate: ['//', 'skill x', ok]";
    let loaded =
        check_part(part, &["wrong-type 5:11", "invalid-command 6:13", "invalid-command 6:13"]);
    assert_eq!(loaded.head.activate, ["guard clear"]);
    assert_eq!(loaded.head.deactivate, ["ok"]);
}

#[test]
fn templates_are_checked_where_they_are_templates() {
    let broken = "a\nb {% if %}\n";
    let head = |more: &str| format!("---\nname: x\ndescription: d\n{more}---\n{broken}");
    check(&head(""), &[]);
    let loaded = load_text(&head("template: true\n"));
    let error = &loaded.diagnostics[0];
    assert_eq!((error.code.as_str(), error.line), ("invalid-template", 7), "{error}");
    let native = "title: X\nversion: 1.0.0\n";
    assert!(!load_text(&head(native)).is_valid());
    check(&head(&format!("{native}template: false\n")), &[]);
    check("---\nname: x\ndescription: d\n---\n\n{{ args.text }}", &["template-lint 6:1"]);
    let index = "{% for x in y %}{{ loop.index }}{% endfor %}";
    check(
        &format!("---\ntitle: X\ndescription: d\nversion: 1.0.0\n---\n{index}"),
        &["template-lint 6:20"],
    );
    check_part("action: 'a {% if %}'", &["!invalid-template 5:9"]);
    check_part("action: 'a {% if %}'\ntemplate: false", &[]);
}

#[test]
fn dialects_are_told_apart() {
    let dialect =
        |keys: &str| load_text(&format!("---\ndescription: d\n{keys}\n---\n")).head.dialect;
    for native in
        ["title: X", "tools: []", "name: x\narguments: true", "version: 1.0.0", "tags: [a]"]
    {
        assert_eq!(dialect(native), Dialect::Native, "{native}");
    }
    for portable in ["name: x", "name: x\nversion: 1.0.0\ntags: [a]", "license: MIT", "model: y"] {
        assert_eq!(dialect(portable), Dialect::Portable, "{portable}");
    }
}

#[test]
fn native_heads_want_a_title_and_a_version() {
    let loaded = check(
        "---\ndescription: d\ntools: []\n---\n",
        &["missing-title 1:1", "missing-version 1:1"],
    );
    assert_eq!((loaded.head.title.as_str(), loaded.head.version.as_str()), ("X", "0.0.0"));
    let loaded =
        check("---\ntitle: X\ndescription: d\nversion: 1.10\n---\n", &["invalid-version 4:10"]);
    assert_eq!(loaded.head.version, "1.10");
}
