//! Whatever is written: an answer, never a panic, and places inside the source.

use proptest::prelude::*;

use crate::template::{Context, OUTPUT_BYTES_MAX, Template, lints};

/// Fragments that meet in ways no author intends.
fn fragment() -> impl Strategy<Value = String> {
    const KNOWN: [&str; 58] = [
        "{{",
        "}}",
        "{%",
        "%}",
        "{#",
        "#}",
        "{%-",
        "-%}",
        " if ",
        " else ",
        "elseif ",
        "endif",
        " for ",
        " in ",
        "endfor",
        "raw",
        "endraw",
        "verbatim",
        "endverbatim",
        "set ",
        " x ",
        " = ",
        " ? ",
        " : ",
        " ?? ",
        "..",
        "|",
        "slug",
        "default",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "\"",
        "'",
        "#{",
        " is ",
        "not ",
        "empty",
        "matching",
        "contains",
        ",",
        ".",
        "loop.index",
        "1",
        "\n",
        "\r\n",
        "  ",
        "ä",
        "\u{1f600}",
        "\\",
        "-",
        "+",
        "~",
        "null",
        "range",
    ];
    prop_oneof![8 => prop::sample::select(&KNOWN[..]).prop_map(str::to_owned), 1 => "\\PC{0,4}"]
}

fn place_is_inside(source: &str, line: usize, column: usize) {
    let text = source.split('\n').nth(line - 1).expect("the line exists");
    assert!(column >= 1 && column <= text.chars().count() + 1, "{source:?}: {line}:{column}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_source_has_an_answer(fragments in prop::collection::vec(fragment(), 0..40)) {
        let source = fragments.concat();
        for lint in lints(&source) {
            place_is_inside(&source, lint.line, lint.column);
        }
        match Template::compile(&source) {
            Err(error) => place_is_inside(&source, error.line, error.column),
            Ok(template) => {
                if let Ok(text) = template.render_in(&Context::new(&super::variables())) {
                    assert!(text.len() <= OUTPUT_BYTES_MAX);
                }
            }
        }
    }

    #[test]
    fn a_value_is_printed_as_it_is(value in any::<String>()) {
        let template = Template::compile("<{{ v }}|{{ m.v }}>").unwrap();
        let rendered = template.render(&serde_json::json!({ "v": value, "m": { "v": value } })).unwrap();
        assert_eq!(rendered, format!("<{value}|{value}>"));
    }

    #[test]
    fn verbatim_text_survives(text in "[a-z{}%# \n]{0,40}") {
        let source = format!("{{% verbatim %}}{text}x{{% endverbatim %}}");
        let line = text.split_once('\n').map(|(line, _)| line);
        prop_assume!(line.is_none_or(|line| !line.trim_matches(' ').is_empty()));
        assert_eq!(Template::compile(&source).unwrap().render(&()), Ok(format!("{text}x")));
    }
}
