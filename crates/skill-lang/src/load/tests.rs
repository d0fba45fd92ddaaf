mod cases;
mod native;
mod syntax;

use super::*;
use crate::diagnostic::{Severity, apply_fixes};
use crate::skill::{Arguments, Dialect};

fn load_text(text: &str) -> Loaded {
    load(Input { path: "x/SKILL.md", folder: "x", bytes: text.as_bytes(), files: None })
}

/// `code line:column` of each problem, errors with a `!`.
fn problems(loaded: &Loaded) -> Vec<String> {
    let shown = loaded.diagnostics.iter().map(|d| {
        let mark = if d.severity == Severity::Error { "!" } else { "" };
        format!("{mark}{} {}:{}", d.code, d.line, d.column)
    });
    shown.collect()
}

#[track_caller]
fn check(text: &str, expect: &[&str]) -> Loaded {
    let loaded = load_text(text);
    assert_eq!(problems(&loaded), expect, "{:#?}", loaded.diagnostics);
    let errors = expect.iter().any(|problem| problem.starts_with('!'));
    assert_eq!(loaded.is_valid(), !errors);
    loaded
}

/// A description that needs repair: what it is read as, and where the warning points. Applying
/// the proposed fixes gives a file of the same meaning without the warning.
#[track_caller]
fn repaired(written: &str, read: &str, problem: &str) {
    let text = format!("---\nname: x\ndescription: {written}\n---\nbody\n");
    let loaded = check(&text, &[problem]);
    assert_eq!(loaded.head.description, read);
    let (fixed, applied) = apply_fixes(&text, &loaded.diagnostics);
    assert_eq!(applied, 1);
    let again = check(&fixed, &[]);
    assert_eq!(again.head.description, read, "{fixed}");
}

#[test]
fn descriptions_that_yaml_misreads_are_repaired() {
    let problem = "unquoted-value 3:";
    for (written, read, column) in [
        ("Use it: always", "Use it: always", 20),
        ("see C: and D: now", "see C: and D: now", 19),
        ("Issue #12 and # more", "Issue #12 and # more", 20),
        ("@docs first", "@docs first", 14),
        ("`code` first", "`code` first", 14),
        ("ends in a quote\"", "ends in a quote\"", 29),
        ("\"opens a quote", "opens a quote", 14),
        ("\"A\" and \"B\"", "\"A\" and \"B\"", 14),
        ("\"say \"hi\" twice\"", "say \"hi\" twice", 14),
        ("\"a \\d digit\"", "a \\d digit", 14),
        ("'don't: stop'", "don't: stop", 14),
        ("*bold* text", "*bold* text", 14),
        ("!important note", "!important note", 14),
        ("&c is not d", "&c is not d", 14),
        ("[placeholder] text", "[placeholder] text", 14),
        ("[TODO]", "[TODO]", 14),
        ("{{ name }}", "{{ name }}", 14),
        ("| on one line", "| on one line", 14),
        ("%done", "%done", 14),
        ("ends with:", "ends with:", 23),
        ("first: line\n  second: line\n\n  third", "first: line second: line\nthird", 19),
        ("é: ü", "é: ü", 15),
    ] {
        repaired(written, read, &format!("{problem}{column}"));
    }
}

#[test]
fn the_place_is_in_the_line_that_yaml_misreads() {
    repaired("first\n  second: line", "first second: line", "unquoted-value 4:9");
}

#[test]
fn descriptions_that_yaml_reads_are_left_alone() {
    for (written, read) in [
        ("Say \"hi\"", "Say \"hi\""),
        ("the users' own", "the users' own"),
        ("\"quoted: here\" # comment", "quoted: here"),
        ("C#, F# and a:b", "C#, F# and a:b"),
        (">-\n  folded\n  text\n\n  end", "folded text\nend"),
        ("|\n  literal: a\n  # not a comment", "literal: a\n# not a comment"),
        ("plain\n  continued", "plain continued"),
        ("3000", "3000"),
        ("true", "true"),
        ("https://example.org/a", "https://example.org/a"),
    ] {
        let text = format!("---\nname: x\ndescription: {written}\n---\n");
        assert_eq!(check(&text, &[]).head.description, read);
    }
}

#[test]
fn a_head_says_what_it_says() {
    let loaded = check("---\nname: x\ndescription: y\n---\n\n body\n---\n", &[]);
    assert_eq!(loaded.head.dialect, Dialect::Portable);
    assert_eq!(loaded.head.title, "X");
    assert_eq!(loaded.head.version, "0.0.0");
    assert_eq!(loaded.head.arguments, Arguments::None);
    assert_eq!(
        loaded.body_of(b"---\nname: x\ndescription: y\n---\n\n body\n---\n"),
        "\n body\n---\n"
    );
}
