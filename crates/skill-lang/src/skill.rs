//! A skill as the rest of the product knows it: one model for both dialects.

mod arguments;
mod triggers;

use api_types::ids::SkillName;
use serde::{Deserialize, Serialize};

pub use self::arguments::{Argument, ArgumentType, Arguments};
pub use self::triggers::{Engine, Match, Trigger};

/// Which format a head is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// `title`, `version`, and what only our skills have. The body is a template.
    Native,
    /// The public format. The body is text, byte for byte.
    #[default]
    Portable,
}

/// How long an activation lasts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lifecycle {
    /// Until it is cleared.
    #[default]
    Sticky,
    /// Never registered: fires once.
    Shot,
}

/// Where an activation takes effect.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "target", rename_all = "lowercase")]
pub enum Run {
    /// In the calling process.
    #[default]
    Inline,
    /// In a new worker.
    Spawn {
        /// The worker's recipe.
        recipe: String,
        /// How much of the caller's context it gets; `none` by default.
        inherit: String,
    },
}

/// When a reference document enters the prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum LoadMode {
    /// With the body.
    #[default]
    Inline,
    /// When a tool asks for it.
    OnDemand,
}

/// A document in the skill's folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReferenceDoc {
    /// Heading in the prompt, and the name to ask for.
    pub title: String,
    /// Path in the skill's folder, `/` between its parts, never leaving it.
    pub file: String,
    /// One line for the listing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// When it enters the prompt.
    #[serde(default, skip_serializing_if = "is_default")]
    pub load_mode: LoadMode,
}

/// Where a script runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ScriptTarget {
    /// In the service's sandbox.
    Brain,
    /// On the user's machine.
    Foot,
}

/// A script that the model can call while the skill is active.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Script {
    /// Part of the tool's name.
    pub name: String,
    /// Where it runs.
    pub target: ScriptTarget,
    /// Path in the skill's folder, `/` between its parts, never leaving it.
    pub file: String,
    /// For the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Parameters; none declared: anything goes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<Argument>,
}

/// All that a `SKILL.md` says above its body. It is stored beside the document, so its form is
/// a contract: fields are only ever added, with a default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Head {
    /// The format that it is written in.
    pub dialect: Dialect,
    /// Display name; derived from the name where the head has none.
    pub title: String,
    /// What the skill does and when to use it. Empty only when the file is broken.
    pub description: String,
    /// As its author wrote it; `0.0.0` where the head has none.
    pub version: String,
    /// Discovery hints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Whether it can be activated at all.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub enabled: bool,
    /// How long an activation lasts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub lifecycle: Lifecycle,
    /// Where it takes effect.
    #[serde(default, skip_serializing_if = "is_default")]
    pub run: Run,
    /// Whether it consumes the rest of the line.
    #[serde(default, skip_serializing_if = "is_default")]
    pub arguments: Arguments,
    /// Engine commands on activation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub activate: Vec<String>,
    /// Engine commands at its end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deactivate: Vec<String>,
    /// Prompt of the turn that an explicit activation starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// When it activates itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<Trigger>,
    /// Tools that it adds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Folders of manuals that it adds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub manual_paths: Vec<String>,
    /// Documents of its folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reference_docs: Vec<ReferenceDoc>,
    /// Scripts of its folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scripts: Vec<Script>,
    /// Licence, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// What it needs around it, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compatibility: Option<String>,
    /// Whatever its author noted; scalars are texts as written.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub metadata: serde_json::Map<String, serde_json::Value>,
    /// Advice shown to people: it neither grants nor takes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_tools: Vec<String>,
    /// Advice shown to people: it neither grants nor takes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disallowed_tools: Vec<String>,
    /// The model may not load it by itself.
    #[serde(default, skip_serializing_if = "is_default")]
    pub disable_model_invocation: bool,
    /// People may invoke it.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub user_invocable: bool,
    /// What to type behind its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument_hint: Option<String>,
    /// More on when to use it; helps ranking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when_to_use: Option<String>,
    /// Domains that it is for; helps ranking.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub serves: Vec<String>,
    /// The body is a template, not text.
    #[serde(default, skip_serializing_if = "is_default")]
    pub template: bool,
    /// Keep to the revision it was activated with.
    #[serde(default, skip_serializing_if = "is_default")]
    pub pin: bool,
}

impl Head {
    /// A head that says nothing, as of a file that can't be read.
    #[must_use]
    pub fn empty(title: String) -> Self {
        Self {
            dialect: Dialect::default(),
            title,
            description: String::new(),
            version: VERSION_DEFAULT.to_owned(),
            tags: Vec::new(),
            enabled: true,
            lifecycle: Lifecycle::default(),
            run: Run::default(),
            arguments: Arguments::default(),
            activate: Vec::new(),
            deactivate: Vec::new(),
            action: None,
            triggers: Vec::new(),
            tools: Vec::new(),
            manual_paths: Vec::new(),
            reference_docs: Vec::new(),
            scripts: Vec::new(),
            license: None,
            compatibility: None,
            metadata: serde_json::Map::new(),
            allowed_tools: Vec::new(),
            disallowed_tools: Vec::new(),
            disable_model_invocation: false,
            user_invocable: true,
            argument_hint: None,
            when_to_use: None,
            serves: Vec::new(),
            template: false,
            pin: false,
        }
    }
}

/// Version of a skill that states none.
pub const VERSION_DEFAULT: &str = "0.0.0";

/// A skill in full.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Skill {
    /// Its name, made from its folder.
    pub name: SkillName,
    /// Its folder's own name.
    pub folder: String,
    /// What stands above the body.
    pub head: Head,
    /// What stands below the closing fence, byte for byte.
    pub body: String,
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_yes(value: &bool) -> bool {
    *value
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
