//! Tokens: never shown.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Longest token, in bytes.
pub(crate) const TOKEN_BYTES_MAX: usize = 16 * 1024;

/// A text that can't be a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the token is not one: it must be 1 to {TOKEN_BYTES_MAX} visible ASCII characters")]
pub(crate) struct InvalidToken;

/// What proves who asks.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Token(String);

impl Token {
    /// The value of the header `Authorization`.
    #[must_use]
    pub(crate) fn authorization(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

impl FromStr for Token {
    type Err = InvalidToken;

    fn from_str(text: &str) -> Result<Self, InvalidToken> {
        let text = text.trim();
        let fits = !text.is_empty() && text.len() <= TOKEN_BYTES_MAX;
        let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        if fits && visible { Ok(Self(text.to_owned())) } else { Err(InvalidToken) }
    }
}

impl TryFrom<String> for Token {
    type Error = InvalidToken;

    fn try_from(text: String) -> Result<Self, InvalidToken> {
        text.parse()
    }
}

impl From<Token> for String {
    fn from(token: Token) -> Self {
        token.0
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}
