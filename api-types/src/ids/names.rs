//! Names that people choose for tenants, projects, users, processes, profiles and recipes.

use std::str::FromStr;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::string_newtype;

/// Longest name, in bytes.
pub const NAME_BYTES_MAX: usize = 64;

/// A name that breaks its kind's alphabet or length.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} {text:?}: {problem}")]
pub struct InvalidName {
    kind: &'static str,
    text: String,
    problem: &'static str,
}

/// The alphabet: an optional leading `_` (system names), then `first`, then `[a-z0-9_.-]` and what `more` allows.
fn check(kind: &'static str, text: &str, system: bool, more: &[char]) -> Result<(), InvalidName> {
    let fail = |problem| Err(InvalidName { kind, text: text.chars().take(80).collect(), problem });
    if text.is_empty() {
        return fail("must not be empty");
    }
    if text.len() > NAME_BYTES_MAX {
        return fail("is longer than 64 bytes");
    }
    let rest = text.strip_prefix('_').filter(|_| system).unwrap_or(text);
    if !rest.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit()) {
        return fail("must begin with a letter a-z or a digit");
    }
    let allowed = |c: char| {
        c.is_ascii_lowercase() || c.is_ascii_digit() || "_.-".contains(c) || more.contains(&c)
    };
    if !rest.chars().all(allowed) || rest.contains("..") {
        return fail("may contain only a-z, 0-9, `-`, `_` and single dots");
    }
    Ok(())
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $kind:literal, system: $system:literal, more: $more:expr) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export, type = "string"))]
        #[serde(try_from = "String", into = "String")]
        #[schemars(with = "String")]
        pub struct $name(Arc<str>);

        string_newtype!($name, InvalidName);

        impl FromStr for $name {
            type Err = InvalidName;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                check($kind, text, $system, $more)?;
                Ok(Self(text.into()))
            }
        }
    };
}

name!(
    /// A tenant's name: the outermost scope.
    TenantId, "tenant", system: false, more: &[]
);
name!(
    /// A project's name. System projects begin with `_`: `_tenant`, `_user_<login>`.
    ProjectId, "project", system: true, more: &['@']
);
name!(
    /// A user's login.
    UserLogin, "user", system: false, more: &['@']
);
name!(
    /// A process's name, unique in its session.
    ProcessName, "process", system: false, more: &[]
);
name!(
    /// The kind of client (`foot`, `web`, …); an open set.
    Profile, "profile", system: false, more: &[]
);
name!(
    /// A recipe's name: the stem of its file below `_vance/recipes/`; `/` separates folders.
    RecipeName, "recipe", system: true, more: &['/']
);

impl ProjectId {
    /// The tenant-wide layer.
    #[must_use]
    pub fn tenant_layer() -> Self {
        Self("_tenant".into())
    }

    /// A user's personal layer.
    #[must_use]
    pub fn user_layer(user: &UserLogin) -> Self {
        Self(format!("_user_{user}").into())
    }

    /// The owner, where this is a personal layer.
    #[must_use]
    pub fn layer_owner(&self) -> Option<&str> {
        self.0.strip_prefix("_user_")
    }

    /// Whether the project is one of the system's own.
    #[must_use]
    pub fn is_system(&self) -> bool {
        self.0.starts_with('_')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check<T: FromStr<Err = InvalidName> + AsRef<str>>(text: &str, ok: bool) {
        assert_eq!(text.parse::<T>().is_ok(), ok, "{text:?}");
    }

    #[test]
    fn names_keep_to_their_alphabet() {
        check::<TenantId>("acme", true);
        check::<TenantId>("_acme", false);
        check::<TenantId>("Acme", false);
        check::<TenantId>("", false);
        check::<TenantId>("a/b", false);
        check::<TenantId>("a..b", false);
        check::<ProjectId>("_user_jane", true);
        check::<ProjectId>("..", false);
        check::<UserLogin>("jane.doe@example.org", true);
        check::<RecipeName>("_user/mine", true);
        check::<RecipeName>("../x", false);
        check::<ProcessName>(&"x".repeat(65), false);
    }
}
