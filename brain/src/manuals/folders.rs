//! Where the manuals of a process lie.

use std::sync::Arc;

use api_types::ids::DocumentPath;
use serde_json::{Map, Value};
use skill_lang::skill::ReferenceDoc;

use super::Error;
use crate::lanes::head::LaneView;
use crate::skills::LoadedSkill;

/// The folder that every process has, last.
pub const SHIPPED: &str = "_vance/manuals";
/// Most folders of a process; further ones are ignored.
pub const FOLDERS_MAX: usize = 64;

/// Where the manuals of a process lie, and the skills whose references it can read.
#[derive(Clone, Debug, Default)]
pub struct Folders {
    /// Without trailing `/`, each once, in the order of the search.
    folders: Vec<String>,
    skills: Vec<Arc<LoadedSkill>>,
    /// What is wrong with the recipe's list.
    problem: Option<String>,
}

impl Folders {
    /// Those of a process with these active skills.
    #[must_use]
    pub fn of(view: &LaneView, skills: &[Arc<LoadedSkill>]) -> Self {
        Self::new(&view.spec.recipe.params, skills)
    }

    /// The recipe's folders (`manualPaths` of its parameters), then those of the active skills in
    /// the order of their activation, then [`SHIPPED`].
    #[must_use]
    pub fn new(params: &Map<String, Value>, skills: &[Arc<LoadedSkill>]) -> Self {
        let mut all = Self { folders: Vec::new(), skills: skills.to_vec(), problem: None };
        match params.get("manualPaths") {
            None | Some(Value::Null) => {}
            Some(Value::Array(entries)) => {
                for entry in entries {
                    let added = entry.as_str().is_some_and(|text| all.add(text));
                    if !added && all.problem.is_none() {
                        all.problem = Some(format!("contains {entry}, which is no folder"));
                    }
                }
            }
            Some(other) => all.problem = Some(format!("is {other}")),
        }
        for path in skills.iter().flat_map(|skill| &skill.head.manual_paths) {
            // The loader refused what is no folder.
            all.add(path);
        }
        all.folders.truncate(FOLDERS_MAX - 1);
        all.add(SHIPPED);
        all
    }

    fn add(&mut self, text: &str) -> bool {
        let text = text.trim().replace('\\', "/");
        if text.starts_with('/') {
            return false;
        }
        let Ok(path) = text.trim_end_matches('/').parse::<DocumentPath>() else { return false };
        let folder = path.to_string();
        if !self.folders.contains(&folder) {
            self.folders.push(folder);
        }
        true
    }

    /// The folders, in the order of the search.
    ///
    /// # Errors
    /// The recipe's list is wrong: said when manuals are asked for, so that the process runs.
    pub fn checked(&self) -> Result<&[String], Error> {
        match &self.problem {
            Some(problem) => Err(Error::Folders { problem: problem.clone() }),
            None => Ok(&self.folders),
        }
    }

    /// ON_DEMAND references of the active skills, in the order of their activation.
    pub fn references(&self) -> impl Iterator<Item = (&LoadedSkill, &ReferenceDoc)> {
        self.skills.iter().flat_map(|skill| skill.on_demand().map(move |doc| (&**skill, doc)))
    }
}
