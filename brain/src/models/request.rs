//! What a model is asked, and which one.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::segment::{Segment, ToolSet};

/// Who serves a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProviderName {
    /// Anthropic, or a gateway that speaks its Messages format.
    Anthropic,
    /// `OpenAI`, or a server that speaks its chat completions: vLLM, llama.cpp, gateways.
    OpenAi,
    /// Ollama, through its chat completions.
    Ollama,
    /// The built-in model that describes its prompt.
    Echo,
}

impl ProviderName {
    /// The name in configuration and messages.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Ollama => "ollama",
            Self::Echo => "echo",
        }
    }
}

impl fmt::Display for ProviderName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A model: its provider and the provider's name for it. Written `provider/model`, or `echo`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ModelSpec {
    provider: ProviderName,
    name: Arc<str>,
}

/// Longest model name, in bytes.
pub const MODEL_NAME_BYTES_MAX: usize = 256;

/// Why a text names no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "«{written}» names no model: {problem}; write anthropic/NAME, openai/NAME, ollama/NAME or echo, \
     for instance anthropic/claude-sonnet-5-5"
)]
pub struct InvalidModelSpec {
    written: String,
    problem: &'static str,
}

impl ModelSpec {
    /// The built-in model.
    #[must_use]
    pub fn echo() -> Self {
        Self { provider: ProviderName::Echo, name: "echo".into() }
    }

    /// Who serves it.
    #[must_use]
    pub fn provider(&self) -> ProviderName {
        self.provider
    }

    /// The provider's name for it; may contain slashes and colons.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl FromStr for ModelSpec {
    type Err = InvalidModelSpec;

    fn from_str(written: &str) -> Result<Self, InvalidModelSpec> {
        let text = written.trim();
        let invalid = |problem| InvalidModelSpec {
            written: super::message::cut(text, MODEL_NAME_BYTES_MAX).to_owned(),
            problem,
        };
        if text == "echo" || text == "echo/echo" {
            return Ok(Self::echo());
        }
        let (provider, name) = text.split_once('/').ok_or_else(|| invalid("no provider"))?;
        let provider = match provider {
            "anthropic" => ProviderName::Anthropic,
            "openai" => ProviderName::OpenAi,
            "ollama" => ProviderName::Ollama,
            _ => return Err(invalid("unknown provider")),
        };
        if name.is_empty() {
            return Err(invalid("no model after the provider"));
        }
        if name.len() > MODEL_NAME_BYTES_MAX {
            return Err(invalid("longer than 256 bytes"));
        }
        if name.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(invalid("blank or control character in the name"));
        }
        Ok(Self { provider, name: name.into() })
    }
}

impl fmt::Display for ModelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.provider {
            ProviderName::Echo => f.write_str("echo"),
            provider => write!(f, "{provider}/{}", self.name),
        }
    }
}

impl TryFrom<String> for ModelSpec {
    type Error = InvalidModelSpec;

    fn try_from(text: String) -> Result<Self, InvalidModelSpec> {
        text.parse()
    }
}

impl From<ModelSpec> for String {
    fn from(spec: ModelSpec) -> Self {
        spec.to_string()
    }
}

/// One call of a model.
#[derive(Clone, Debug)]
pub struct Request {
    /// Which model.
    pub model: ModelSpec,
    /// System prompt, in order: what never changes first.
    pub system: Vec<SystemBlock>,
    /// What the model may call.
    pub tools: Arc<ToolSet>,
    /// The conversation, oldest first.
    pub messages: Vec<Arc<Segment>>,
    /// Longest answer, in tokens.
    pub max_tokens: u32,
    /// Sampling temperature; the provider's own default if absent.
    pub temperature: Option<f32>,
}

/// A part of the system prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemBlock {
    /// Its text. Empty blocks are not sent.
    pub text: Arc<str>,
    /// This block ends a prefix that stays the same from request to request: the provider is told to cache up to here.
    pub cache: bool,
}
