//! All providers of a node, chosen by the model that a request names.

use std::sync::Arc;

use async_trait::async_trait;

use super::echo::Echo;
use super::error::Error;
use super::remote::{AUTO_MODEL, Endpoint, Remote, Timeouts, Variables};
use super::request::{ModelSpec, ProviderName, Request};
use super::retry::RetryPolicy;
use super::{Answer, Provider, Sink};
use crate::ctx::OpCtx;
use crate::runtime::IdGen;

pub use super::remote::ApiKey;

const ANTHROPIC_BASE_URL: &str = "https://api.anthropic.com";
const OPENAI_BASE_URL: &str = "https://api.openai.com/v1";
const OLLAMA_PORT: u16 = 11434;

/// Model of a node that has a key of Anthropic and names none.
pub const ANTHROPIC_MODEL: &str = "claude-sonnet-5-5";

/// Model of a node that has a key of `OpenAI` and names none.
pub const OPENAI_MODEL: &str = "gpt-6-luna";

/// What is known of providers. Each field is a setting of the environment with the same name.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// `ANTHROPIC_API_KEY`.
    pub anthropic_api_key: Option<ApiKey>,
    /// `ANTHROPIC_BASE_URL`; a gateway may need no key.
    pub anthropic_base_url: Option<String>,
    /// `OPENAI_API_KEY`.
    pub openai_api_key: Option<ApiKey>,
    /// `OPENAI_BASE_URL`; local servers need no key.
    pub openai_base_url: Option<String>,
    /// `OLLAMA_HOST`, in Ollama's own notation: host, port, both, or an address.
    pub ollama_host: Option<String>,
    /// `BRAIN_MODEL`: what answers where nothing else is said.
    pub model: Option<ModelSpec>,
    /// How long providers may take.
    pub timeouts: Timeouts,
    /// How often they are asked again.
    pub retry: RetryPolicy,
}

/// All providers of a node.
#[derive(Debug)]
pub struct Providers {
    anthropic: Option<Remote>,
    openai: Option<Remote>,
    ollama: Option<Remote>,
    default: ModelSpec,
}

impl Providers {
    /// Sets up what the configuration names. Connects to nothing. `ids` gives jitter and missing call ids.
    ///
    /// # Errors
    /// [`Error::Misconfigured`] for an address or key that can't be used, [`Error::NotConfigured`] if the default model
    /// has no provider.
    pub fn new(config: Config, ids: &Arc<IdGen>) -> Result<Self, Error> {
        let remote = |endpoint| Remote::new(endpoint, config.retry, Arc::clone(ids));
        let default = default_model(&config)?;
        let providers = Self {
            anthropic: anthropic(&config)?.map(remote),
            openai: openai(&config)?.map(remote),
            ollama: ollama(&config, &default)?.map(remote),
            default,
        };
        providers.choose(&providers.default)?;
        Ok(providers)
    }

    /// What answers where nothing else is said.
    #[must_use]
    pub fn default_model(&self) -> &ModelSpec {
        &self.default
    }

    /// Whether the model has a provider here.
    ///
    /// # Errors
    /// [`Error::NotConfigured`] says what to set.
    pub fn check(&self, model: &ModelSpec) -> Result<(), Error> {
        self.choose(model).map(drop)
    }

    fn choose(&self, model: &ModelSpec) -> Result<&dyn Provider, Error> {
        let provider = model.provider();
        let (remote, variables) = match provider {
            ProviderName::Echo => return Ok(&Echo),
            ProviderName::Anthropic => (&self.anthropic, "ANTHROPIC_API_KEY"),
            ProviderName::OpenAi => {
                (&self.openai, "OPENAI_API_KEY, or OPENAI_BASE_URL for a local server")
            }
            ProviderName::Ollama => (&self.ollama, "OLLAMA_HOST"),
        };
        match remote {
            Some(remote) => Ok(remote),
            None => Err(Error::NotConfigured { provider, variables }),
        }
    }
}

#[async_trait]
impl Provider for Providers {
    async fn call(&self, ctx: &OpCtx, request: &Request, sink: &dyn Sink) -> Result<Answer, Error> {
        self.choose(&request.model)?.call(ctx, request, sink).await
    }
}

/// The model that is named, else the first that is configured, else the built-in one. Servers that people run
/// themselves are asked what they serve.
fn default_model(config: &Config) -> Result<ModelSpec, Error> {
    if let Some(model) = &config.model {
        return Ok(model.clone());
    }
    let (provider, name) = if has_anthropic(config) {
        ("anthropic", ANTHROPIC_MODEL)
    } else if config.openai_base_url.is_some() {
        ("openai", AUTO_MODEL)
    } else if config.openai_api_key.is_some() {
        ("openai", OPENAI_MODEL)
    } else if config.ollama_host.is_some() {
        ("ollama", AUTO_MODEL)
    } else {
        return Ok(ModelSpec::echo());
    };
    format!("{provider}/{name}").parse().map_err(|error: super::request::InvalidModelSpec| {
        Error::Misconfigured { variable: "BRAIN_MODEL", problem: error.to_string() }
    })
}

