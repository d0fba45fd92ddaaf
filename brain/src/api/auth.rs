//! Who asks: the authentication port, and the rules for what a caller may know of.

use std::sync::Arc;

use api_types::error::ErrorCode;
use api_types::ids::TenantId;
use async_trait::async_trait;
use axum::http::{HeaderMap, header};

use super::error::{ApiError, Result};
use crate::tenants::{self, Identity, TokenDigest};

/// Longest token, in bytes.
pub const TOKEN_BYTES_MAX: usize = 4 * 1024;

/// Tells who a token speaks for. Other ways of identity plug in here.
#[async_trait]
pub trait Authenticator: Send + Sync {
    /// The identity behind a token.
    ///
    /// # Errors
    /// `Unauthenticated` for a token that nobody has; what the store says otherwise.
    async fn authenticate(&self, token: &str) -> Result<Identity>;
}

/// Tokens whose digests the store of tenants keeps.
pub struct StoredTokens(Arc<dyn tenants::Store>);

impl StoredTokens {
    /// Over this store.
    #[must_use]
    pub fn new(store: Arc<dyn tenants::Store>) -> Self {
        Self(store)
    }
}

#[async_trait]
impl Authenticator for StoredTokens {
    async fn authenticate(&self, token: &str) -> Result<Identity> {
        let identity = self.0.identify(&TokenDigest::of(token)).await?;
        identity.ok_or_else(|| {
            ApiError::new(
                ErrorCode::Unauthenticated,
                "the token is not valid here; log in again, or read it from bootstrap.json",
            )
            .because("invalid_token")
        })
    }
}

/// The token of a request's `Authorization` header.
///
/// # Errors
/// `Unauthenticated` when there is none, or not of the form `Bearer <token>`.
pub fn bearer(headers: &HeaderMap) -> Result<&str> {
    let refuse = |message: &'static str, reason: &'static str| {
        Err(ApiError::new(ErrorCode::Unauthenticated, message).because(reason))
    };
    let Some(value) = headers.get(header::AUTHORIZATION) else {
        return refuse("send the header `Authorization: Bearer <token>`", "missing_token");
    };
    let token = value.to_str().ok().and_then(|text| {
        let (scheme, token) = text.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    match token {
        Some(token) if !token.is_empty() && token.len() <= TOKEN_BYTES_MAX => Ok(token),
        _ => refuse("the header `Authorization` must be `Bearer <token>`", "malformed_token"),
    }
}

/// Checks a request's token against the tenant of its path. A foreign tenant is not found:
/// whether it exists is none of the caller's business.
///
/// # Errors
/// `Unauthenticated` without a valid token, `NotFound` for another tenant's path.
pub async fn identify(
    authenticator: &dyn Authenticator,
    headers: &HeaderMap,
    path_tenant: &str,
) -> Result<Identity> {
    let identity = authenticator.authenticate(bearer(headers)?).await?;
    match path_tenant.parse::<TenantId>() {
        Ok(tenant) if tenant == identity.tenant => Ok(identity),
        _ => {
            let shown: String = path_tenant.chars().take(80).collect();
            Err(ApiError::not_found(format_args!("tenant {shown:?}")).because("unknown_tenant"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[track_caller]
    fn check(value: Option<&'static str>, expect: std::result::Result<&str, &str>) {
        let mut headers = HeaderMap::new();
        if let Some(value) = value {
            headers.insert(header::AUTHORIZATION, HeaderValue::from_static(value));
        }
        let got = bearer(&headers);
        let got = got.as_ref().map(|token| *token).map_err(|error| error.reason().unwrap_or(""));
        assert_eq!(got, expect, "{value:?}");
    }

    #[test]
    fn tokens_come_as_bearer() {
        check(Some("Bearer abc"), Ok("abc"));
        check(Some("bearer abc"), Ok("abc"));
        check(None, Err("missing_token"));
        check(Some("abc"), Err("malformed_token"));
        check(Some("Basic abc"), Err("malformed_token"));
        check(Some("Bearer "), Err("malformed_token"));
    }
}
