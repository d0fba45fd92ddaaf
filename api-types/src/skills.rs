//! Skills as clients see them. The names `SkillScope`, `SkillTriggerDto`, `SkillTriggerType`,
//! `SkillReferenceDocDto`, `SkillReferenceDocLoadMode` and `ActiveSkillRefDto` are contract.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{InvalidSkillName, Revision, SkillName};

/// The layer that a skill was found in.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SkillScope {
    /// The user's own project, `_user_<login>`.
    User,
    /// Folders of the connected foot.
    Local,
    /// The session's project.
    Project,
    /// The tenant-wide project, `_tenant`.
    Vance,
    /// Shipped with the service.
    Resource,
}

impl SkillScope {
    /// All layers, nearest first.
    pub const ALL: [Self; 5] =
        [Self::User, Self::Local, Self::Project, Self::Vance, Self::Resource];

    /// The command-line spelling: `user local project tenant bundled`.
    #[must_use]
    pub fn cli_name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Local => "local",
            Self::Project => "project",
            Self::Vance => "tenant",
            Self::Resource => "bundled",
        }
    }

    /// Reads the command-line spelling, or the wire name in any case.
    #[must_use]
    pub fn from_cli(text: &str) -> Option<Self> {
        let text = text.to_lowercase();
        match text.as_str() {
            "vance" => return Some(Self::Vance),
            "resource" => return Some(Self::Resource),
            _ => {}
        }
        Self::ALL.into_iter().find(|scope| scope.cli_name() == text)
    }
}

/// A skill by its name, or one layer's copy of it: `name` or `name@layer`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export, type = "string"))]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct SkillRef {
    /// The skill.
    pub name: SkillName,
    /// The layer whose copy is meant; `None` = the one that counts.
    pub layer: Option<SkillScope>,
}

/// A text that names no skill.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSkillRef {
    /// The part before `@` is no name.
    #[error(transparent)]
    Name(#[from] InvalidSkillName),
    /// The part behind `@` is no layer.
    #[error("{0:?} is no layer; there are: user, local, project, tenant, bundled")]
    Layer(String),
}

impl FromStr for SkillRef {
    type Err = InvalidSkillRef;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some((name, layer)) = text.split_once('@') else {
            return Ok(Self { name: text.parse()?, layer: None });
        };
        let unknown = || InvalidSkillRef::Layer(layer.chars().take(80).collect());
        Ok(Self {
            name: name.parse()?,
            layer: Some(SkillScope::from_cli(layer).ok_or_else(unknown)?),
        })
    }
}

impl fmt::Display for SkillRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.layer {
            Some(layer) => write!(f, "{}@{}", self.name, layer.cli_name()),
            None => self.name.fmt(f),
        }
    }
}

impl TryFrom<String> for SkillRef {
    type Error = InvalidSkillRef;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<SkillRef> for String {
    fn from(skill: SkillRef) -> Self {
        skill.to_string()
    }
}

impl From<SkillName> for SkillRef {
    fn from(name: SkillName) -> Self {
        Self { name, layer: None }
    }
}

/// How a trigger matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SkillTriggerType {
    /// A regular expression.
    Pattern,
    /// A share of keywords.
    Keywords,
}

/// One trigger of a skill.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SkillTriggerDto {
    /// How it matches.
    pub r#type: SkillTriggerType,
    /// The pattern, for `PATTERN`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The keywords, for `KEYWORDS`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
}

/// When a reference document enters the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SkillReferenceDocLoadMode {
    /// With the skill's body.
    Inline,
    /// When a tool asks for it.
    OnDemand,
}

/// A reference document of a skill.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SkillReferenceDocDto {
    /// Its title.
    pub title: String,
    /// Path inside the skill's folder.
    pub file: String,
    /// One line for the listing of documents on demand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// When it enters the prompt.
    pub load_mode: SkillReferenceDocLoadMode,
}

/// A skill that is active on a process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ActiveSkillRefDto {
    /// The skill.
    pub name: SkillName,
    /// Where it was found at its activation.
    pub resolved_from_scope: SkillScope,
    /// Ends after the next turn.
    pub one_shot: bool,
    /// Came with the recipe.
    pub from_recipe: bool,
    /// When it was activated, milliseconds since 1970.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub activated_at: i64,
    /// The raw arguments, where the skill consumes any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<String>,
}

/// How bad a diagnostic is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "lowercase")]
pub enum SeverityDto {
    /// Loads, but should be looked at.
    Warning,
    /// Does not load.
    Error,
}

/// One problem of a file, with its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct DiagnosticDto {
    /// Stable code of the rule.
    pub code: String,
    /// How bad it is.
    pub severity: SeverityDto,
    /// What is wrong, and what to do.
    pub message: String,
    /// The file.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// A repair that a tool can apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub fix: Option<serde_json::Value>,
}

