//! The exact text, and who sees what.

use serde_json::{Map, Value, json};

use super::{ActiveSkillView, ArgsView, Body, Section, compose, turn_prompt};
use crate::template::{Cache, Template};

fn variables() -> Map<String, Value> {
    match json!({ "tier": "small", "mode": "NORMAL", "params": { "depth": 2 } }) {
        Value::Object(map) => map,
        _ => unreachable!(),
    }
}

fn skill<'a>(name: &'a str, body: Body<'a>) -> ActiveSkillView<'a> {
    ActiveSkillView {
        name,
        description: "",
        body,
        args: None,
        inline_docs: Vec::new(),
        on_demand: Vec::new(),
    }
}

#[track_caller]
fn text(section: Section) -> String {
    assert_eq!(section.dropped, []);
    section.text.expect("a section")
}

/// The part behind the heading, for tests of one body.
#[track_caller]
fn body_of(skill: ActiveSkillView) -> String {
    let text = text(compose(&[skill], &variables()));
    text.split_once(" ---\n\n").expect("a body").1.to_owned()
}

#[test]
fn a_full_section_has_the_agreed_shape() {
    let review = ActiveSkillView {
        description: " Use when asked to review {{ tier }}. \n",
        args: Some(ArgsView::raw("the auth module")),
        inline_docs: vec![
            ("Review Checklist", "\n- {{ not rendered }}\n- {% nor this %}\n\n"),
            ("Second", "text"),
        ],
        on_demand: vec![
            ("Common Patterns", Some("what to look for")),
            ("Bare", None),
            ("Blank", Some(" ")),
        ],
        ..skill(
            "code-review",
            Body::Source(
                "\n# Method\n{% if tier == \"small\" %}\nBe brief.\n{% endif %}\nScope: {{ args.text }}\n",
            ),
        )
    };
    let portable = ActiveSkillView {
        description: "Writes workflows.",
        ..skill("workflows", Body::Text("\n    run: ${{ github.ref }}\n\n{% if x %}\n"))
    };
    let bare = skill("bare", Body::Text(" \n"));
    let text = text(compose(&[review, portable, bare], &variables()));
    assert_eq!(text.trim(), text);
    insta::assert_snapshot!(text, @r"
    ## Active Skills
    These skills are active. Follow their instructions below, and use the tools and references they name.

    --- Skill: code-review ---
    Use when asked to review {{ tier }}.

    # Method
    Be brief.
    Scope: the auth module

    --- Reference Doc: Review Checklist ---
    - {{ not rendered }}
    - {% nor this %}

    --- Reference Doc: Second ---
    text

    On-demand references — load via `manual_read`:
    - Common Patterns — what to look for
    - Bare
    - Blank

    --- Skill: workflows ---
    Writes workflows.

        run: ${{ github.ref }}

    {% if x %}

    --- Skill: bare ---
    ");
}

#[test]
fn no_skill_and_no_survivor_make_no_section() {
    assert_eq!(compose(&[], &variables()), Section { text: None, dropped: Vec::new() });
    let section = compose(&[skill("broken", Body::Source("{% if %}"))], &variables());
    assert_eq!(section.text, None);
    assert_eq!(section.dropped[0].name, "broken");
}

#[test]
fn a_broken_skill_is_dropped_whole_and_the_others_stay() {
    let broken = |name, source| ActiveSkillView {
        inline_docs: vec![("Lost", "lost")],
        ..skill(name, Body::Source(source))
    };
    let skills = [
        skill("first", Body::Source("one")),
        broken("syntax", "a\n{% if %}"),
        broken("render", "a\n\n{{ 1 / 0 }}"),
        skill("last", Body::Text("two")),
    ];
    let section = compose(&skills, &variables());
    let text = section.text.unwrap();
    assert!(text.contains("one") && text.contains("two") && !text.contains("Lost"), "{text}");
    let reasons: Vec<_> = section
        .dropped
        .iter()
        .map(|dropped| format!("{}: {}", dropped.name, dropped.reason))
        .collect();
    assert_eq!(reasons.len(), 2);
    assert!(
        reasons[0].starts_with("syntax: its body is not a valid template")
            && reasons[0].contains("line 2"),
        "{reasons:?}"
    );
    assert!(
        reasons[1].starts_with("render: its body could not be rendered")
            && reasons[1].contains("line 3"),
        "{reasons:?}"
    );
}

#[test]
fn skills_see_their_own_arguments_only() {
    let body = Body::Source(
        "[{{ args.text }}|{{ args.words|join('+') }}|{{ args.scope }}|{{ args is defined }}]",
    );
    let mut named = ArgsView::raw("a  b");
    named.named.insert("scope".to_owned(), json!(7));
    let first = ActiveSkillView { args: Some(named), ..skill("one", body) };
    let empty = ActiveSkillView { args: Some(ArgsView::raw("")), ..skill("two", body) };
    let mut variables = variables();
    variables.insert("args".to_owned(), json!({ "text": "leaked" }));
    let text = text(compose(&[first, empty, skill("three", body)], &variables));
    assert!(text.contains("[a  b|a+b|7|true]"), "{text}");
    assert!(text.contains("[|||true]"), "{text}");
    assert!(text.contains("[|||false]"), "{text}");
}

#[test]
fn arguments_are_data() {
    let hostile = "{{ 7 * 7 }} $ARGUMENTS {% if x %}";
    let template = ActiveSkillView {
        args: Some(ArgsView::raw(hostile)),
        ..skill("t", Body::Source("<{{ args.text }}>"))
    };
    assert_eq!(body_of(template), format!("<{hostile}>"));
    let portable = ActiveSkillView {
        args: Some(ArgsView::raw(hostile)),
        ..skill("p", Body::Text("Do: $ARGUMENTS, ($ARGUMENTS) not $ARGUMENTS_FILE {{ x }}"))
    };
    assert_eq!(
        body_of(portable),
        format!("Do: {hostile}, ({hostile}) not $ARGUMENTS_FILE {{{{ x }}}}")
    );
}

#[test]
fn a_portable_body_without_arguments_keeps_its_placeholder() {
    assert_eq!(body_of(skill("p", Body::Text("Do $ARGUMENTS."))), "Do $ARGUMENTS.");
    assert!(
        super::has_placeholder("a $ARGUMENTS") && !super::has_placeholder("$ARGUMENTSX $ARGUMENT")
    );
}

#[test]
fn a_portable_body_is_kept_byte_for_byte_between_its_edges() {
    let body = "    code\r\n\r\n\ttabs  \n${{ x }}{# y #}{{ z }}";
    assert_eq!(body_of(skill("p", Body::Text(&format!("\r\n \n{body} \n\n")))), body);
}

#[test]
fn compiled_and_source_bodies_compose_alike() {
    let source = "Tier {{ tier }}";
    let cache = Cache::new(100_000);
    let template = cache.get_or_compile(&("doc", 1), source).unwrap();
    let compiled = compose(&[skill("s", Body::Compiled(&template))], &variables());
    assert_eq!(compiled, compose(&[skill("s", Body::new(source, true))], &variables()));
    assert_eq!(Template::compile(source).unwrap().render(&variables()).unwrap(), "Tier small");
}

#[test]
fn a_cache_stays_within_its_bytes_and_remembers_failures() {
    let cache = Cache::new(10_000);
    for key in 0..100 {
        assert!(cache.get_or_compile(&key, "{{ x }}").is_ok());
        assert!(cache.len() <= 4);
    }
    assert!(cache.get_or_compile(&1000, "{{ x").is_err());
    assert!(cache.get_or_compile(&1000, "the key decides").is_err());
    assert!(cache.get_or_compile(&2000, &"x".repeat(20_000)).is_ok());
    assert!(!cache.is_empty());
}

#[test]
fn a_turn_prompt_that_fails_or_is_blank_is_not_sent() {
    let prompt =
        |source| turn_prompt(Body::Source(source), Some(&ArgsView::raw("x")), &variables());
    assert_eq!(prompt(" \nReview {{ args.text }} now.\n"), Ok(Some("Review x now.".to_owned())));
    assert_eq!(prompt("{% if false %}x{% endif %}\n"), Ok(None));
    assert!(prompt("{{ broken").is_err());
}
