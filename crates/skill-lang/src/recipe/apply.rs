//! The snapshot a process is spawned with. Later edits of the recipe do not reach it.

use api_types::ids::{RecipeName, SkillName};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{DEFAULT, Guard, ProfileBlock, PromptMode, Recipe, SessionPolicy, ToolLists};

/// How talkative a process is towards its parent and the client, unless its parameters say so.
const PROGRESS: (&str, &str) = ("progress", "normal");

/// A recipe, applied for a kind of client and with a caller's parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Applied {
    /// Which recipe.
    pub recipe: RecipeName,
    /// The engine to run.
    pub engine: String,
    /// The kind of client it was applied for.
    pub profile: String,
    /// Parameters of the recipe, the profile and the caller; the last wins.
    pub params: Map<String, Value>,
    /// Parameters of the recipe that the profile or the caller replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overridden: Vec<String>,
    /// Parameters of the caller that a locked recipe refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
    /// Template for the system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_prefix: Option<String>,
    /// Template of the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_prefix_append: Option<String>,
    /// What the prefix does to the engine's own prompt.
    pub prompt_mode: PromptMode,
    /// Sent when an answer keeps back what tools returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_relay_correction: Option<String>,
    /// Changes to what can be called.
    pub tools: ToolChanges,
    /// What is shown of it, by mode.
    pub filter: ToolFilter,
    /// Skills that are active from the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub default_active_skills: Vec<SkillName>,
    /// The only skills that may be active; `None` allows all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_skills: Option<Vec<SkillName>>,
    /// Whether the default skills can't be cleared.
    pub locked: bool,
    /// Checks of a finished answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<Guard>,
    /// How a session behaves that starts with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionPolicy>,
}

/// Changes to the set of tools that can be called; labels (`@…`) are not yet resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolChanges {
    /// Added, deferred tools included: they can be called as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<String>,
    /// Removed, whoever added them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<String>,
}

/// The blocks that decide what is shown, nearest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFilter {
    modes: Vec<IndexMap<String, ToolLists>>,
    bases: Vec<ToolLists>,
}

/// What is shown to the model in one mode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisibleTools {
    /// Shown in full.
    pub primary: Vec<String>,
    /// Shown by name.
    pub deferred: Vec<String>,
    /// Not there at all: the union of all blocks that apply.
    pub removed: Vec<String>,
    /// Stay when there are too many.
    pub keep: Vec<String>,
    /// Go first when there are too many.
    pub drop_first: Vec<String>,
}

impl Recipe {
    /// Applies the recipe for a kind of client. `caller` are the parameters of whoever spawns the process.
    #[must_use]
    pub fn apply(&self, profile: &str, caller: &Map<String, Value>) -> Applied {
        let fallback = self.profiles.get(DEFAULT);
        let block = self.profiles.get(profile).or(fallback);
        let nothing = ProfileBlock::default();
        let chosen = block.unwrap_or(&nothing);
        let (params, overridden) = self.params(chosen, caller);
        Applied {
            recipe: self.name.clone(),
            engine: self.engine.clone(),
            profile: profile.to_owned(),
            params,
            overridden,
            refused: if self.locked { caller.keys().cloned().collect() } else { Vec::new() },
            prompt_prefix: self.prompt_prefix.clone(),
            prompt_prefix_append: chosen.prompt_prefix_append.clone(),
            prompt_mode: self.prompt_mode,
            data_relay_correction: self.data_relay_correction.clone(),
            tools: ToolChanges::of(&[&self.tools, &chosen.tools]),
            filter: self.filter(chosen, fallback),
            default_active_skills: self.default_active_skills.clone(),
            allowed_skills: self.allowed_skills.clone(),
            locked: self.locked,
            guards: self.guards.clone(),
            session: chosen.session.or(fallback.and_then(|block| block.session)),
        }
    }

    fn params(
        &self,
        profile: &ProfileBlock,
        caller: &Map<String, Value>,
    ) -> (Map<String, Value>, Vec<String>) {
        let mut params = self.params.clone();
        let mut overridden = Vec::new();
        let nothing = Map::new();
        let caller = if self.locked { &nothing } else { caller };
        for (key, value) in profile.params.iter().chain(caller) {
            let replaced = params.insert(key.clone(), value.clone());
            if replaced.is_some_and(|replaced| replaced != *value) && !overridden.contains(key) {
                overridden.push(key.clone());
            }
        }
        let (progress, normal) = PROGRESS;
        params.entry(progress).or_insert_with(|| Value::from(normal));
        (params, overridden)
    }

    fn filter(&self, profile: &ProfileBlock, fallback: Option<&ProfileBlock>) -> ToolFilter {
        let modes = [Some(&profile.modes), fallback.map(|block| &block.modes), Some(&self.modes)];
        let modes =
            modes.into_iter().flatten().filter(|modes| !modes.is_empty()).cloned().collect();
        ToolFilter { modes, bases: vec![profile.tools.clone(), self.tools.clone()] }
    }
}

impl ToolChanges {
    fn of(layers: &[&ToolLists]) -> ToolChanges {
        ToolChanges {
            add: union(layers.iter().flat_map(|lists| [&lists.add, &lists.defer])),
            remove: union(layers.iter().map(|lists| &lists.remove)),
        }
    }

    /// Whether the engine's own set stays as it is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.add.is_empty() && self.remove.is_empty()
    }
}

impl ToolFilter {
    /// What is shown in `mode`: of what blocks show, the nearest that shows anything; of what they remove, all.
    #[must_use]
    pub fn at(&self, mode: &str) -> VisibleTools {
        let mode = mode.to_uppercase();
        let of_mode = |modes: &'_ IndexMap<String, ToolLists>| -> Vec<ToolLists> {
            [mode.as_str(), DEFAULT].iter().filter_map(|name| modes.get(*name)).cloned().collect()
        };
        let blocks: Vec<Vec<ToolLists>> = self.modes.iter().map(of_mode).collect();
        // The nearest block of the mode decides even if it is empty; then the lists that hold in every mode.
        let decisive = blocks.iter().flatten().next();
        let shown = decisive.into_iter().chain(&self.bases).find(|lists| lists.shows_any());
        // Within one layer the block of the mode stands instead of that for all other modes.
        let applying = || blocks.iter().filter_map(|layer| layer.first()).chain(&self.bases);
        VisibleTools {
            primary: shown.map(|lists| lists.add.clone()).unwrap_or_default(),
            deferred: shown.map(|lists| lists.defer.clone()).unwrap_or_default(),
            removed: union(applying().map(|lists| &lists.remove)),
            keep: union(applying().map(|lists| &lists.keep)),
            drop_first: union(applying().map(|lists| &lists.drop_first)),
        }
    }
}

/// All entries, each once, in order of appearance.
fn union<'l>(lists: impl Iterator<Item = &'l Vec<String>>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for entry in lists.flatten() {
        if !all.contains(entry) {
            all.push(entry.clone());
        }
    }
    all
}
