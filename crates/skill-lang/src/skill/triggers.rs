//! When a skill activates itself.

use serde::{Deserialize, Serialize};

use super::is_default;

/// One condition; any of a skill's suffices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Trigger {
    /// A regular expression found in the message, case ignored.
    Pattern {
        /// As its author wrote it; it compiles.
        pattern: String,
        /// The engine that it needs.
        #[serde(default, skip_serializing_if = "is_default")]
        engine: Engine,
        /// Messages that should fire it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        examples: Vec<String>,
    },
    /// A share of keywords found in the message.
    Keywords {
        /// As its author wrote them.
        keywords: Vec<String>,
        /// How many have to be found.
        #[serde(rename = "match", default, skip_serializing_if = "is_default")]
        matching: Match,
        /// Messages that should fire it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        examples: Vec<String>,
    },
}

/// How many of the usable keywords have to be found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Match {
    /// One.
    Any,
    /// Half of them.
    #[default]
    Half,
    /// All.
    All,
}

/// What runs a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// Time grows with the length of the text only.
    #[default]
    Linear,
    /// Look-around and back-references, with a limit of steps.
    Backtracking,
}