fn has_anthropic(config: &Config) -> bool {
    config.anthropic_api_key.is_some() || config.anthropic_base_url.is_some()
}

fn anthropic(config: &Config) -> Result<Option<Endpoint>, Error> {
    if !has_anthropic(config) {
        return Ok(None);
    }
    let base = config.anthropic_base_url.as_deref().unwrap_or(ANTHROPIC_BASE_URL);
    let variables = Variables { key: "ANTHROPIC_API_KEY", address: "ANTHROPIC_BASE_URL" };
    let key = config.anthropic_api_key.clone();
    Endpoint::new(ProviderName::Anthropic, base, key, variables, config.timeouts).map(Some)
}

fn openai(config: &Config) -> Result<Option<Endpoint>, Error> {
    if config.openai_api_key.is_none() && config.openai_base_url.is_none() {
        return Ok(None);
    }
    let base = config.openai_base_url.as_deref().unwrap_or(OPENAI_BASE_URL);
    let variables = Variables { key: "OPENAI_API_KEY", address: "OPENAI_BASE_URL" };
    let key = config.openai_api_key.clone();
    Endpoint::new(ProviderName::OpenAi, base, key, variables, config.timeouts).map(Some)
}

/// Ollama needs no configuration where it runs on its usual port: naming a model of it is enough.
fn ollama(config: &Config, default: &ModelSpec) -> Result<Option<Endpoint>, Error> {
    let wanted = default.provider() == ProviderName::Ollama;
    let host = match &config.ollama_host {
        Some(host) => host.as_str(),
        None if wanted => "",
        None => return Ok(None),
    };
    let base = ollama_base(host);
    let variables = Variables { key: "OLLAMA_HOST", address: "OLLAMA_HOST" };
    Endpoint::new(ProviderName::Ollama, &base, None, variables, config.timeouts).map(Some)
}

/// An address from Ollama's notation. What a server listens on («all interfaces») is no place to call.
fn ollama_base(host: &str) -> String {
    let host = host.trim().trim_end_matches('/');
    if let Some((scheme, rest)) = host.split_once("://") {
        // By Ollama's rule an address with a scheme has the scheme's own port.
        return format!("{scheme}://{}", rest.replacen("0.0.0.0", "127.0.0.1", 1));
    }
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() && !name.ends_with(':') => (name, port),
        _ => (host, ""),
    };
    let name = if matches!(name, "" | "0.0.0.0") { "127.0.0.1" } else { name };
    if port.is_empty() {
        format!("http://{name}:{OLLAMA_PORT}")
    } else {
        format!("http://{name}:{port}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ollama_hosts_are_read_as_ollama_reads_them() {
        for (host, expect) in [
            ("", "http://127.0.0.1:11434"),
            ("0.0.0.0", "http://127.0.0.1:11434"),
            ("0.0.0.0:8000", "http://127.0.0.1:8000"),
            (":8000", "http://127.0.0.1:8000"),
            ("box", "http://box:11434"),
            ("box:1/", "http://box:1"),
            ("https://box", "https://box"),
            ("http://0.0.0.0:5", "http://127.0.0.1:5"),
        ] {
            assert_eq!(ollama_base(host), expect, "{host}");
        }
    }

    #[track_caller]
    fn check(config: Config, expect: &str) {
        let ids = Arc::new(IdGen::seeded(1));
        let chosen = Providers::new(config, &ids).map(|p| p.default_model().to_string());
        assert_eq!(chosen.unwrap_or_else(|error| error.to_string()), expect);
    }

    #[test]
    fn the_default_model_is_what_is_configured() {
        let key = || ApiKey::new("k");
        let url = || Some("http://127.0.0.1:1".to_owned());
        check(Config::default(), "echo");
        check(
            Config { anthropic_api_key: key(), ..Config::default() },
            "anthropic/claude-sonnet-5-5",
        );
        check(Config { openai_api_key: key(), ..Config::default() }, "openai/gpt-6-luna");
        check(Config { openai_base_url: url(), ..Config::default() }, "openai/auto");
        check(Config { ollama_host: Some(String::new()), ..Config::default() }, "ollama/auto");
        let model = |name: &str| Some(name.parse().unwrap());
        check(Config { model: model("ollama/qwen3"), ..Config::default() }, "ollama/qwen3");
        check(
            Config { model: model("anthropic/x"), ..Config::default() },
            "anthropic is not configured: set ANTHROPIC_API_KEY, or choose another model with BRAIN_MODEL",
        );
        check(
            Config { openai_api_key: ApiKey::new("a\nb"), ..Config::default() },
            "OPENAI_API_KEY can't be used: it has characters that no key has (line end, control character)",
        );
    }

    #[test]
    fn keys_are_never_shown() {
        let config = Config { anthropic_api_key: ApiKey::new("geheim"), ..Config::default() };
        assert!(!format!("{config:?}").contains("geheim"));
        let providers = Providers::new(config, &Arc::new(IdGen::seeded(1))).unwrap();
        assert!(!format!("{providers:?}").contains("geheim"));
    }
}
