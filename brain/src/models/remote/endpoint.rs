//! One address of one provider.

use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, Response, Url};
use tokio::time::timeout;

use super::Failure;
use crate::models::error::{Error, Place};
use crate::models::openai::LimitField;
use crate::models::request::ProviderName;
use crate::models::retry::Again;
use crate::models::segment::Dialect;

/// How long a provider may take. The caller's deadline ends a call in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the connection stands.
    pub connect: Duration,
    /// Until the answer begins. A local server may load a model first, and read a long prompt.
    pub first_byte: Duration,
    /// Between two pieces of the answer.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(300),
            idle: Duration::from_secs(120),
        }
    }
}

/// How long an idle connection is kept for the next call.
const POOL_IDLE: Duration = Duration::from_secs(90);

/// Largest body of an answer that is no stream, in bytes; more is not read.
const PLAIN_BODY_BYTES_MAX: usize = 1024 * 1024;

/// Longest wait for such a body.
const PLAIN_BODY_WAIT: Duration = Duration::from_secs(5);

/// Address, key and manner of one provider.
#[derive(Debug)]
pub(crate) struct Endpoint {
    at: Place,
    dialect: Dialect,
    call_url: Url,
    models_url: Url,
    headers: HeaderMap,
    /// Kept to be blotted out of what the provider says.
    key: Option<ApiKey>,
    pub(super) variables: Variables,
    timeouts: Timeouts,
    /// Built at first use: reading the machine's root certificates takes longer than all else at the start.
    client: OnceLock<Result<Client, String>>,
}

/// The settings that people are sent to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variables {
    pub(crate) key: &'static str,
    pub(crate) address: &'static str,
}

/// A key; never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Wraps a key. White space around it is a slip of copying; nothing is no key.
    #[must_use]
    pub fn new(key: &str) -> Option<Self> {
        let key = key.trim();
        (!key.is_empty()).then(|| Self(key.to_owned()))
    }
}

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ApiKey(***)")
    }
}

impl Endpoint {
    /// An endpoint below `base`.
    pub(crate) fn new(
        provider: ProviderName,
        base: &str,
        key: Option<ApiKey>,
        variables: Variables,
        timeouts: Timeouts,
    ) -> Result<Self, Error> {
        let dialect = match provider {
            ProviderName::Anthropic => Dialect::Anthropic,
            _ => Dialect::OpenAi,
        };
        let base = parse_base(base, variables.address)?;
        let host = base.host_str().unwrap_or_default();
        let host = match base.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        let at = Place { provider, host: host.into() };
        let call = match dialect {
            Dialect::Anthropic => "messages",
            Dialect::OpenAi => "chat/completions",
        };
        Ok(Self {
            at,
            dialect,
            call_url: below(&base, call, dialect),
            models_url: below(&base, "models", dialect),
            headers: headers(dialect, key.as_ref(), variables.key)?,
            key,
            variables,
            timeouts,
            client: OnceLock::new(),
        })
    }

    pub(crate) fn provider(&self) -> ProviderName {
        self.at.provider
    }

    pub(super) fn at(&self) -> Place {
        self.at.clone()
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect
    }

    pub(crate) fn limit_field(&self) -> LimitField {
        match self.call_url.host_str() {
            Some("api.openai.com") => LimitField::MaxCompletionTokens,
            _ => LimitField::MaxTokens,
        }
    }

    /// The text with the key blotted out.
    pub(super) fn blot(&self, text: &str) -> String {
        match &self.key {
            Some(key) => text.replace(&key.0, "***"),
            None => text.to_owned(),
        }
    }

    fn client(&self) -> Result<&Client, Failure> {
        let client = self.client.get_or_init(|| build(&self.call_url, self.timeouts));
        client.as_ref().map_err(|problem| Failure {
            error: Error::Misconfigured {
                variable: self.variables.address,
                problem: format!("no HTTP client for it: {problem}"),
            },
            again: Again::Never,
        })
    }

    /// Sends a request; gives an answer that is a stream.
    pub(crate) async fn post(&self, body: Bytes, model: &str) -> Result<Response, Failure> {
        let request =
            self.client()?.post(self.call_url.clone()).headers(self.headers.clone()).body(body);
        let sent = timeout(self.timeouts.first_byte, request.send()).await;
        let response = sent
            .map_err(|_| self.silent(self.timeouts.first_byte))?
            .map_err(|error| self.unsent(error))?;
        if response.status().is_success() && is_stream(response.headers()) {
            return Ok(response);
        }
        let (status, headers) = (response.status(), response.headers().clone());
        let body = plain_body(response).await;
        Err(self.answered(status, &headers, &body, model))
    }

    /// The next piece of a stream; `None` at its end.
    pub(crate) async fn chunk(&self, response: &mut Response) -> Result<Option<Bytes>, Failure> {
        timeout(self.timeouts.idle, response.chunk())
            .await
            .map_err(|_| self.silent(self.timeouts.idle))?
            .map_err(|error| self.cut(error))
    }

