//! The nouns of tenants.

use api_types::ids::{ProjectId, TenantId, UserLogin};

use crate::runtime::Timestamp;

/// Who a token speaks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The tenant.
    pub tenant: TenantId,
    /// The user.
    pub user: UserLogin,
}

/// BLAKE3 of a token: the token itself is never stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TokenDigest(pub [u8; 32]);

impl TokenDigest {
    /// The digest of this token.
    #[must_use]
    pub fn of(token: &str) -> Self {
        Self(*blake3::hash(token.as_bytes()).as_bytes())
    }
}

/// The first tenant of an empty store.
#[derive(Clone, Debug)]
pub struct Bootstrap {
    /// The tenant.
    pub tenant: TenantId,
    /// Its first project.
    pub project: ProjectId,
    /// Its first user.
    pub user: UserLogin,
    /// That user's token.
    pub token: TokenDigest,
    /// When.
    pub at: Timestamp,
}
