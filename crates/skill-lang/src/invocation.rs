//! The line `NAME [--once] REST` that activates a skill, as people type it behind `/skill`.

/// Asks for one turn only, where it stands directly behind the name.
const ONCE: &str = "--once";

/// A line that names no skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("name a skill: `NAME [--once] [ARGUMENTS]`")]
pub struct NoName;

/// What a line asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invocation<'a> {
    /// The skill's name, perhaps with `@layer`, as it was typed.
    pub name: &'a str,
    /// For one turn.
    pub once: bool,
    /// All that stands behind the separator, byte for byte; empty when there is nothing.
    pub rest: &'a str,
}

impl<'a> Invocation<'a> {
    /// The rest, where there is any: none keeps the arguments of a skill that is active already.
    #[must_use]
    pub fn args(&self) -> Option<&'a str> {
        (!self.rest.is_empty()).then_some(self.rest)
    }
}

/// Reads a line. White space before the name is skipped; one blank, tab or line end stands
/// behind it, and one behind `--once`.
///
/// # Errors
///
/// When the line has no name.
pub fn parse(line: &str) -> Result<Invocation<'_>, NoName> {
    let line = line.trim_start_matches([' ', '\t', '\r', '\n']);
    let (name, rest) = split_once(line);
    if name.is_empty() {
        return Err(NoName);
    }
    let (word, behind) = split_once(rest);
    let once = word == ONCE;
    Ok(Invocation { name, once, rest: if once { behind } else { rest } })
}

/// The text before the first separator, and all behind it.
fn split_once(text: &str) -> (&str, &str) {
    let Some(at) = text.find([' ', '\t', '\r', '\n']) else { return (text, "") };
    let (word, rest) = text.split_at(at);
    let width = if rest.starts_with("\r\n") { 2 } else { 1 };
    (word, &rest[width..])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(line: &str, name: &str, once: bool, rest: &str) {
        assert_eq!(parse(line), Ok(Invocation { name, once, rest }), "{line:?}");
    }

    #[test]
    fn one_separator_ends_the_name() {
        check("review", "review", false, "");
        check("review ", "review", false, "");
        check("review src/main.rs", "review", false, "src/main.rs");
        check("review\tx", "review", false, "x");
        check("review\nx", "review", false, "x");
        check("review\r\nx", "review", false, "x");
        check("review\r\n\r\nx", "review", false, "\r\nx");
        check(" \n review x", "review", false, "x");
        check("review@tenant x", "review@tenant", false, "x");
        check("обзор что", "обзор", false, "что");
        // A blank of another script is no separator.
        check("a\u{a0}b", "a\u{a0}b", false, "");
    }

    #[test]
    fn the_rest_is_kept_byte_for_byte() {
        check("fix\n\t  let x = 1;\n", "fix", false, "\t  let x = 1;\n");
        check("fix   three", "fix", false, "  three");
        check("fix don't \"unbalanced", "fix", false, "don't \"unbalanced");
        check("fix a\r\nb\r\n", "fix", false, "a\r\nb\r\n");
        check("fix {{ args.text }}", "fix", false, "{{ args.text }}");
    }

    #[test]
    fn once_counts_only_directly_behind_the_name() {
        check("review --once", "review", true, "");
        check("review --once x", "review", true, "x");
        check("review\n--once\r\n x ", "review", true, " x ");
        check("review --once --once", "review", true, "--once");
        check("review  --once", "review", false, " --once");
        check("review x --once", "review", false, "x --once");
        check("review --oncex", "review", false, "--oncex");
        check("--once review", "--once", false, "review");
    }

    #[test]
    fn a_line_without_a_name_is_refused() {
        assert_eq!(parse(""), Err(NoName));
        assert_eq!(parse(" \t\r\n"), Err(NoName));
    }

    #[test]
    fn an_empty_rest_is_no_argument() {
        assert_eq!(parse("a --once ").unwrap().args(), None);
        assert_eq!(parse("a  ").unwrap().args(), Some(" "));
    }

    proptest! {
        #[test]
        fn any_rest_comes_back(
            name in "[a-zäж0-9@-]{1,20}",
            separator in "( |\t|\n|\r\n)",
            once: bool,
            rest in "(?s).{0,60}",
        ) {
            let marker = if once { format!("--once{separator}") } else { String::new() };
            let line = format!("{name}{separator}{marker}{rest}");
            let got = parse(&line).unwrap();
            prop_assert_eq!(got.name, name.as_str());
            // Without the marker a rest may begin with one of its own.
            if once || !rest.starts_with(ONCE) {

                prop_assert_eq!((got.once, got.rest), (once, rest.as_str()));
            }
        }

        #[test]
        fn nothing_is_lost_of_any_line(line in "(?s).{0,80}") {
            if let Ok(got) = parse(&line) {
                prop_assert!(line.ends_with(got.rest));
                prop_assert!(!got.name.contains([' ', '\t', '\r', '\n']));
            }
        }
    }
}
