//! Ids and names. Each is parsed once, at the edge, and is valid ever after.

mod document_path;
mod names;
mod opaque;
mod skill_name;

pub use document_path::{DOCUMENT_PATH_BYTES_MAX, DocumentPath, InvalidDocumentPath};
pub use names::{
    InvalidName, NAME_BYTES_MAX, ProcessName, Profile, ProjectId, RecipeName, TenantId, UserLogin,
};
pub use opaque::{CommitId, DocumentId, InvalidId, LaneId, MessageId, NodeBoot, SessionId};
pub use skill_name::{InvalidSkillName, SKILL_NAME_CHARS_MAX, SkillName};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Number of a write in a project; each write takes the next one. `0` = before any write.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(transparent)]
pub struct Revision(#[cfg_attr(feature = "typescript", ts(type = "number"))] pub u64);

impl Revision {
    /// The revision after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl std::fmt::Display for Revision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// Position in a log or stream; dense, the first entry is 1. `0` = before the first.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(transparent)]
pub struct Seq(#[cfg_attr(feature = "typescript", ts(type = "number"))] pub u64);

impl Seq {
    /// The position after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl std::fmt::Display for Seq {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// Implements the common traits of a validated string newtype around its `FromStr`.
macro_rules! string_newtype {
    ($name:ident, $error:ty) => {
        impl $name {
            /// The text, already valid.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}({:?})", stringify!($name), self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = $error;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.0.to_string()
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
    };
}
use string_newtype;
