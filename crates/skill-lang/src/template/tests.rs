//! What authors rely on, and what hostile authors must not reach.

mod dialect;
mod errors;
mod hostile;
mod properties;

use serde_json::json;

use super::{Error, Template};

/// The variables of a turn.
fn variables() -> serde_json::Value {
    json!({
        "tier": "small",
        "model": "m-1",
        "mode": "NORMAL",
        "blank": "  ",
        "nothing": null,
        "yes": true,
        "count": 3,
        "words": ["fix", "the", "parser"],
        "none_of_it": [],
        "params": { "depth": 2, "label": "Über Größe" },
        "markup": "{{ 7 * 7 }} {% if x %}",
        "code": "a\nb",
    })
}

fn render(source: &str) -> Result<String, Error> {
    Template::compile(source).expect("compiles").render(&variables())
}

#[track_caller]
fn check(source: &str, expected: &str) {
    match Template::compile(source) {
        Ok(template) => {
            assert_eq!(template.render(&variables()).as_deref(), Ok(expected), "{source}")
        }
        Err(error) => panic!("{source}: {error}"),
    }
}
