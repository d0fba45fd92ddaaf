//! Reading recipes.

use proptest::prelude::*;
use serde_json::json;

use super::{loaded, recipe};
use crate::recipe::{
    GuardScript, GuardTrigger, OnDisconnect, PromptMode, RECIPE_BYTES_MAX, Recipe,
};

/// The problems of a recipe of the two required keys and `more`, as `line:column code`.
#[track_caller]
fn problems(more: &str, expected: &[&str]) {
    whole(&format!("description: d\nengine: ford\n{more}"), expected);
}

#[track_caller]
fn whole(text: &str, expected: &[&str]) {
    let loaded = loaded(text);
    let found: Vec<String> =
        loaded.diagnostics.iter().map(|d| format!("{}:{} {}", d.line, d.column, d.code)).collect();
    assert_eq!(found, expected, "{text}\n{:#?}", loaded.diagnostics);
    let has_errors = loaded.diagnostics.iter().any(crate::diagnostic::Diagnostic::is_error);
    assert_eq!(loaded.recipe.is_none(), has_errors);
}

#[test]
fn two_keys_are_enough() {
    let recipe = recipe("");
    assert_eq!((recipe.description.as_str(), recipe.engine.as_str()), ("d", "ford"));
    assert_eq!(recipe.prompt_mode, PromptMode::Append);
    assert_eq!(recipe.allowed_skills, None);
}

#[test]
fn every_field_is_read() {
    let recipe = recipe(
        "title: T
params: { maxIterations: 3, deep: { list: [1, 2.5, yes, 'true', ~] } }
promptPrefix: |
  {% if tier == 'small' %}s{% endif %}
promptMode: overwrite
dataRelayCorrection: 'got %d, gave %d'
allowedToolsAdd: [a, '@read-only']
allowedToolsRemove: [b]
allowedToolsDefer: [c]
allowedToolsKeep: ['doc_*']
allowedToolsDropFirst: [d]
modes:
  planning: { allowedToolsRemove: [w] }
  default:
profiles:
  foot:
    allowedToolsAdd: [x]
    promptPrefixAppend: '{{ model }}'
    params: { maxIterations: 5 }
    session: { onDisconnect: suspend, idleTimeoutMs: 1000 }
  default: ~
defaultActiveSkills: [code-review]
allowedSkills: [Code-Review, decision-frame]
triggers: { keywords: [Review, ' review ', Audit] }
locked: true
internal: true
listed: true
tags: [t]
_anchors: [kept, for, aliases]
guard:
  - script: _vance/guards/x.js
    params: { judge: j }
    trigger: both
    maxRounds: 0
    allowTools: true
  - scriptBody: 'pass()'
",
    );
    assert_eq!(recipe.title.as_deref(), Some("T"));
    assert_eq!(
        json!(recipe.params),
        json!({ "maxIterations": 3, "deep": { "list": [1, 2.5, "yes", "true", null] } })
    );
    assert_eq!(recipe.prompt_prefix.as_deref(), Some("{% if tier == 'small' %}s{% endif %}\n"));
    assert_eq!(recipe.prompt_mode, PromptMode::Overwrite);
    assert_eq!(recipe.tools.add, ["a", "@read-only"]);
    assert_eq!(recipe.tools.keep, ["doc_*"]);
    assert_eq!(recipe.modes["PLANNING"].remove, ["w"]);
    assert!(recipe.modes.contains_key("default"));
    assert_eq!(recipe.profiles["foot"].session.unwrap().on_disconnect, Some(OnDisconnect::Suspend));
    assert_eq!(recipe.allowed_skills.as_ref().unwrap()[0].as_str(), "code-review");
    assert_eq!(recipe.trigger_keywords, ["review", "audit"]);
    assert!(recipe.locked && recipe.internal && recipe.listed);
    assert_eq!((recipe.guards[0].trigger, recipe.guards[0].max_rounds), (GuardTrigger::Both, 0));
    assert_eq!(recipe.guards[1].script, GuardScript::ScriptBody("pass()".to_owned()));
    assert_eq!((recipe.guards[1].trigger, recipe.guards[1].max_rounds), (GuardTrigger::Stop, 2));
    let stored = serde_json::to_string(&recipe).unwrap();
    assert_eq!(serde_json::from_str::<Recipe>(&stored).unwrap(), recipe);
}

#[test]
fn an_empty_whitelist_is_not_a_missing_one() {
    assert_eq!(recipe("allowedSkills: []").allowed_skills, Some(Vec::new()));
    assert_eq!(recipe("allowedSkills:").allowed_skills, None);
}

