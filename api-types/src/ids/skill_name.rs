//! Names of skills.

use std::str::FromStr;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::string_newtype;

/// Longest name of a skill, in characters.
pub const SKILL_NAME_CHARS_MAX: usize = 64;

/// Words that mean something else where a skill's name is expected.
const RESERVED: [&str; 2] = ["list", "clear"];

/// A text that can't be a skill's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("skill name {text:?}: {problem}")]
pub struct InvalidSkillName {
    text: String,
    problem: Problem,
}

impl InvalidSkillName {
    fn new(text: &str, problem: Problem) -> Self {
        Self { text: text.chars().take(80).collect(), problem }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum Problem {
    #[error("it is empty")]
    Empty,
    #[error("it has {0} characters, at most {SKILL_NAME_CHARS_MAX} are allowed")]
    TooLong(usize),
    #[error("`-` may not stand at its start or end")]
    DashAtEdge,
    #[error("`-` may not be doubled")]
    DashDoubled,
    #[error("{0:?} is not allowed; use letters, digits and `-`")]
    Character(char),
    #[error("it contains the invisible character U+{:04X}; remove it", u32::from(*.0))]
    Invisible(char),
    #[error("`{0}` is reserved for the command of that name; choose another")]
    Reserved(String),
}

/// A skill's name: lower-case NFC letters and digits of any script and single `-` between them,
/// 1 to [`SKILL_NAME_CHARS_MAX`] characters. Case, form and outer blanks of the text that it is
/// made from are normalised here, once.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export, type = "string"))]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct SkillName(Arc<str>);

string_newtype!(SkillName, InvalidSkillName);

impl FromStr for SkillName {
    type Err = InvalidSkillName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = normalise(text.trim());
        match check(&name) {
            Ok(()) => Ok(Self(name.into())),
            Err(problem) => Err(InvalidSkillName::new(text, problem)),
        }
    }
}

/// Lower case, then NFC: lowering can take a text out of NFC (`İ`).
fn normalise(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.to_lowercase().nfc().collect() }
}

fn check(name: &str) -> Result<(), Problem> {
    let length = name.chars().count();
    if length == 0 {
        return Err(Problem::Empty);
    }
    if length > SKILL_NAME_CHARS_MAX {
        return Err(Problem::TooLong(length));
    }
    let mut before = None;
    for c in name.chars() {
        check_character(before, c)?;
        before = Some(c);
    }
    if name.starts_with('-') || name.ends_with('-') {
        return Err(Problem::DashAtEdge);
    }
    if name.contains("--") {
        return Err(Problem::DashDoubled);
    }
    if RESERVED.contains(&name) {
        return Err(Problem::Reserved(name.to_owned()));
    }
    Ok(())
}

fn check_character(before: Option<char>, c: char) -> Result<(), Problem> {
    if is_invisible(c) {
        return Err(Problem::Invisible(c));
    }
    // Many scripts write vowels and accents as marks behind a letter.
    let mark = is_combining_mark(c) && before.is_some_and(|before| before != '-');
    // Letters without a lower-case form, as 𝐀, would give two names of one look.
    let letter = c.is_alphanumeric() && !c.is_uppercase();
    if c == '-' || letter || mark { Ok(()) } else { Err(Problem::Character(c)) }
}

/// Characters that change how a text is shown but not what is seen of it: bidirectional
/// controls, joiners, fillers, variation selectors.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(text.parse::<SkillName>().map(String::from).as_deref(), Ok(expect));
    }

    #[track_caller]
    fn refused(text: &str, reason: &str) {
        let error = text.parse::<SkillName>().expect_err(text).to_string();
        assert!(error.contains(reason), "{error}");
    }

    #[test]
    fn names_of_any_script_are_normalised_once() {
        check("code-review", "code-review");
        check(" Code-Review ", "code-review");
        check("3000", "3000");
        check("true", "true");
        check("代码", "代码");
        check("审查", "审查");
        check("обзор", "обзор");
        check("pru\u{308}fung", "prüfung");
        check("ÄNDERUNG", "änderung");
        check("हिन्दी", "हिन्दी");
        check("İstanbul", "i\u{307}stanbul");
        check(&"ä".repeat(64), &"ä".repeat(64));
    }

    #[test]
    fn what_is_wrong_is_said() {
        refused("", "is empty");
        refused("  ", "is empty");
        refused(&"ä".repeat(65), "has 65 characters");
        refused("-a", "start or end");
        refused("a-", "start or end");
        refused("a--b", "doubled");
        refused("a_b", "'_' is not allowed");
        refused("a b", "' ' is not allowed");
        refused("a/../b", "'/' is not allowed");
        refused("a\u{202e}b", "U+202E");
        refused("a\u{200d}b", "U+200D");
        refused("\u{3164}", "U+3164");
        refused("\u{301}a", "is not allowed");
        refused("𝐀", "is not allowed");
        refused("😀", "is not allowed");
        refused("List", "reserved");
        refused("clear", "reserved");
    }

    #[test]
    fn a_name_in_json_is_checked_and_normalised() {
        let name: SkillName = serde_json::from_str("\"Code-Review\"").unwrap();
        assert_eq!(serde_json::to_string(&name).unwrap(), "\"code-review\"");
        assert!(serde_json::from_str::<SkillName>("\"a b\"").is_err());
    }
}
