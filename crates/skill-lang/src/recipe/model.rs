//! A recipe as its author wrote it, with defaults for the rest.

use api_types::ids::{RecipeName, SkillName};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Engine, parameters, prompt, tool changes and skills.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Recipe {
    /// Stem of its file.
    pub name: RecipeName,
    /// Label for people; the name where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is for; selectors read it.
    pub description: String,
    /// The engine that runs it. Whether there is one of this name is found when it is applied.
    pub engine: String,
    /// Parameters of the engine.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    /// Template for the system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_prefix: Option<String>,
    /// What the prefix does to the engine's own prompt.
    #[serde(default)]
    pub prompt_mode: PromptMode,
    /// Sent when an answer keeps back what tools returned; may hold two numbers, `%d`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_relay_correction: Option<String>,
    /// Changes to the engine's tools, whatever the mode.
    #[serde(flatten)]
    pub tools: ToolLists,
    /// Changes to the visible tools by mode.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub modes: IndexMap<String, ToolLists>,
    /// Changes by the kind of client.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub profiles: IndexMap<String, ProfileBlock>,
    /// Skills that are active from the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub default_active_skills: Vec<SkillName>,
    /// The only skills that may be active; `None` allows all, an empty list none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_skills: Option<Vec<SkillName>>,
    /// Words that select it, in lower case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trigger_keywords: Vec<String>,
    /// Callers' parameters are refused, its default skills can't be cleared.
    #[serde(default, skip_serializing_if = "is_false")]
    pub locked: bool,
    /// A profile for single model calls, hidden from selectors.
    #[serde(default, skip_serializing_if = "is_false")]
    pub internal: bool,
    /// Offered to people.
    #[serde(default, skip_serializing_if = "is_false")]
    pub listed: bool,
    /// Hints for finding it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Checks of a finished answer, in order.
    #[serde(default, rename = "guard", skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<Guard>,
}

/// What a recipe's prompt does to the engine's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum PromptMode {
    /// Follows it.
    #[default]
    Append,
    /// Replaces it.
    Overwrite,
}

/// Changes to a set of tools. Entries are names, `@label`, and in `keep` and `drop_first` also `family_*`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolLists {
    /// Tools to add.
    #[serde(default, rename = "allowedToolsAdd", skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<String>,
    /// Tools to remove.
    #[serde(default, rename = "allowedToolsRemove", skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<String>,
    /// Tools that can be called, and are shown by name only until they are.
    #[serde(default, rename = "allowedToolsDefer", skip_serializing_if = "Vec::is_empty")]
    pub defer: Vec<String>,
    /// Tools that stay when there are too many for the model.
    #[serde(default, rename = "allowedToolsKeep", skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<String>,
    /// Tools that go first when there are too many for the model.
    #[serde(default, rename = "allowedToolsDropFirst", skip_serializing_if = "Vec::is_empty")]
    pub drop_first: Vec<String>,
}

impl ToolLists {
    /// Whether it adds or defers any tool.
    #[must_use]
    pub fn shows_any(&self) -> bool {
        !self.add.is_empty() || !self.defer.is_empty()
    }
}

/// What a recipe does differently for one kind of client.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProfileBlock {
    /// Further changes to the tools.
    #[serde(flatten)]
    pub tools: ToolLists,
    /// Further changes by mode.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub modes: IndexMap<String, ToolLists>,
    /// Template that follows the prefix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_prefix_append: Option<String>,
    /// Parameters that replace the recipe's.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    /// How a session behaves that starts with this recipe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionPolicy>,
}

/// How a session behaves; what is absent is the server's default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionPolicy {
    /// When its last connection is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_disconnect: Option<OnDisconnect>,
    /// When nothing has happened for a while.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_idle: Option<OnIdle>,
    /// When it has been suspended for a while.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_suspend: Option<OnSuspend>,
    /// How long «a while» is, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_timeout_ms: Option<u64>,
    /// How long a suspended session is kept, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspend_keep_duration_ms: Option<u64>,
}

/// What becomes of a session without a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum OnDisconnect {
    /// It halts.
    Suspend,
    /// It goes on.
    KeepOpen,
    /// It is closed.
    Close,
}

/// What becomes of an idle session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum OnIdle {
    /// It halts.
    Suspend,
    /// Nothing.
    None,
}

/// What becomes of a suspended session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum OnSuspend {
    /// It is kept for a time.
    Keep,
    /// It is closed.
    Close,
}

/// A check of a finished answer, which may send the engine back to work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Guard {
    /// What is run.
    #[serde(flatten)]
    pub script: GuardScript,
    /// Handed to the script.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    /// When it is run.
    #[serde(default)]
    pub trigger: GuardTrigger,
    /// How often it may send the engine back; 0 switches it off.
    pub max_rounds: u32,
    /// Whether the script has the tools of the process.
    #[serde(default, skip_serializing_if = "is_false")]
    pub allow_tools: bool,
}

/// Where a guard's script is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum GuardScript {
    /// Path of a document.
    Script(String),
    /// The script itself.
    ScriptBody(String),
}

/// When a guard is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GuardTrigger {
    /// The model has nothing more to do.
    #[default]
    Stop,
    /// A tool ended the work.
    Terminate,
    /// In both cases.
    Both,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}
