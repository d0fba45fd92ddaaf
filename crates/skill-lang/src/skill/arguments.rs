//! What a skill takes from the line that invokes it.

use serde::{Deserialize, Serialize};

use super::is_default;

/// Whether and how a skill consumes the rest of the line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arguments {
    /// It does not: the rest becomes a message.
    #[default]
    None,
    /// As `args.text` and `args.words`, or in place of `$ARGUMENTS`.
    Raw,
    /// Also by name.
    Declared(Vec<Argument>),
}

impl Arguments {
    /// Whether the rest of the line goes to the skill.
    #[must_use]
    pub fn consume(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// The declared ones, in order.
    #[must_use]
    pub fn declared(&self) -> &[Argument] {
        match self {
            Self::Declared(arguments) => arguments,
            Self::None | Self::Raw => &[],
        }
    }
}

/// A declared argument, or a parameter of a script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Argument {
    /// Name in the template: `args.<name>`.
    pub name: String,
    /// What its text must be.
    #[serde(rename = "type", default, skip_serializing_if = "is_default")]
    pub kind: ArgumentType,
    /// For authors and pickers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Activation fails without it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub required: bool,
}

/// Type of an argument's value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArgumentType {
    /// Any text.
    #[default]
    String,
    /// A finite number.
    Number,
    /// A whole number.
    Integer,
    /// `true|yes|on|1` or their opposites.
    Boolean,
    /// A JSON object.
    Object,
    /// A JSON array.
    Array,
}

impl ArgumentType {
    /// All types, as they are written.
    pub const NAMES: [&str; 6] = ["string", "number", "integer", "boolean", "object", "array"];

    /// Reads a name, in any case.
    #[must_use]
    pub fn from_name(text: &str) -> Option<Self> {
        Some(match text.to_lowercase().as_str() {
            "string" => Self::String,
            "number" => Self::Number,
            "integer" => Self::Integer,
            "boolean" => Self::Boolean,
            "object" => Self::Object,
            "array" => Self::Array,
            _ => return None,
        })
    }

    /// As it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Object => "object",
            Self::Array => "array",
        }
    }
}
