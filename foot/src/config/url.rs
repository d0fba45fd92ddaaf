//! The brain's address.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A text that is not a brain's address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("brain URL {text:?}: {problem}; it looks like http://127.0.0.1:9990")]
pub(crate) struct InvalidUrl {
    text: String,
    problem: &'static str,
}

/// `http://host[:port][/prefix]` or the same with `https`. Two that mean the same are equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct BrainUrl {
    tls: bool,
    host: String,
    port: u16,
    prefix: String,
}

impl BrainUrl {
    /// Whether the connection is encrypted.
    #[must_use]
    pub(crate) fn tls(&self) -> bool {
        self.tls
    }

    /// Host name or address; one of IPv6 without its brackets.
    #[must_use]
    pub(crate) fn host(&self) -> &str {
        self.host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(&self.host)
    }

    /// Port.
    #[must_use]
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Host and port as the header `Host` wants them.
    #[must_use]
    pub(crate) fn authority(&self) -> String {
        if self.port == default_port(self.tls) {
            self.host.clone()
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// The address of a WebSocket below the brain's own.
    #[must_use]
    pub(crate) fn web_socket(&self, path: &str) -> String {
        let scheme = if self.tls { "wss" } else { "ws" };
        format!("{scheme}://{}{}{path}", self.authority(), self.prefix)
    }
}

fn default_port(tls: bool) -> u16 {
    if tls { 443 } else { 80 }
}

impl FromStr for BrainUrl {
    type Err = InvalidUrl;

    fn from_str(text: &str) -> Result<Self, InvalidUrl> {
        let fail = |problem| Err(InvalidUrl { text: text.chars().take(200).collect(), problem });
        let trimmed = text.trim();
        let (tls, rest) = match trimmed.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => (false, rest),
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => (true, rest),
            Some(_) => return fail("it must begin with http:// or https://"),
            None => return fail("it has no scheme"),
        };
        let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        if authority.contains('@') {
            return fail("a user or a password does not belong into it");
        }
        if path.contains(['?', '#']) || authority.contains(['?', '#']) {
            return fail("it must not have a query or a fragment");
        }
        let allowed = |c: char| c.is_ascii_graphic() && !"\"<>\\^`{|}".contains(c);
        if !trimmed.chars().all(allowed) {
            return fail("it has a character that must not stand in an address");
        }
        // The colons of an IPv6 address stand in brackets.
        let behind_host = authority.rfind(']').map_or(0, |at| at + 1);
        let (host, port) = match authority[behind_host..].split_once(':') {
            None => (authority, default_port(tls)),
            Some((_, port)) => match port.parse() {
                Ok(number) => (&authority[..authority.len() - port.len() - 1], number),
                Err(_) => return fail("the port is not a number up to 65535"),
            },
        };
        if host.is_empty() {
            return fail("it has no host");
        }
        let prefix = path.trim_end_matches('/').to_owned();
        Ok(Self { tls, host: host.to_ascii_lowercase(), port, prefix })
    }
}

impl std::fmt::Display for BrainUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let scheme = if self.tls { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority(), self.prefix)
    }
}

impl TryFrom<String> for BrainUrl {
    type Error = InvalidUrl;

    fn try_from(text: String) -> Result<Self, InvalidUrl> {
        text.parse()
    }
}

impl From<BrainUrl> for String {
    fn from(url: BrainUrl) -> Self {
        url.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let url: BrainUrl = text.parse().expect(text);
        assert_eq!(url.to_string(), expect);
        assert_eq!(expect.parse::<BrainUrl>().as_ref(), Ok(&url));
    }

    #[test]
    fn addresses_that_mean_the_same_are_written_the_same() {
        check("http://127.0.0.1:9990", "http://127.0.0.1:9990");
        check(" HTTP://Brain.Example:80/ ", "http://brain.example");
        check("https://brain.example:443/x/", "https://brain.example/x");
        check("http://[::1]:9990", "http://[::1]:9990");
        check("https://[::1]", "https://[::1]");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in [
            "",
            "brain",
            "ftp://x",
            "http://",
            "http://:80",
            "http://x:99999",
            "http://a@b",
            "http://x?y",
            "http://x/a b",
            "http://x:",
            "http://x/\u{202e}",
        ] {
            assert!(text.parse::<BrainUrl>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn the_web_socket_has_the_same_place() {
        let url: BrainUrl = "https://h:1/p".parse().unwrap();
        assert_eq!(url.web_socket("/brain/t/ws"), "wss://h:1/p/brain/t/ws");
        assert_eq!("http://[::1]:2".parse::<BrainUrl>().unwrap().host(), "::1");
    }
}
