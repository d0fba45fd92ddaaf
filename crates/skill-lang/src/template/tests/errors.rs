//! Errors name the place in the text the author wrote.

use super::render;
use crate::template::{Error, check};

#[track_caller]
fn refused(source: &str, line: usize, column: usize, message: &str) {
    let error = check(source).expect_err(source);
    assert_eq!((error.line, error.column), (line, column), "{source}: {error}");
    assert!(error.message.contains(message), "{source}: {error}");
}

#[test]
fn broken_tags_are_refused_where_they_begin() {
    refused("a\n b {{ tier", 2, 4, "never closed");
    refused("a {% if x", 1, 3, "never closed");
    refused("a\n{# b", 2, 1, "`#}` is missing");
    refused("{% verbatim %} x", 1, 1, "{% endverbatim %}");
    refused("{{ }}", 1, 1, "nothing between");
    refused("{{ (a }}", 1, 4, "`(` is never closed");
    refused("{{ a) }}", 1, 5, "closes nothing");
    refused("{{ 'abc }}", 1, 4, "never closed");
    refused("{{ a § b }}", 1, 6, "no meaning");
    refused("{% 5 %}", 1, 1, "does not begin with a word");
}

#[test]
fn unbalanced_blocks_are_refused() {
    refused("a\n{% if x %}\nb\n", 3, 1, "");
    refused("ä {% endif %}", 1, 6, "");
    refused("{% foo %}", 1, 4, "");
}

#[test]
fn places_survive_rewriting() {
    refused(
        "{% if a %}{% elseif b %}ü{% endif %}\n{{ x ? 'a' : 'b' }} {{ x | nofilter }}",
        2,
        28,
        "no filter `nofilter`",
    );
    refused("{% verbatim %}{{{% endverbatim %} {{ a b }}", 1, 40, "");
    refused("{{ a ?? b c }}", 1, 11, "");
    refused("{{ a ? b }}", 1, 6, "no `:`");
    refused("{{ a ? : b }}", 1, 6, "all three");
    refused("{{ a ?? }}", 1, 6, "value on its right");
}

#[test]
fn unknown_names_are_refused_at_load() {
    refused("{{ x|frobnicate }}", 1, 6, "no filter `frobnicate`");
    refused("{% filter frobnicate %}x{% endfilter %}", 1, 11, "no filter");
    refused("{{ x is frobnicated }}", 1, 9, "no test `is frobnicated`");
    refused("{{ x is not frobnicated }}", 1, 13, "no test");
    refused("{{ now() }}", 1, 4, "no function `now`");
    refused("{{ tier.toUpperCase() }}", 1, 9, "methods cannot be called");
    refused("{% include 'x' %}", 1, 4, "cannot read other documents");
    refused("{% extends 'x' %}", 1, 4, "cannot read other documents");
}

#[test]
fn slips_are_answered_with_what_was_meant() {
    refused("{{ x|uper }}", 1, 6, "did you mean `upper`?");
    refused("{{ x is emtpy }}", 1, 9, "did you mean `empty`?");
    refused("{{ a && b }}", 1, 6, "write `and`");
    refused("{{ a || b }}", 1, 6, "write `or`");
    refused("{% if !a %}x{% endif %}", 1, 7, "write `not`");
    refused("{% if a %}{% else if b %}{% endif %}", 1, 14, "write `elseif`");
}

#[test]
fn bad_patterns_are_refused_at_load() {
    refused(r#"{{ tier is matching("(") }}"#, 1, 21, "pattern is not valid");
    refused(r#"{{ tier matches "(a" }}"#, 1, 17, "pattern is not valid");
    refused(&format!("{{{{ tier matches '{}' }}}}", "a".repeat(1001)), 1, 17, "at most 1000");
}

#[test]
fn rendering_errors_name_the_line() {
    let error = render("a\nb {{ 1 / 0 }}").unwrap_err();
    assert!(matches!(error, Error::Evaluation { line: Some(2), .. }), "{error}");
    let error = render(
        "\n\n{{ x ? 1 : 2 }}\n{{ missing() }}{{ 1 }}".replace("missing()", "words + 1").as_str(),
    )
    .unwrap_err();
    assert!(matches!(error, Error::Evaluation { line: Some(4), .. }), "{error}");
}
