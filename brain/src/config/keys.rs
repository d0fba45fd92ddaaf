//! All keys of the configuration.

/// One key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name in the file; a dot opens a table.
    pub name: &'static str,
    /// Its name in the environment.
    pub env: &'static str,
    /// Its value when nobody gives one; empty = none.
    pub default: &'static str,
    /// Never printed.
    pub secret: bool,
    /// One line for people.
    pub help: &'static str,
}

const fn key(
    name: &'static str,
    env: &'static str,
    default: &'static str,
    help: &'static str,
) -> Key {
    Key { name, env, default, secret: false, help }
}

const fn secret(name: &'static str, env: &'static str, help: &'static str) -> Key {
    Key { name, env, default: "", secret: true, help }
}

/// All keys, in the order in which `brain config` prints them.
pub const KEYS: &[Key] = &[
    key("data", "BRAIN_DATA", "./data", "folder of the embedded store"),
    key("listen", "BRAIN_LISTEN", "127.0.0.1:9990", "address and port"),
    key("role", "BRAIN_ROLE", "all", "all, gateway or worker"),
    key("log", "BRAIN_LOG", "info", "log filter, such as info,brain::lanes=debug"),
    key(
        "default_recipe",
        "BRAIN_DEFAULT_RECIPE",
        "default",
        "recipe of a chat whose maker names none",
    ),
    key("model", "BRAIN_MODEL", "", "provider/model, such as anthropic/claude-sonnet-4-5, or echo"),
    secret("anthropic.api_key", "ANTHROPIC_API_KEY", "key of Anthropic's API"),
    key("anthropic.base_url", "ANTHROPIC_BASE_URL", "", "another address of Anthropic's API"),
    secret("openai.api_key", "OPENAI_API_KEY", "key of OpenAI's API, or of a compatible server"),
    key("openai.base_url", "OPENAI_BASE_URL", "", "address of a compatible server"),
    key("ollama.host", "OLLAMA_HOST", "", "address of an Ollama server"),
];
