//! What a user sees in a project: the layers of one moment, resolved name by name.

use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::Arc;

use api_types::ids::{ProjectId, SkillName, UserLogin};
use api_types::skills::{SkillScope, SkillState, SkillVerdict};

use super::cascade::{self, Bar, Copy, Ranked};
use super::catalogue::{Entry, Layer};
use super::error::Error;
use super::head_parser::SKILL_FILE;
use crate::mirror::View;
use crate::near::nearest;

/// Whose skills.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    /// The project.
    pub project: ProjectId,
    /// The user, whose own layer is the nearest; `None` for what the system starts by itself.
    pub user: Option<UserLogin>,
}

impl Scope {
    /// The document layers with their projects, nearest first. A project that is itself the
    /// user's or the tenant's layer counts once, as that.
    #[must_use]
    pub fn projects(&self) -> Vec<(SkillScope, ProjectId)> {
        let own = self.user.as_ref().map(ProjectId::user_layer);
        let tenant = ProjectId::tenant_layer();
        let plain = self.project != tenant && own.as_ref() != Some(&self.project);
        let mut layers = Vec::with_capacity(3);
        layers.extend(own.map(|project| (SkillScope::User, project)));
        layers.extend(plain.then(|| (SkillScope::Project, self.project.clone())));
        layers.push((SkillScope::Vance, tenant));
        layers
    }

    /// The project that holds a layer's documents; `None` for layers without documents.
    #[must_use]
    pub fn project_of(&self, layer: SkillScope) -> Option<ProjectId> {
        self.projects().into_iter().find(|(scope, _)| *scope == layer).map(|(_, project)| project)
    }
}

/// How a name resolves.
pub type Resolution = cascade::Resolution<Arc<Entry>>;

/// A skill of a listing: the copy that decides its name.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The name.
    pub name: SkillName,
    /// The layer of the copy.
    pub scope: SkillScope,
    /// Whether it can be used.
    pub state: SkillState,
    /// The copy.
    pub entry: Arc<Entry>,
}

/// A layer at one moment.
#[derive(Clone, Debug)]
pub(super) enum LayerRef {
    Documents(Arc<View<Layer>>),
    Bundled(Arc<Layer>),
}

impl Deref for LayerRef {
    type Target = Layer;

    fn deref(&self) -> &Layer {
        match self {
            Self::Documents(view) => &view.shelf,
            Self::Bundled(layer) => layer,
        }
    }
}

/// All layers of a scope at one moment. Whatever is asked of it is answered from the same state.
#[derive(Clone, Debug)]
pub struct Visible {
    /// Nearest first.
    pub(super) layers: Vec<(SkillScope, LayerRef)>,
    /// Names that a layer locks.
    pub(super) locks: Vec<(SkillScope, Arc<BTreeSet<SkillName>>)>,
}

impl Visible {
    /// Ranks all copies of a name.
    #[must_use]
    pub fn resolve(&self, name: &SkillName) -> Resolution {
        let copies = self.layers.iter().filter_map(|(scope, layer)| {
            let entry = layer.get(name)?.clone();
            Some(Copy { scope: *scope, state: entry.state(), content: entry })
        });
        let locking = self.locks.iter().filter(|(_, names)| names.contains(name));
        let locks: Vec<SkillScope> = locking.map(|(scope, _)| *scope).collect();
        cascade::resolve(copies, &locks)
    }

    /// The copy that decides each name, by name: valid, switched off and broken ones.
    #[must_use]
    pub fn effective(&self) -> Vec<Summary> {
        let names: BTreeSet<&SkillName> =
            self.layers.iter().flat_map(|(_, layer)| layer.entries().keys()).collect();
        let summary = |name: &SkillName| {
            let resolution = self.resolve(name);
            let decider = resolution.decider()?;
            Some(Summary {
                name: name.clone(),
                scope: decider.scope(),
                state: decider.copy.state,
                entry: decider.copy.content.clone(),
            })
        };
        names.into_iter().filter_map(summary).collect()
    }

    /// Folders whose names can't be made into a skill's, with their layers.
    pub fn nameless(&self) -> impl Iterator<Item = (SkillScope, &Arc<Entry>)> {
        let layers = self.layers.iter();
        layers.flat_map(|(scope, layer)| layer.nameless().map(|entry| (*scope, entry)))
    }

    /// The copy that an activation uses: of one layer for `name@layer`, else the winner.
    ///
    /// # Errors
    /// There is none, or it can't be used; the error says why.
    pub fn usable(
        &self,
        name: &SkillName,
        layer: Option<SkillScope>,
    ) -> Result<(SkillScope, Arc<Entry>), Error> {
        let resolution = self.resolve(name);
        let found = self.found(name, &resolution, layer)?;
        let scope = found.scope();
        let refused = match found.barred {
            // Whoever uses the plain name gets the winner, and nothing bars a winner.
            None if layer.is_some() || found.verdict == SkillVerdict::Wins => {
                return Ok((scope, found.copy.content.clone()));
            }
            Some(Bar::Invalid) | None => {
                let diagnostics = found.copy.content.diagnostics().cloned().collect();
                Error::Invalid { name: name.clone(), layer: scope, diagnostics }
            }
            Some(Bar::Disabled) => {
                let path = found.copy.content.folder().path_of(SKILL_FILE);
                Error::Disabled { name: name.clone(), layer: scope, path }
            }
            Some(Bar::HiddenBy(by)) => Error::Hidden { name: name.clone(), layer: scope, by },
            Some(Bar::LockedBy(by)) => Error::Locked { name: name.clone(), layer: scope, by },
        };
        Err(refused)
    }

    /// The copy that a name or `name@layer` means, usable or not.
    pub(super) fn found<'r>(
        &self,
        name: &SkillName,
        resolution: &'r Resolution,
        layer: Option<SkillScope>,
    ) -> Result<&'r Ranked<Arc<Entry>>, Error> {
        let Some(decider) = resolution.decider() else { return Err(self.unknown(name)) };
        let Some(layer) = layer else { return Ok(decider) };
        resolution.at(layer).ok_or_else(|| Error::NoCopy {
            name: name.clone(),
            layer,
            found_in: resolution.candidates().iter().map(Ranked::scope).collect(),
        })
    }

    fn unknown(&self, name: &SkillName) -> Error {
        let names = self.layers.iter().flat_map(|(_, layer)| layer.entries().keys());
        let suggestion = nearest(name.as_str(), names.map(SkillName::as_str));
        let suggestion = suggestion.and_then(|text| text.parse().ok());
        Error::Unknown { name: name.clone(), suggestion }
    }
}