/// Whether a copy of a skill can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SkillState {
    /// Can be activated.
    Valid,
    /// Switched off by `enabled: false`.
    Disabled,
    /// Has errors; shadows outer copies and can't be activated.
    Invalid,
}

/// One skill of a listing: the copy that counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SkillSummaryDto {
    /// Its name, which is its folder's.
    pub name: SkillName,
    /// Display name.
    pub title: String,
    /// What it does and when to use it.
    pub description: String,
    /// As its author wrote it.
    pub version: String,
    /// Discovery hints.
    pub tags: Vec<String>,
    /// The layer that it was found in.
    pub source: SkillScope,
    /// Whether it can be used.
    pub state: SkillState,
    /// `false` exactly when the winning copy is switched off.
    pub enabled: bool,
    /// What to type behind its name, if it takes arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument_hint: Option<String>,
    /// Problems of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<DiagnosticDto>,
}

/// All skills of a scope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct EffectiveSkillsResponse {
    /// The winner of each name, by name.
    pub skills: Vec<SkillSummaryDto>,
}

/// Skills active on a process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ActiveSkillsResponse {
    /// In the order of their activation.
    pub skills: Vec<ActiveSkillRefDto>,
}

/// Why a copy is, or is not, the one that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SkillVerdict {
    /// This copy counts.
    Wins,
    /// This copy decides, and is switched off: the name can't be used.
    WinsDisabled,
    /// This copy decides, and has errors: the name can't be used.
    WinsInvalid,
    /// A nearer copy counts.
    Shadowed,
    /// A nearer copy is switched off, and hides this one.
    HiddenByDisabled,
    /// A nearer copy has errors, and shadows this one.
    ShadowedByInvalid,
    /// An outer layer locks the name, so its copy counts.
    Overruled,
}

/// One copy of a skill and its place in the cascade.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SkillCandidateDto {
    /// The copy.
    pub skill: SkillSummaryDto,
    /// What became of it.
    pub verdict: SkillVerdict,
    /// The verdict in words, with the name of the layer that decided.
    pub reason: String,
    /// Revision of the copy's layer that was read; absent for bundled ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
    /// Folder of the copy in its project.
    pub folder: String,
}

/// A file of a skill's folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SkillFileDto {
    /// Path inside the folder.
    pub path: String,
    /// Bytes.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub size: u64,
}

/// How a name resolves, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ExplainSkillResponse {
    /// The name asked for.
    pub name: SkillName,
    /// The copy that is shown: the winner, or the layer asked for by `name@layer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<ShownSkillDto>,
    /// All copies, nearest first, with their verdicts.
    pub candidates: Vec<SkillCandidateDto>,
}

/// What one trigger makes of a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct TriggerExplanationDto {
    /// How it matches.
    pub r#type: SkillTriggerType,
    /// It fires.
    pub fires: bool,
    /// Keywords in the text, or the piece that the pattern matched.
    pub found: Vec<String>,
    /// Keywords that are not in the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missed: Vec<String>,
    /// Keywords that never count: they have no word of two characters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
    /// So many keywords have to be found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needed: Option<u32>,
    /// The pattern could not be run to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// What a skill's triggers make of a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SkillMatchDto {
    /// The skill.
    pub name: SkillName,
    /// The layer of the copy that counts.
    pub source: SkillScope,
    /// One of its triggers fires, and it can be used.
    pub fires: bool,
    /// Why its triggers were not looked at: switched off, broken, or it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// Its triggers, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<TriggerExplanationDto>,
}

/// What all skills of a scope make of a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SkillMatchesResponse {
    /// Those that fire first, then by name.
    pub skills: Vec<SkillMatchDto>,
}

/// A skill in full.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ShownSkillDto {
    /// The listing's entry.
    pub summary: SkillSummaryDto,
    /// SKILL.md as it is stored.
    pub text: String,
    /// Its triggers.
    pub triggers: Vec<SkillTriggerDto>,
    /// Its reference documents.
    pub reference_docs: Vec<SkillReferenceDocDto>,
    /// Tools that it adds while active.
    pub tools: Vec<String>,
    /// All files of its folder.
    pub files: Vec<SkillFileDto>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Option<(&str, Option<SkillScope>)>) {
        let got = text.parse::<SkillRef>().ok();
        assert_eq!(got.as_ref().map(|r| (r.name.as_str(), r.layer)), expect, "{text:?}");
    }

    #[test]
    fn a_layer_may_stand_behind_the_name() {
        check("review", Some(("review", None)));
        check("Review@Tenant", Some(("review", Some(SkillScope::Vance))));
        check("review@RESOURCE", Some(("review", Some(SkillScope::Resource))));
        check("review@nowhere", None);
        check("review@", None);
        check("@user", None);
        check("a@user@b", None);
    }
}
