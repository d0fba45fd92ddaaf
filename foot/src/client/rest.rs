//! REST: what is asked once and needs no session.

mod documents;
mod sessions;
mod skills;

pub(crate) use self::documents::DOCUMENTS_MAX as VERSIONS_MAX;

use std::time::Duration;

use api_types::error::ErrorBody;
use reqwest::header::{AUTHORIZATION, HeaderValue, IF_MATCH};
use reqwest::{Method, RequestBuilder, Response, StatusCode, Url};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Error, refused_by_status};
use crate::config::Settings;

/// Longest wait for a connection.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(5);
/// Longest request, its answer included.
const REQUEST_TIME_MAX: Duration = Duration::from_secs(60);
/// Largest answer, in bytes.
const ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The REST side of the brain.
#[derive(Clone, Debug)]
pub(crate) struct Api {
    client: reqwest::Client,
    settings: Settings,
}

/// Who a token speaks for.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Whoami {
    /// The user.
    pub(crate) user_id: api_types::ids::UserLogin,
    /// The tenant.
    pub(crate) tenant_id: api_types::ids::TenantId,
}

impl Api {
    /// Makes a client; connects when it is used.
    ///
    /// # Errors
    ///
    /// When TLS can't be set up.
    pub(crate) fn new(settings: Settings) -> Result<Self, Error> {
        // Another part of the process may have installed it; either way there is one now.
        drop(rustls::crypto::ring::default_provider().install_default());
        let client = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIME_MAX)
            .timeout(REQUEST_TIME_MAX)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("foot/", env!("CARGO_PKG_VERSION")))
            .build();
        match client {
            Ok(client) => Ok(Self { client, settings }),
            Err(error) => Err(Error::Protocol { url: settings.url, problem: chain(&error) }),
        }
    }

    /// Where the brain is and who asks.
    #[must_use]
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Who the token speaks for.
    ///
    /// # Errors
    ///
    /// When the brain can't be reached or refuses.
    pub(crate) async fn whoami(&self) -> Result<Whoami, Error> {
        self.get(&["whoami"], &[]).await
    }

    fn protocol(&self, problem: String) -> Error {
        Error::Protocol { url: self.settings.url.clone(), problem }
    }

    fn request(
        &self,
        method: Method,
        path: &[&str],
        query: &[(&str, &str)],
    ) -> Result<RequestBuilder, Error> {
        let base = format!("{}/brain/{}", self.settings.url, self.settings.tenant);
        let mut url = Url::parse(&base).map_err(|error| self.protocol(error.to_string()))?;
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.extend(path);
        }
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let mut token = HeaderValue::from_str(&self.settings.token.authorization())
            .map_err(|error| self.protocol(error.to_string()))?;
        token.set_sensitive(true);
        Ok(self.client.request(method, url).header(AUTHORIZATION, token))
    }

    async fn send(&self, request: RequestBuilder) -> Result<Response, Error> {
        let response = request.send().await.map_err(|error| self.unreachable(&error))?;
        if response.status().is_success() {
            Ok(response)
        } else {
            Err(self.refused(response).await)
        }
    }

    fn unreachable(&self, error: &reqwest::Error) -> Error {
        let problem = if error.is_timeout() {
            format!("no answer within {} s", REQUEST_TIME_MAX.as_secs())
        } else {
            chain(error)
        };
        Error::Unreachable { url: self.settings.url.clone(), problem }
    }

    async fn refused(&self, response: Response) -> Error {
        let status = response.status();
        let place = response.url().path().to_owned();
        let body = self.bytes(response).await.unwrap_or_default();
        if let Ok(body) = serde_json::from_slice::<ErrorBody>(&body) {
            return Error::Refused(Box::new(body));
        }
        let message = match status {
            StatusCode::UNAUTHORIZED => {
                format!(
                    "the brain at {} does not accept the token; log in again (`foot login`)",
                    self.settings.url
                )
            }
            _ => format!("{place}: the brain at {} answers {status}", self.settings.url),
        };
        refused_by_status(status.as_u16(), message)
    }

    async fn bytes(&self, mut response: Response) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| self.unreachable(&error))? {
            if bytes.len() + piece.len() > ANSWER_BYTES_MAX {
                let problem = format!("an answer has more than {ANSWER_BYTES_MAX} bytes");
                return Err(self.protocol(problem));
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }

    async fn json<T: DeserializeOwned>(&self, response: Response) -> Result<T, Error> {
        let place = response.url().path().to_owned();
        let bytes = self.bytes(response).await?;
        serde_json::from_slice(&bytes)
            .map_err(|error| self.protocol(format!("{place}: the answer can't be read: {error}")))
    }

    async fn get<T: DeserializeOwned>(
        &self,
        path: &[&str],
        query: &[(&str, &str)],
    ) -> Result<T, Error> {
        let response = self.send(self.request(Method::GET, path, query)?).await?;
        self.json(response).await
    }

    async fn get_bytes(&self, path: &[&str], query: &[(&str, &str)]) -> Result<Vec<u8>, Error> {
        let response = self.send(self.request(Method::GET, path, query)?).await?;
        self.bytes(response).await
    }

    async fn post<B: Serialize + Sync + ?Sized, T: DeserializeOwned>(
        &self,
        path: &[&str],
        query: &[(&str, &str)],
        body: &B,
    ) -> Result<T, Error> {
        let request = self.request(Method::POST, path, query)?.json(body);
        let response = self.send(request).await?;
        self.json(response).await
    }

    async fn delete(&self, path: &[&str], if_match: Option<u64>) -> Result<(), Error> {
        let mut request = self.request(Method::DELETE, path, &[])?;
        if let Some(revision) = if_match {
            request = request.header(IF_MATCH, format!("\"{revision}\""));
        }
        self.send(request).await.map(drop)
    }
}

/// An error with its causes, which say more than it does.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}
