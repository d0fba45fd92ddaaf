//! Configuration: file (TOML), environment, flags; later wins. The environment is read here only.

mod keys;
mod source;

use std::net::SocketAddr;
use std::path::PathBuf;

use api_types::ids::RecipeName;

pub use keys::{KEYS, Key};
pub use source::{Environment, ProcessEnvironment, Source, Values};

use crate::models::{self, ApiKey};

/// Part of the work that a node takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Connections and lanes.
    All,
    /// Connections only.
    Gateway,
    /// Lanes only.
    Worker,
}

/// Why a configuration can't be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file can't be read.
    #[error("can't read the configuration file {path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is no TOML.
    #[error("{path}: {message}")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// With line and column.
        message: String,
    },
    /// A key that nobody knows.
    #[error("{path}: unknown key `{key}`{}", .near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default())]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// The nearest known one.
        near: Option<&'static str>,
    },
    /// A value that its key does not take.
    #[error("{key} = {value:?} ({origin}): {problem}")]
    Value {
        /// The key.
        key: &'static str,
        /// The value; `…` for secrets.
        value: String,
        /// Where it came from.
        origin: Source,
        /// What is wrong, and what would be right.
        problem: String,
    },
}

/// Everything that a node is told.
#[derive(Clone, Debug)]
pub struct Config {
    /// Folder of the embedded store.
    pub data: PathBuf,
    /// Where to listen.
    pub listen: SocketAddr,
    /// What to do.
    pub role: Role,
    /// Recipe of chats whose maker names none.
    pub default_recipe: RecipeName,
    /// Model providers.
    pub models: models::Config,
    /// Log filter, in the syntax of `tracing`'s `EnvFilter`.
    pub log: String,
}

impl Config {
    /// Reads the values.
    ///
    /// # Errors
    /// The first value that its key does not take.
    pub fn read(values: &Values) -> Result<Self, Error> {
        Ok(Self {
            data: values.parse("data", "a path")?,
            listen: values.parse("listen", "an address and port, such as 127.0.0.1:9990")?,
            role: match values.text("role") {
                "all" => Role::All,
                "gateway" => Role::Gateway,
                "worker" => Role::Worker,
                _ => return Err(values.refuse("role", "write all, gateway or worker")),
            },
            default_recipe: values.parse("default_recipe", "the name of a recipe")?,
            models: models::Config {
                model: values
                    .optional("model")
                    .map(|text| {
                        text.parse().map_err(|e: models::request::InvalidModelSpec| {
                            values.refuse("model", &e.to_string())
                        })
                    })
                    .transpose()?,
                anthropic_api_key: values.optional("anthropic.api_key").and_then(ApiKey::new),
                anthropic_base_url: values.optional("anthropic.base_url").map(str::to_owned),
                openai_api_key: values.optional("openai.api_key").and_then(ApiKey::new),
                openai_base_url: values.optional("openai.base_url").map(str::to_owned),
                ollama_host: values.optional("ollama.host").map(str::to_owned),
                ..models::Config::default()
            },
            log: values.text("log").to_owned(),
        })
    }
}

#[cfg(test)]
mod tests;
