//! The fake model provider as a process of its own: it shares no runtime with what is measured.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::Context;
use serde_json::Value;

use crate::node::built;

/// A running provider that records nothing. Dropping it kills it.
#[derive(Debug)]
pub struct Provider {
    child: Child,
    url: String,
}

impl Provider {
    /// Starts it on a free port.
    ///
    /// # Errors
    /// It is not built, or does not become ready.
    pub fn start() -> anyhow::Result<Self> {
        let mut command = Command::new(built("fake-provider")?);
        let mut child = command.arg("--no-record").stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        let read = BufReader::new(child.stdout.take().context("no output")?).read_line(&mut line);
        let mut provider = Self { child, url: String::new() };
        read?;
        let ready: Value = serde_json::from_str(&line).context("the provider is not ready")?;
        provider.url = ready["http"].as_str().context("the provider names no address")?.to_owned();
        Ok(provider)
    }

    /// Base address, without a slash at its end.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
