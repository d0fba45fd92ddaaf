//! Hostile templates end quickly, with an error or a small text, on an ordinary stack.

use super::render;
use crate::template::{Context, Error, OUTPUT_BYTES_MAX, SOURCE_BYTES_MAX, Template};

/// Ends: compiled or refused, rendered or stopped, and never a text beyond the limit.
#[track_caller]
fn ends(source: &str) -> Result<String, Option<Error>> {
    let Ok(template) = Template::compile(source) else { return Err(None) };
    let result = template.render_in(&Context::new(&super::variables()));
    if let Ok(text) = &result {
        assert!(text.len() <= OUTPUT_BYTES_MAX);
    }
    result.map_err(Some)
}

#[track_caller]
fn stopped(source: &str) {
    let result = ends(source);
    assert!(
        result.is_err(),
        "{}: rendered {} bytes",
        &source[..source.len().min(80)],
        result.map_or(0, |text| text.len())
    );
}

#[test]
fn endless_work_runs_out_of_fuel() {
    stopped("{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}");
    stopped("{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}");
    stopped("{% for a in 1..1000000000 %}{% endfor %}");
    stopped("{{ range(9223372036854775807) }}");
    stopped("{{ range(0-9223372036854775807, 9223372036854775807, 1) }}");
    stopped("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}");
    stopped("{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}");
    stopped("{% block a %}{{ self.a() }}{% endblock %}");
    stopped("{% for a in [1] recursive %}{{ loop([1]) }}{% endfor %}");
}

#[test]
fn huge_texts_are_not_built() {
    stopped("{{ 'x' * 100000000 }}");
    stopped("{{ words|batch(1000000000, 'x') }}");
    stopped("{{ [0] * 100000000 }}");
    stopped("{{ 'ab'|replace('', 'x' * 60000)|replace('x', 'y' * 60000) }}");
    stopped("{{ ('\n' * 60000)|yamlIndent(64) }}");
    stopped("{{ ('\n' * 60000)|indent(1000000) }}");
    stopped("{{ '%1000000000d'|format(1) }}");
    stopped("{% set a = 'x' * 60000 %}{% for i in range(40) %}{{ a }}{% endfor %}");
    stopped(&format!("{{% set a = 'xxxxxxxx' %}}{}{{{{ a }}}}", "{% set a = a ~ a %}".repeat(40)));
    stopped(&format!("{{% set a = [1] %}}{}{{{{ a }}}}", "{% set a = [a, a] %}".repeat(40)));
    stopped(&format!("{{% set a = [1] %}}{}{{{{ a|json }}}}", "{% set a = [a, a] %}".repeat(30)));
    stopped("{{ 10 ** 1000000000 }}");
    stopped(&"x".repeat(OUTPUT_BYTES_MAX + 1));
    stopped(&"x".repeat(SOURCE_BYTES_MAX + 1));
}

#[test]
fn regular_expressions_are_bounded() {
    stopped("{{ tier is matching('(((a{1,100}){1,100}){1,100})') }}");
    stopped("{% for i in range(9999) %}{{ ('a' * 3000) is matching('(a*)*b') }}{% endfor %}");
    stopped(
        "{% set p = '(a{50}){50}' %}{% for i in range(9999) %}{{ tier is matching(p) }}{% endfor %}",
    );
    stopped(&(0..40).map(|n| format!("{{{{ tier matches '{n}' }}}}")).collect::<String>());
    stopped("{% for i in 1..9999 %}{{ tier is matching('\\w{99}' ~ i) }}{% endfor %}");
    assert_eq!(ends("{{ ('a' * 3000) is matching('(a+)+b') }}").as_deref(), Ok("false"));
}

#[test]
fn nesting_does_not_reach_the_stack() {
    let nested = |open: &str, inner: &str, close: &str, depth| {
        format!("{{{{ {}{inner}{} }}}}", open.repeat(depth), close.repeat(depth))
    };
    for depth in [60, 120, 499, 1000, 100_000] {
        ends(&nested("(", "1", ")", depth)).ok();
        ends(&nested("[", "1", "]", depth)).ok();
        ends(&nested("{'a':", "1", "}", depth)).ok();
        ends(&nested("not ", "1", "", depth)).ok();
        ends(&nested("-", "1", "", depth)).ok();
        ends(&nested("1 ? 1 : ", "1", "", depth)).ok();
        ends(&nested("1 ?? ", "1", "", depth)).ok();
        ends(&nested("1 contains ", "1", "", depth)).ok();
        ends(&nested("1 if 1 else ", "1", "", depth)).ok();
        ends(&nested("1 ** ", "1", "", depth)).ok();
        ends(&nested("", "1", "|default(1)", depth)).ok();
        ends(&nested("", "tier", ".a", depth)).ok();
        ends(&nested("", "tier", "[0]", depth)).ok();
        ends(&nested("1 + ", "1", "", depth)).ok();
        ends(&format!("{}x{}", "{% if yes %}".repeat(depth), "{% endif %}".repeat(depth))).ok();
        ends(&format!("{}x{}", "{% for a in words %}".repeat(depth), "{% endfor %}".repeat(depth)))
            .ok();
        ends(&format!("{{% if a %}}{}{{% endif %}}", "{% elseif b %}".repeat(depth))).ok();
        ends(&"{% if a %}{% elseif b %}".repeat(depth)).ok();
        ends(&format!("{{{{ \"{}\" }}}}", "#{tier}".repeat(depth))).ok();
    }
}

/// What may be done with a value that is nested as deeply as a template can make it.
const USES: [&str; 14] = [
    "{{ a }}",
    "{{ a|json }}",
    "{{ a == a }}",
    "{% set b = [a] %}{{ a == b }}",
    "{{ a|string }}",
    "{{ a ~ '' }}",
    "{{ [a, a]|sort|length }}",
    "{{ {a: 1}|length }}",
    "{{ a|join(',') }}",
    "{{ a in [a] }}",
    "{{ [a, a]|unique|length }}",
    "{{ a|upper }}",
    "{{ (a + a)|string }}",
    "{{ a < [a] }}",
];

#[test]
fn deep_values_stay_within_the_stack() {
    let refused = "{% set a = [1] %}".to_owned() + &"{% set a = [a] %}".repeat(12_000);
    stopped(&refused);
    for used in USES {
        ends(&format!("{{% set a = [1] %}}{}{used}", "{% set a = [a] %}".repeat(190))).ok();
        let macros = format!(
            "{{% macro m(a, n) %}}{}{{% if n > 0 %}}{{{{ m(a, n - 1) }}}}{{% else %}}{used}{{% endif %}}{{% endmacro %}}",
            "{% set a = [a] %}".repeat(30)
        );
        for rounds in 15..27 {
            ends(&format!("{macros}{{{{ m(1, {rounds}) }}}}")).ok();
        }
    }
}

#[test]
fn nothing_outside_can_be_reached() {
    stopped("{{ tier.__class__.__mro__() }}");
    stopped("{% include '/etc/passwd' %}");
    stopped("{% import 'x' as y %}");
    stopped("{{ debug() }}");
    stopped("{{ env('HOME') }}");
    assert_eq!(render("{{ self }}{{ config }}{{ _context }}").as_deref(), Ok(""));
}