    /// The first model of the server's list.
    pub(crate) async fn first_model(&self) -> Result<String, Failure> {
        let request = self.client()?.get(self.models_url.clone()).headers(self.headers.clone());
        let sent = timeout(self.timeouts.first_byte, request.send()).await;
        let response = sent
            .map_err(|_| self.silent(self.timeouts.first_byte))?
            .map_err(|error| self.unsent(error))?;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = plain_body(response).await;
        if !status.is_success() {
            return Err(self.answered(status, &headers, &body, super::AUTO_MODEL));
        }
        let list: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
        let first = list["data"][0]["id"].as_str().map(str::to_owned);
        first.ok_or_else(|| {
            self.nonsense("its list of models is empty; set BRAIN_MODEL", Again::Never)
        })
    }
}

fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    // A stream without a type is better tried than refused.
    kind.is_none_or(|kind| kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream"))
}

async fn plain_body(mut response: Response) -> Vec<u8> {
    let mut body = Vec::new();
    let read = async {
        while body.len() < PLAIN_BODY_BYTES_MAX {
            match response.chunk().await {
                Ok(Some(bytes)) => body.extend_from_slice(&bytes),
                // The status has said what matters.
                Ok(None) | Err(_) => break,
            }
        }
    };
    timeout(PLAIN_BODY_WAIT, read).await.ok();
    body
}

fn parse_base(base: &str, variable: &'static str) -> Result<Url, Error> {
    let misconfigured = |problem: String| Error::Misconfigured { variable, problem };
    let url: Url = base
        .trim()
        .parse()
        .map_err(|error| misconfigured(format!("it is no address ({error})")))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(misconfigured("it must begin with http:// or https://".to_owned()));
    }
    Ok(url)
}

/// People write addresses with and without the version. Anthropic's convention is without; the other's is with, so that
/// a path that has anything at all is taken as it is.
fn below(base: &Url, path: &str, dialect: Dialect) -> Url {
    let prefix = base.path().trim_end_matches('/');
    let versioned = match dialect {
        Dialect::Anthropic => prefix.ends_with("/v1"),
        Dialect::OpenAi => !prefix.is_empty(),
    };
    let version = if versioned { "" } else { "/v1" };
    let mut url = base.clone();
    url.set_path(&format!("{prefix}{version}/{path}"));
    url
}

fn headers(
    dialect: Dialect,
    key: Option<&ApiKey>,
    variable: &'static str,
) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
    if dialect == Dialect::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
    }
    if let Some(ApiKey(key)) = key {
        let (name, value) = match dialect {
            Dialect::Anthropic => ("x-api-key", key.clone()),
            Dialect::OpenAi => ("authorization", format!("Bearer {key}")),
        };
        let mut value = HeaderValue::try_from(value).map_err(|_| Error::Misconfigured {
            variable,
            problem: "it has characters that no key has (line end, control character)".to_owned(),
        })?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

fn build(url: &Url, timeouts: Timeouts) -> Result<Client, String> {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Another thread may be faster; any installed provider will do.
        rustls::crypto::ring::default_provider().install_default().ok();
    }
    let mut builder = Client::builder()
        .user_agent(concat!("brain/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(timeouts.connect)
        .tcp_nodelay(true)
        .tcp_keepalive(Duration::from_secs(60))
        .pool_idle_timeout(POOL_IDLE)
        // A redirected POST arrives as a GET, and a key must not follow to another host.
        .redirect(reqwest::redirect::Policy::none());
    if url.scheme() == "http" {
        builder = builder.tls_certs_only([]);
    }
    let local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    if local {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| causes(&error))
}

/// An error with its causes, without the address: that may hold a secret.
pub(super) fn causes(error: &dyn std::error::Error) -> String {
    let mut text = String::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let said = error.to_string();
        if !text.contains(&said) {
            if !text.is_empty() {
                text.push_str(": ");
            }
            text.push_str(&said);
        }
        next = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(provider: ProviderName, base: &str, url: &str, host: &str) {
        let variables = Variables { key: "KEY", address: "ADDRESS" };
        let endpoint = Endpoint::new(provider, base, None, variables, Timeouts::default()).unwrap();
        assert_eq!((endpoint.call_url.as_str(), &*endpoint.at.host), (url, host), "{base}");
    }

    #[test]
    fn addresses_are_taken_as_people_write_them() {
        use ProviderName::{Anthropic, OpenAi};
        let anthropic = "https://api.anthropic.com/v1/messages";
        check(Anthropic, "https://api.anthropic.com", anthropic, "api.anthropic.com");
        check(Anthropic, "https://api.anthropic.com/v1/", anthropic, "api.anthropic.com");
        check(Anthropic, "http://h:1/claude", "http://h:1/claude/v1/messages", "h:1");
        let openai = "https://api.openai.com/v1/chat/completions";
        check(OpenAi, "https://api.openai.com/v1", openai, "api.openai.com");
        check(OpenAi, "https://api.openai.com", openai, "api.openai.com");
        check(OpenAi, "http://h:8/api/", "http://h:8/api/chat/completions", "h:8");
        check(OpenAi, "http://me:secret@h:8", "http://me:secret@h:8/v1/chat/completions", "h:8");
    }

    #[test]
    fn addresses_that_are_none_name_their_variable() {
        let variables = Variables { key: "KEY", address: "OPENAI_BASE_URL" };
        for base in ["", "localhost:8080", "ftp://h", "/v1", "http://"] {
            let timeouts = Timeouts::default();
            let error = Endpoint::new(ProviderName::OpenAi, base, None, variables, timeouts);
            let text = error.unwrap_err().to_string();
            assert!(text.starts_with("OPENAI_BASE_URL can't be used: "), "{base}: {text}");
        }
    }
}
