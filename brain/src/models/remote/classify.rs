//! From what a provider or a connection says to what went wrong and whether to try again.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use serde_json::Value;

use super::endpoint::{Endpoint, causes};
use super::{Failure, Trouble};
use crate::models::error::{Error, SAID_BYTES_MAX};
use crate::models::message::cut;
use crate::models::retry::{Again, retry_after};
use crate::models::sse;

/// How providers say that a prompt does not fit. There is no common code for it.
const TOO_LONG: [&str; 6] = [
    "prompt is too long",
    "context_length_exceeded",
    "maximum context length",
    "exceed_context_size",
    "context window",
    "too many tokens",
];

impl Endpoint {
    /// An answer that is no stream.
    pub(super) fn answered(
        &self,
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
        model: &str,
    ) -> Failure {
        if status.is_success() {
            return self.no_stream(headers, body);
        }
        if status.is_redirection() {
            return self.redirected(status, headers);
        }
        let said = self.said(body);
        let (at, code) = (self.at(), status.as_u16());
        let is_too_long = || status == 413 || says_any(body, &TOO_LONG);
        let error = match code {
            // Money is not capacity: it does not come back by waiting.
            429 if says_any(body, &["insufficient_quota", "credit balance"]) => {
                Error::Refused { at, status: code, said }
            }
            408 | 409 | 425 | 429 | 500 | 502..=599 => {
                return self.failed(code, retry_after(headers), said);
            }
            401 | 403 => Error::KeyRefused { at, status: code, said, variable: self.variables.key },
            404 => {
                let variable = self.variables.address;
                Error::UnknownModel { at, model: model.to_owned(), said, variable }
            }
            400..=499 if is_too_long() => Error::TooLong { at, said },
            _ => Error::Refused { at, status: code, said },
        };
        Failure { error, again: Again::Never }
    }

    fn failed(&self, status: u16, wait: Option<Duration>, said: String) -> Failure {
        let error = Error::Failed { at: self.at(), attempts: 1, said: format!("{status} {said}") };
        let again = match (status, wait) {
            (429 | 503 | 529, wait) => Again::WhenFree(wait),
            (_, Some(wait)) => Again::WhenFree(Some(wait)),
            (_, None) => Again::Soon,
        };
        Failure { error, again }
    }

    /// Status 200, and yet no stream: a gateway's error, or something else that lives at the address.
    fn no_stream(&self, headers: &HeaderMap, body: &[u8]) -> Failure {
        let json: Value = serde_json::from_slice(body).unwrap_or_default();
        if !json["error"].is_null() {
            let error = Error::Failed { at: self.at(), attempts: 1, said: self.said(body) };
            return Failure { error, again: Again::Soon };
        }
        let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let kind = cut(kind.unwrap_or("nothing"), 100);
        let problem = format!("instead of an event stream it sent {kind} ({})", self.said(body));
        self.nonsense(&problem, Again::Never)
    }

    fn redirected(&self, status: StatusCode, headers: &HeaderMap) -> Failure {
        let target =
            headers.get(LOCATION).and_then(|value| value.to_str().ok()).unwrap_or("nowhere");
        let target = self.blot(cut(target, SAID_BYTES_MAX));
        self.nonsense(&format!("it sends us on ({status}) to {target}"), Again::Never)
    }

    /// The words of an error body: its message, or its beginning.
    fn said(&self, body: &[u8]) -> String {
        let json: Value = serde_json::from_slice(body).unwrap_or_default();
        let message =
            [&json["error"]["message"], &json["error"], &json["message"], &json["detail"]];
        let text = match message.iter().find_map(|value| value.as_str()) {
            Some(message) => message.to_owned(),
            None => {
                String::from_utf8_lossy(&body[..body.len().min(SAID_BYTES_MAX * 2)]).into_owned()
            }
        };
        self.short(&text)
    }

    /// One line, cut, without the key.
    fn short(&self, text: &str) -> String {
        let line = self.blot(text).split_whitespace().collect::<Vec<_>>().join(" ");
        let line: String = line.chars().filter(|c| !c.is_control()).collect();
        let short = cut(&line, SAID_BYTES_MAX);
        match short {
            "" => "no explanation".to_owned(),
            short if short.len() < line.len() => format!("{short}…"),
            short => short.to_owned(),
        }
    }

    /// The request did not get through.
    pub(super) fn unsent(&self, error: reqwest::Error) -> Failure {
        let cause = self.short(&causes(&error.without_url()));
        let variable = self.variables.address;
        let error = Error::Unreachable { at: self.at(), attempts: 1, cause, variable };
        Failure { error, again: Again::Soon }
    }

    /// The connection broke.
    pub(super) fn cut(&self, error: reqwest::Error) -> Failure {
        let cause = self.short(&causes(&error.without_url()));
        Failure { error: Error::Cut { at: self.at(), attempts: 1, cause }, again: Again::Soon }
    }

    /// Nothing came.
    pub(super) fn silent(&self, waited: Duration) -> Failure {
        let error = Error::Silent { at: self.at(), attempts: 1, waited };
        Failure { error, again: Again::Once }
    }

    /// What came is not the format.
    pub(super) fn nonsense(&self, problem: &str, again: Again) -> Failure {
        let problem = self.short(problem);
        let variable = self.variables.address;
        Failure { error: Error::Nonsense { at: self.at(), problem, variable }, again }
    }

    /// What came is no event stream.
    pub(super) fn unreadable(&self, error: &sse::Error) -> Failure {
        self.nonsense(&error.to_string(), Again::Once)
    }

    /// The stream says or shows that something is wrong.
    pub(super) fn trouble(&self, trouble: Trouble) -> Failure {
        let at = self.at();
        match trouble {
            Trouble::Reported { kind, message } => self.reported(&kind, &message),
            Trouble::Nonsense(problem) => self.nonsense(&problem, Again::Once),
            Trouble::Early => {
                let cause = "the stream ended before the answer did".to_owned();
                Failure { error: Error::Cut { at, attempts: 1, cause }, again: Again::Soon }
            }
            Trouble::TooMuch(problem) => {
                Failure { error: Error::TooMuch { at, problem }, again: Again::Never }
            }
        }
    }

    fn reported(&self, kind: &str, message: &str) -> Failure {
        let at = self.at();
        let said = self.short(&format!("{kind} {message}"));
        let is = |words: &[&str]| says_any(kind.as_bytes(), words);
        if says_any(said.as_bytes(), &TOO_LONG) {
            return Failure { error: Error::TooLong { at, said }, again: Again::Never };
        }
        if is(&[
            "invalid_request",
            "authentication",
            "permission",
            "not_found",
            "400",
            "401",
            "403",
        ]) {
            return Failure {
                error: Error::Refused { at, status: 200, said },
                again: Again::Never,
            };
        }
        let full = is(&["overloaded", "rate_limit", "429", "529", "503"]);
        let again = if full { Again::WhenFree(None) } else { Again::Soon };
        Failure { error: Error::Failed { at, attempts: 1, said }, again }
    }

    /// The error of a call that had better wait longer than a call may.
    pub(super) fn busy(&self, error: Error, retry_after: Duration) -> Error {
        let said = match error {
            Error::Failed { said, .. } => said,
            other => other.to_string(),
        };
        Error::Busy { at: self.at(), retry_after, said }
    }
}

fn says_any(text: &[u8], words: &[&str]) -> bool {
    let text = String::from_utf8_lossy(text).to_lowercase();
    words.iter().any(|word| text.contains(word))
}
