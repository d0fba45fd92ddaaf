//! Skills: which copy of a name counts, and what it says.
//!
//! [`cascade`] is the rule, pure; [`catalogue`] holds each layer's skills in memory, proven fresh
//! by the counters of its project; [`Skills`] answers everyone: lists, activation, triggers,
//! tools, recipes.

pub mod cascade;
pub mod catalogue;
pub mod error;
pub mod folder;
pub mod head_parser;
pub mod loaded;
pub mod locks;
mod reader;
pub mod visible;

use std::sync::Arc;

use api_types::ids::{Revision, SkillName};
use api_types::skills::SkillScope;
use bytes::Bytes;

use self::cascade::Ranked;
use self::catalogue::{Entry, Layer};
pub use self::error::Error;
use self::head_parser::{SKILL_FILE, SKILLS};
pub use self::loaded::LoadedSkill;
use self::locks::Locks;
pub use self::reader::{INLINE_BYTES_MAX, LOADED_BYTES_MAX};
use self::reader::{Place, Reader};
use self::visible::LayerRef;
pub use self::visible::{Resolution, Scope, Summary, Visible};
use crate::bundled::Bundled;
use crate::ctx::OpCtx;
use crate::documents;
use crate::mirror::Mirror;

/// Bytes of skills' heads that are kept in memory, of all layers of all tenants.
pub const CATALOGUE_BYTES_MAX: usize = 256 * 1024 * 1024;
/// How often a lookup starts again when documents vanish under it.
const TRIES_MAX: u32 = 3;

/// A copy of a skill, for people to look at.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The copy and its place in the cascade.
    pub copy: Ranked<Arc<Entry>>,
    /// Its `SKILL.md` as it is stored. Bytes that are not UTF-8 are replaced by U+FFFD.
    pub text: String,
    /// All copies, nearest first.
    pub resolution: Resolution,
}

/// Answers which skill a name means.
pub struct Skills {
    mirror: Mirror<Layer>,
    bundled: Arc<Layer>,
    locks: Arc<dyn Locks>,
    reader: Reader,
}

impl Skills {
    /// Skills of these documents, with the bundled ones as outermost layer.
    #[must_use]
    pub fn new(
        store: Arc<dyn documents::Store>,
        bundled: Arc<Bundled>,
        locks: Arc<dyn Locks>,
    ) -> Self {
        let layer = Layer::of_files(bundled.below(SKILLS)).without_broken(|entry| {
            for problem in entry.diagnostics().filter(|problem| problem.is_error()) {
                tracing::error!(%problem, "bundled skill left out");
            }
        });
        Self {
            mirror: Mirror::new(store.clone(), CATALOGUE_BYTES_MAX),
            bundled: Arc::new(layer),
            locks,
            reader: Reader::new(store, bundled),
        }
    }

    /// All layers as they are now. Every write that was answered before is in it.
    ///
    /// # Errors
    /// The store failed, or the caller's time is over; so for all verbs below.
    pub async fn visible(&self, ctx: &OpCtx, scope: &Scope) -> Result<Visible, Error> {
        let (scopes, projects): (Vec<_>, Vec<_>) = scope.projects().into_iter().unzip();
        let mut locks = Vec::with_capacity(2);
        for (layer, project) in scopes.iter().zip(&projects) {
            if matches!(layer, SkillScope::Project | SkillScope::Vance) {
                locks.push((*layer, ctx.bound(self.locks.locked(ctx, project)).await??));
            }
        }
        let views = self.mirror.views(ctx, &projects).await?;
        let views = views.into_iter().map(LayerRef::Documents);
        let mut layers: Vec<(SkillScope, LayerRef)> = scopes.into_iter().zip(views).collect();
        layers.push((SkillScope::Resource, LayerRef::Bundled(self.bundled.clone())));
        Ok(Visible { layers, locks })
    }

    /// The copy that decides each name, by name: valid, switched off and broken ones.
    #[expect(clippy::missing_errors_doc, reason = "see `visible`")]
    pub async fn effective(&self, ctx: &OpCtx, scope: &Scope) -> Result<Vec<Summary>, Error> {
        Ok(self.visible(ctx, scope).await?.effective())
    }

    /// All copies of a name, each with its verdict; none where nobody has one.
    #[expect(clippy::missing_errors_doc, reason = "see `visible`")]
    pub async fn resolve(
        &self,
        ctx: &OpCtx,
        scope: &Scope,
        name: &SkillName,
    ) -> Result<Resolution, Error> {
        Ok(self.visible(ctx, scope).await?.resolve(name))
    }

    /// All copies of a name, each with its verdict.
    ///
    /// # Errors
    /// [`Error::Unknown`] where nobody has one.
    pub async fn explain(
        &self,
        ctx: &OpCtx,
        scope: &Scope,
        name: &SkillName,
    ) -> Result<Resolution, Error> {
        let visible = self.visible(ctx, scope).await?;
        let resolution = visible.resolve(name);
        visible.found(name, &resolution, None)?;
        Ok(resolution)
    }

