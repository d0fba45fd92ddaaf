//! Names of skills.

use std::str::FromStr;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use super::string_newtype;

/// Longest name of a skill, in characters.
pub const SKILL_NAME_CHARS_MAX: usize = 64;

/// A text that can't be a skill's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("skill name {text:?}: {problem}")]
pub struct InvalidSkillName {
    text: String,
    problem: &'static str,
}

/// A skill's name: lower-case NFC letters and digits of any script and single `-` between them.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export, type = "string"))]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct SkillName(Arc<str>);

string_newtype!(SkillName, InvalidSkillName);

impl FromStr for SkillName {
    type Err = InvalidSkillName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail =
            |problem| Err(InvalidSkillName { text: text.chars().take(80).collect(), problem });
        let name: String = text.trim().to_lowercase().nfc().collect();
        if name.is_empty() || name.chars().count() > SKILL_NAME_CHARS_MAX {
            return fail("must have 1 to 64 characters");
        }
        if name.starts_with('-') || name.ends_with('-') || name.contains("--") {
            return fail("`-` stands single, between letters or digits");
        }
        if !name.chars().all(|c| c.is_alphanumeric() || c == '-') {
            return fail("may contain only letters, digits and `-`");
        }
        if name == "list" || name == "clear" {
            return fail("is reserved");
        }
        Ok(Self(name.into()))
    }
}