#[test]
fn what_is_missing_or_broken_is_said_with_its_place() {
    whole("", &["1:1 head-not-a-map"]);
    whole("- a", &["1:1 head-not-a-map"]);
    whole("title: x", &["1:1 missing-description", "1:1 missing-engine"]);
    whole("description: ' '\nengine:", &["1:14 missing-description", "2:7 missing-engine"]);
    whole("a: [", &["1:5 invalid-yaml"]);
    whole("description: d\nengine: e\nengine: f", &["3:1 duplicate-key"]);
    whole(&" ".repeat(RECIPE_BYTES_MAX + 1), &["1:1 file-too-large"]);
    assert_eq!(
        super::load(super::Input { path: "p", stem: "x", bytes: b"a: \xff" }).diagnostics[0].column,
        4
    );
    assert!(super::load(super::Input { path: "p", stem: "../x", bytes: b"" }).recipe.is_none());
}

#[test]
fn wrong_types_are_errors() {
    problems("params: [1]", &["3:9 wrong-type"]);
    problems("tags: a", &["3:7 wrong-type"]);
    problems("allowedToolsAdd: [a, '', {b: c}]", &["3:22 wrong-type", "3:26 wrong-type"]);
    problems("locked: yes", &["3:9 wrong-type"]);
    problems("locked: 'true'", &["3:9 wrong-type"]);
    problems("promptMode: prepend", &["3:13 unknown-value"]);
    problems("title: [a]", &["3:8 wrong-type"]);
    problems("profiles: { foot: [] }", &["3:19 wrong-type"]);
    problems(
        "profiles:\n  foot:\n    session: { onIdle: maybe, idleTimeoutMs: -1 }",
        &["5:24 unknown-value", "5:46 wrong-type"],
    );
    problems("triggers: [a]", &["3:11 wrong-type"]);
}

#[test]
fn misplaced_fields_among_parameters_are_errors() {
    problems("params:\n  model: m\n  promptPrefix: lost", &["5:3 misplaced-key"]);
    problems("profiles:\n  foot:\n    params: { locked: true }", &["5:15 misplaced-key"]);
    problems("params: { guard: 1 }", &["3:11 misplaced-key"]);
}

#[test]
fn unknown_keys_are_warned_of_with_a_guess() {
    problems("promptprefix: x", &["3:1 unknown-key"]);
    problems("profiles: { foot: { promptPrefix: x } }", &["3:21 unknown-key"]);
    assert!(
        loaded("description: d\nengine: e\nallowedToolAdd: [x]").diagnostics[0]
            .message
            .contains("`allowedToolsAdd`")
    );
}

#[test]
fn prompts_are_compiled_and_their_errors_placed_in_the_document() {
    problems("promptPrefix: |\n  a\n  ä {{ x | nofilter }}\n", &["5:12 invalid-template"]);
    problems("profiles:\n  foot:\n    promptPrefixAppend: '{{ x'\n", &["5:26 invalid-template"]);
    problems("promptPrefix: \"a\\n{% if\"", &["3:15 invalid-template"]);
    problems(
        "promptPrefix: |\n  {% for w in params.w %}\n  {{ loop.index }}\n  {% endfor %}",
        &["5:6 template-lint"],
    );
}

#[test]
fn default_skills_have_to_be_allowed() {
    problems("defaultActiveSkills: [a, b]\nallowedSkills: [a]", &["3:26 skill-not-allowed"]);
    problems("defaultActiveSkills: [a]\nallowedSkills: []", &["3:23 skill-not-allowed"]);
    problems("defaultActiveSkills: [a b]", &["3:23 invalid-name"]);
}

#[test]
fn guards_name_one_script() {
    problems("guard: [{ params: {} }]", &["3:9 invalid-guard"]);
    problems("guard: [{ script: a, scriptBody: b }]", &["3:9 invalid-guard"]);
    problems("guard: [{ script: a, maxRounds: -1 }]", &["3:33 wrong-type"]);
    problems("guard: [{ script: a, maxRounds: 1000 }]", &["3:33 invalid-guard"]);
    problems("guard: [{ script: a, trigger: never }]", &["3:31 unknown-value"]);
    problems("guard: { script: a }", &["3:8 wrong-type"]);
}

#[test]
fn names_come_from_the_file() {
    let named = |stem| {
        let text = "description: d\nengine: e";
        super::load(super::Input { path: "p", stem, bytes: text.as_bytes() })
            .recipe
            .map(|r| r.name.to_string())
    };
    assert_eq!(named(" Code  Read ").as_deref(), Some("code-read"));
    assert_eq!(named("_user/mine").as_deref(), Some("_user/mine"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_has_an_answer(text in "([a-z]{1,3}|params|guard|profiles|modes|promptPrefix|[:\\-\\[\\]{}|>&*'\"#%~, \n]|  ){0,60}") {
        let loaded = loaded(&text);
        prop_assert!(loaded.recipe.is_some() || !loaded.diagnostics.is_empty());
    }

    #[test]
    fn any_bytes_have_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let loaded = super::load(super::Input { path: "p", stem: "r", bytes: &bytes });
        prop_assert!(loaded.recipe.is_some() || !loaded.diagnostics.is_empty());
    }
}
