//! What turns cost.

use serde::{Deserialize, Serialize};

/// Tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Read, not from a cache.
    pub input: u64,
    /// Written.
    pub output: u64,
    /// Read from the provider's cache.
    pub cache_read: u64,
    /// Written to the provider's cache.
    pub cache_write: u64,
    /// Model calls.
    pub calls: u32,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input += other.input;
        self.output += other.output;
        self.cache_read += other.cache_read;
        self.cache_write += other.cache_write;
        self.calls += other.calls;
    }
}
