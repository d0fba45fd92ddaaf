//! Both dialects, one rendering.

use super::check;
use crate::template::{Template, lints};

#[test]
fn conditions_of_both_dialects_choose_the_same_branch() {
    check(r#"{% if tier == "large" %}L{% elseif tier == "small" %}S{% else %}?{% endif %}"#, "S");
    check(r#"{% if tier == "large" %}L{% elif tier == "small" %}S{% else %}?{% endif %}"#, "S");
    check(r#"{% if tier equals "small" and not yes equals false %}S{% endif %}"#, "S");
    check(r#"{{ tier == "small" ? "S" : "L" }}"#, "S");
    check(r#"{{ missing ? 1 : yes ? 2 : 3 }}"#, "2");
    check(r#"{{ ["a", yes ? "b" : "c"]|join("-") }}"#, "a-b");
    check(r#"{{ {"k": yes ? 1 : 2}["k"] }}"#, "1");
    check(r#"{{ "S" if tier == "small" else "L" }}"#, "S");
}

#[test]
fn null_and_undefined_print_nothing_and_booleans_are_lower_case() {
    check("[{{ nothing }}{{ null }}{{ missing }}{{ missing.deep.er }}]", "[]");
    check("{{ yes }} {{ not yes }} {{ 1.5 }} {{ count }}", "true false 1.5 3");
    check("{{ nothing is null }} {{ missing is null }} {{ yes is not null }}", "true true true");
}

#[test]
fn empty_covers_null_blank_texts_and_empty_lists() {
    check(
        "{{ blank is empty }} {{ none_of_it is empty }} {{ missing is empty }} {{ nothing is empty }}",
        "true true true true",
    );
    check("{{ tier is not empty }} {{ count is empty }} {{ words is empty }}", "true false false");
    check(
        "{{ blank|default('d') }} {{ nothing|default('d') }} {{ none_of_it|default('d') }} {{ tier|default('d') }}",
        "d d d small",
    );
}

#[test]
fn matching_is_a_full_match_and_null_never_matches() {
    check(
        r#"{{ tier is matching("sm.*") }} {{ tier is matching("sm") }} {{ missing is matching(".*") }}"#,
        "true false false",
    );
    check(r#"{{ tier matches "s\w+l" }} {{ tier is not matching("x") }}"#, "true true");
    check(r#"{{ "a b" is matching("\ba\b.*") }} {{ "a.b" is matching('a\\.b') }}"#, "true true");
    check(r#"{% set p = "s.*" %}{{ tier is matching(p) }}"#, "true");
}

#[test]
fn contains_looks_into_texts_lists_and_maps() {
    check(
        r#"{{ tier contains "mal" }} {{ words contains "the" }} {{ params contains "depth" }}"#,
        "true true true",
    );
    check(
        r#"{{ words contains ["fix", "the"] }} {{ words contains ["fix", "x"] }} {{ missing contains "x" }}"#,
        "true false false",
    );
    check(r#"{{ not words contains "x" }} {{ tier ~ "er" contains "ller" and yes }}"#, "true true");
    check(r#"{{ words is containing("fix") }}"#, "true");
}

#[test]
fn coalescing_takes_the_first_that_is_not_null() {
    check(
        r#"{{ missing ?? nothing ?? tier }} {{ params.x ?? "d" }} {{ blank ?? "d" }}|"#,
        "small d   |",
    );
    check(r#"{{ missing ?? words[0]|upper }}"#, "FIX");
}

#[test]
fn texts_interpolate() {
    check(
        r##"{{ "tier #{tier}, #{count + 1}!" }} {{ 'not #{here}' }}"##,
        "tier small, 4! not #{here}",
    );
}

#[test]
fn ranges_include_their_end() {
    check("{% for i in 1..3 %}{{ i }}{% endfor %}", "123");
    check("{% for i in range(1, 3) %}{{ i }}{% endfor %}", "123");
    check("{% for i in range(6, 1, -2) %}{{ i }}{% endfor %}", "642");
    check("{% for i in range(3) %}{{ i }}{% endfor %}", "012");
    check("{% for i in 1..params.depth %}{{ i }}{% endfor %}", "12");
}

#[test]
fn filters_of_the_dialect() {
    check("{{ params.label|slug }} {{ nothing|slug }}|", "ber-gr-e |");
    check(
        "{{ code|yamlIndent(4) }}|{{ code|yamlIndent }}|{{ code|yamlIndent(-1) }}",
        "a\n    b|a\n  b|a\nb",
    );
    check("{{ 'abcdefgh'|abbreviate(6) }} {{ 'abc'|abbreviate(6) }}", "abc... abc");
    check("{{ 'abcdef'|slice(1, 3) }} {{ words|slice(1)|join(',') }}", "bc the,parser");
    check(r#"{{ 'a-b'|replace({"a": "x", "b": "y"}) }} {{ 'aa'|replace('a', 'b') }}"#, "x-y bb");
    check(
        "{{ tier|raw }} {{ words|length }} {{ words|first }} {{ words|join(' ') }}",
        "small 3 fix fix the parser",
    );
    check(
        r#"{{ params|json }} {{ words }}"#,
        r#"{"depth": 2, "label": "Über Größe"} ["fix", "the", "parser"]"#,
    );
}

#[test]
fn loops_and_macros_work() {
    check(
        "{% for w in words %}{{ w }}{% if not loop.last %}, {% endif %}{% endfor %}",
        "fix, the, parser",
    );
    check("{% for w in none_of_it %}x{% else %}none{% endfor %}", "none");
    check("{% for k, v in params|items %}{{ k }};{% endfor %}", "depth;label;");
    check("{% macro m(a, b='B') %}{{ a }}{{ b }}{% endmacro %}{{ m('A') }}", "AB");
    check("{% set x = yes ? 'a' : 'b' %}{{ x }}", "a");
    check("{% for w in words if w contains 'e' %}{{ w }} {% endfor %}", "the parser ");
}

#[test]
fn verbatim_and_raw_keep_their_text() {
    check("{% verbatim %}{{ a }} {% if %}{% endverbatim %}", "{{ a }} {% if %}");
    check("{% raw %}{{ a }}{% endraw %}", "{{ a }}");
    check("{% verbatim %}{% raw %}x{% endraw %}{% endverbatim %}", "{% raw %}x{% endraw %}");
    check("{% verbatim %}{{ \"q\\\" }}{% endraw %}{% endverbatim %}", "{{ \"q\\\" }}{% endraw %}");
    check("a\n{%- raw -%}\n {{ x }} \n{%- endraw -%}\n b", "a{{ x }}b");
    check("{% verbatim %}{{% endverbatim %}{% raw %}{ x }}{% endraw %}", "{{ x }}");
}

#[test]
fn lines_of_tags_alone_leave_nothing_and_other_text_is_untouched() {
    check("a\n{% if yes %}\nb\n{% endif %}\nc\n", "a\nb\nc\n");
    check("a\n  {% if yes %}  \n  b\n  {% endif %}\nc", "a\n  b\nc");
    check("a\r\n{% if yes %}\r\nb\r\n{% endif %}\r\nc\r\n", "a\r\nb\r\nc\r\n");
    check("x {% if yes %}y{% endif %}\nz", "x y\nz");
    check("title: {{ tier }}\nnext", "title: small\nnext");
    check("{{ tier }}\n{{ count }}\n", "small\n3\n");
    check("a\n{# note #}\nb", "a\nb");
    check("a\n{% set x = 1 %} {% set y = 2 %}\n{{ x + y }}", "a\n3");
    check("a\n  {%+ if yes %}\nb{% endif %}", "a\n  b");
    check("a\n{% if yes +%}\nb{% endif %}", "a\n\nb");
    check("{% if\n  yes\n%}\nb\n{% endif %}", "b\n");
    check("a\n{% verbatim %}\n{{ x }}\n{% endverbatim %}\nb", "a\n{{ x }}\nb");
    check("{% if yes %}\n\nb\n{% endif %}", "\nb\n");
    check("{% for w in words %}\n- {{ w }}\n{% endfor %}\n", "- fix\n- the\n- parser\n");
}

#[test]
fn values_are_data() {
    check("{{ markup }}", "{{ 7 * 7 }} {% if x %}");
    check(
        "{% set m = markup %}{{ m|raw }}{{ m ~ '' }}",
        "{{ 7 * 7 }} {% if x %}{{ 7 * 7 }} {% if x %}",
    );
    check("{{ '<b>' }}", "<b>");
}

#[test]
fn text_without_tags_is_its_own_rendering() {
    for text in ["", "a { b } } %} }} #}\n", "ä\r\n\r\n", "${ x } %{y}"] {
        assert_eq!(Template::compile(text).unwrap().render(&()).as_deref(), Ok(text));
    }
}

#[test]
fn loop_index_is_linted_with_its_place() {
    let found = lints("a\n{% for w in words %}{{ loop.index }}{{ loop.index0 }}{% endfor %}");
    let places: Vec<_> = found.iter().map(|lint| (lint.line, lint.column)).collect();
    assert_eq!(places, [(2, 24)]);
    assert!(lints("{{ loop.last }} {% raw %}{{ loop.index }}{% endraw %}").is_empty());
}