    /// A copy to look at, usable or not: the one that decides, or `layer`'s.
    ///
    /// # Errors
    /// [`Error::Unknown`] or [`Error::NoCopy`] where there is none.
    pub async fn show(
        &self,
        ctx: &OpCtx,
        scope: &Scope,
        name: &SkillName,
        layer: Option<SkillScope>,
    ) -> Result<Shown, Error> {
        let mut tries = 0;
        loop {
            let visible = self.visible(ctx, scope).await?;
            let resolution = visible.resolve(name);
            let copy = visible.found(name, &resolution, layer)?.clone();
            let place = place(scope, name, copy.scope(), &copy.copy.content);
            tries += 1;
            match self.reader.read(ctx, &place, SKILL_FILE).await? {
                Some(text) => {
                    let text = String::from_utf8_lossy(&text).into_owned();
                    return Ok(Shown { copy, text, resolution });
                }
                // Purged under our hands: look again.
                None if tries < TRIES_MAX => {}
                None => return Err(place.gone()),
            }
        }
    }

    /// The winner of a name in full, all parts of one revision.
    ///
    /// # Errors
    /// There is none, or it can't be used; the error says why.
    pub async fn load(
        &self,
        ctx: &OpCtx,
        scope: &Scope,
        name: &SkillName,
    ) -> Result<Arc<LoadedSkill>, Error> {
        self.load_from(ctx, scope, name, None).await
    }

    /// The same for `name@layer`.
    ///
    /// # Errors
    /// As [`Skills::load`], also where the copy is hidden or its name locked.
    pub async fn load_from(
        &self,
        ctx: &OpCtx,
        scope: &Scope,
        name: &SkillName,
        layer: Option<SkillScope>,
    ) -> Result<Arc<LoadedSkill>, Error> {
        let mut tries = 0;
        loop {
            let visible = self.visible(ctx, scope).await?;
            let (found, entry) = visible.usable(name, layer)?;
            let place = place(scope, name, found, &entry);
            tries += 1;
            match self.reader.load(ctx, place, Some(entry.loaded().clone())).await {
                // Purged under our hands: look again.
                Err(Error::Gone { .. }) if tries < TRIES_MAX => {}
                result => return result,
            }
        }
    }

    /// The copy of a layer as it was at a revision: what a turn pinned, read again.
    ///
    /// # Errors
    /// [`Error::Gone`] if it is not stored any more.
    pub async fn load_pinned(
        &self,
        ctx: &OpCtx,
        scope: &Scope,
        name: &SkillName,
        layer: SkillScope,
        revision: Revision,
    ) -> Result<Arc<LoadedSkill>, Error> {
        let visible = self.visible(ctx, scope).await?;
        let found = visible.layers.iter().find(|(of, _)| *of == layer);
        let Some((_, copies)) = found else {
            return Err(Error::Gone { name: name.clone(), layer, revision });
        };
        let folder = copies.folder_of(name).to_owned();
        let project = scope.project_of(layer);
        let place = Place { name: name.clone(), scope: layer, project, folder, revision };
        self.reader.load(ctx, place, None).await
    }

    /// A file in the folder of a loaded skill, at the skill's revision.
    ///
    /// # Errors
    /// [`Error::NoFile`] if it has none of that path.
    pub async fn file_of(
        &self,
        ctx: &OpCtx,
        skill: &LoadedSkill,
        path: &str,
    ) -> Result<Bytes, Error> {
        let file = self.reader.read(ctx, &Place::of(skill), path).await?;
        file.ok_or_else(|| no_file(&skill.name, skill.scope, path))
    }

    /// A file in the folder of a copy, usable or not, with the revision that it was read at.
    ///
    /// # Errors
    /// As [`Skills::show`], and [`Error::NoFile`].
    pub async fn read_file(
        &self,
        ctx: &OpCtx,
        scope: &Scope,
        name: &SkillName,
        layer: Option<SkillScope>,
        path: &str,
    ) -> Result<(Bytes, Revision), Error> {
        let visible = self.visible(ctx, scope).await?;
        let resolution = visible.resolve(name);
        let copy = visible.found(name, &resolution, layer)?;
        let entry = &copy.copy.content;
        let place = place(scope, name, copy.scope(), entry);
        let Some((path, _)) = entry.folder().file(path) else {
            return Err(no_file(name, copy.scope(), path));
        };
        let file = self.reader.read(ctx, &place, path).await?;
        let file = file.ok_or_else(|| no_file(name, copy.scope(), path))?;
        Ok((file, place.revision))
    }
}

fn place(scope: &Scope, name: &SkillName, layer: SkillScope, entry: &Entry) -> Place {
    Place {
        name: name.clone(),
        scope: layer,
        project: scope.project_of(layer),
        folder: entry.folder().name().to_owned(),
        revision: entry.revision(),
    }
}

fn no_file(name: &SkillName, layer: SkillScope, path: &str) -> Error {
    Error::NoFile { name: name.clone(), layer, path: path.to_owned() }
}

#[cfg(test)]
pub(crate) mod tests;
