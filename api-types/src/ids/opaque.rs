//! Ids that the system generates: a prefix that tells the kind, then 32 hexadecimal digits.

use std::str::FromStr;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::string_newtype;

/// A text that is not an id of the expected kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not an id of the form {prefix}<32 hexadecimal digits>")]
pub struct InvalidId {
    prefix: &'static str,
    text: String,
}

macro_rules! opaque {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export, type = "string"))]
        #[serde(try_from = "String", into = "String")]
        #[schemars(with = "String")]
        pub struct $name(Arc<str>);

        string_newtype!($name, InvalidId);

        impl $name {
            /// The id made of these 128 bits.
            #[must_use]
            pub fn from_bits(bits: u128) -> Self {
                Self(format!(concat!($prefix, "{:032x}"), bits).into())
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let digits = text.strip_prefix($prefix).filter(|d| d.len() == 32);
                let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
                match digits {
                    Some(d) if d.chars().all(hex) => Ok(Self(text.into())),
                    _ => Err(InvalidId { prefix: $prefix, text: text.chars().take(80).collect() }),
                }
            }
        }
    };
}

opaque!(
    /// A session: one user's conversation in a project.
    SessionId, "sess_"
);
opaque!(
    /// A process and its lane; the two live and die together.
    LaneId, "proc_"
);
opaque!(
    /// A document, constant over edits, rename, trash and restore.
    DocumentId, "doc_"
);
opaque!(
    /// One atomic write of a lane; sending it again answers the first receipt.
    CommitId, "cmt_"
);
opaque!(
    /// A chat message.
    MessageId, "msg_"
);
opaque!(
    /// One start of a node: a restarted node is another owner.
    NodeBoot, "boot_"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_tell_their_kind() {
        let id = SessionId::from_bits(7);
        assert_eq!(id.as_str().parse::<SessionId>(), Ok(id.clone()));
        assert!(id.as_str().parse::<LaneId>().is_err());
        assert!("sess_XYZ".parse::<SessionId>().is_err());
    }
}
