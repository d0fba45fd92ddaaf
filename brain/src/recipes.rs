//! Recipes: which file a name means, and what a process gets of it.
//!
//! Looked up in the project, then in `_tenant`, then among the bundled ones; the first file counts
//! as a whole, nothing is merged. A name without `/` that nobody has is looked up once more below
//! `_user/`. A file with errors counts all the same, and makes its name unusable.

pub mod error;
mod shelf;
mod snapshot;

use std::collections::BTreeSet;
use std::sync::Arc;

use api_types::ids::{DocumentPath, ProjectId, RecipeName, Revision};
use api_types::skills::SkillScope;
use skill_lang::diagnostic::Diagnostic;
use skill_lang::recipe::Recipe;

pub use self::error::Error;
pub use self::shelf::RECIPES;
use self::shelf::{File, Recipes as Layer};
pub use self::snapshot::{Snapshot, Spawn};
use crate::bundled::Bundled;
use crate::ctx::OpCtx;
use crate::documents::{self, At, ParsedHead};
use crate::mirror::{Mirror, View};
use crate::near::nearest;

/// Bytes of recipes that are kept in memory, of all projects of all tenants.
pub const RECIPES_BYTES_MAX: usize = 32 * 1024 * 1024;
/// The folder that is looked into when a plain name is found nowhere.
const USER_FOLDER: &str = "_user/";

/// What is stored beside a recipe's document; `None` for other documents.
pub(crate) fn parse_head(path: &DocumentPath, body: &[u8]) -> Option<ParsedHead> {
    shelf::parse_head(path, body)
}

/// A recipe that can be used.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its name.
    pub name: RecipeName,
    /// The layer of its file.
    pub scope: SkillScope,
    /// What it says.
    pub recipe: Arc<Recipe>,
    /// Problems that don't keep it from being used.
    pub warnings: Vec<Diagnostic>,
    /// Its file.
    pub path: DocumentPath,
    /// The write that made it; `None` for bundled ones.
    pub revision: Option<Revision>,
}

/// A file that can't be used.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The layer that it is in.
    pub scope: SkillScope,
    /// The file.
    pub path: DocumentPath,
    /// What is wrong with it; at least one error.
    pub diagnostics: Vec<Diagnostic>,
}

/// All recipes of a project.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The one that counts of each name, by name.
    pub recipes: Vec<Found>,
    /// Files that count and have errors, and files that stand for no name.
    pub broken: Vec<Broken>,
}

/// A recipe's file to look at, usable or not.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The name that it was found by.
    pub name: RecipeName,
    /// The layer of its file.
    pub scope: SkillScope,
    /// The file as it is stored. Bytes that are not UTF-8 are replaced by U+FFFD.
    pub text: String,
    /// Problems of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Answers which recipe a name means.
pub struct Recipes {
    store: Arc<dyn documents::Store>,
    mirror: Mirror<Layer>,
    bundled: Arc<Bundled>,
    shipped: Arc<View<Layer>>,
}

type Layers = Vec<(SkillScope, Arc<View<Layer>>)>;

impl Recipes {
    /// Recipes of these documents, with the bundled ones as outermost layer.
    #[must_use]
    pub fn new(store: Arc<dyn documents::Store>, bundled: Arc<Bundled>) -> Self {
        let shelf = Layer::of_files(bundled.below(RECIPES));
        for broken in broken(SkillScope::Resource, &shelf) {
            for problem in broken.diagnostics.iter().filter(|problem| problem.is_error()) {
                tracing::error!(%problem, "bundled recipe can't be used");
            }
        }
        let mirror = Mirror::new(store.clone(), RECIPES_BYTES_MAX);
        Self {
            store,
            mirror,
            bundled,
            shipped: Arc::new(View { at: Revision(0), shelf: shelf.into() }),
        }
    }

    async fn layers(&self, ctx: &OpCtx, project: &ProjectId) -> Result<Layers, Error> {
        let (scopes, projects): (Vec<_>, Vec<_>) = projects(project).into_iter().unzip();
        let views = self.mirror.views(ctx, &projects).await?;
        let mut layers: Layers = scopes.into_iter().zip(views).collect();
        layers.push((SkillScope::Resource, self.shipped.clone()));
        Ok(layers)
    }

    /// The recipe that a name means.
    ///
    /// # Errors
    /// There is none, or its file has errors.
    pub async fn resolve(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        name: &RecipeName,
    ) -> Result<Found, Error> {
        let layers = self.layers(ctx, project).await?;
        let (name, scope, file) = lookup(&layers, name)?;
        found(&name, scope, file).ok_or_else(|| Error::Invalid {
            name,
            layer: scope,
            diagnostics: diagnostics(file).to_vec(),
        })
    }

    /// All recipes: those directly in the folder, and those of `_user/`.
    ///
    /// # Errors
    /// The store failed, or the caller's time is over.
    pub async fn list(&self, ctx: &OpCtx, project: &ProjectId) -> Result<Listing, Error> {
        let layers = self.layers(ctx, project).await?;
        let names: BTreeSet<&RecipeName> =
            layers.iter().flat_map(|(_, view)| view.shelf.names()).collect();
        let mut listing = Listing::default();
        for name in names {
            let plain = name.as_str().strip_prefix(USER_FOLDER).unwrap_or(name.as_str());
            let Ok((_, scope, file)) = lookup(&layers, name) else { continue };
            match found(name, scope, file) {
                Some(found) if !plain.contains('/') => listing.recipes.push(found),
                Some(_) => {}
                None => listing.broken.push(Broken {
                    scope,
                    path: file.path.clone(),
                    diagnostics: diagnostics(file).to_vec(),
                }),
            }
        }
        for (scope, view) in &layers {
            listing.broken.extend(strays(*scope, &view.shelf));
        }
        Ok(listing)
    }

    /// The file that a name means, with errors or without.
    ///
    /// # Errors
    /// There is none.
    pub async fn show(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        name: &RecipeName,
    ) -> Result<Shown, Error> {
        let layers = self.layers(ctx, project).await?;
        let (name, scope, file) = lookup(&layers, name)?;
        let of = projects(project).into_iter().find(|(layer, _)| *layer == scope);
        let text = match of {
            None => {
                let body = self.bundled.get(&file.path).unwrap_or_default();
                String::from_utf8_lossy(body).into_owned()
            }
            Some((_, project)) => {
                let read = self.store.get(ctx, &project, &file.path, At::Revision(file.revision));
                String::from_utf8_lossy(&ctx.bound(read).await??.body).into_owned()
            }
        };
        Ok(Shown { name, scope, text, diagnostics: diagnostics(file).to_vec() })
    }
}

/// The document layers of a project, nearest first.
fn projects(project: &ProjectId) -> Vec<(SkillScope, ProjectId)> {
    let tenant = ProjectId::tenant_layer();
    let plain = (*project != tenant).then(|| (SkillScope::Project, project.clone()));
    plain.into_iter().chain([(SkillScope::Vance, tenant)]).collect()
}

fn lookup<'l>(
    layers: &'l Layers,
    name: &RecipeName,
) -> Result<(RecipeName, SkillScope, &'l File), Error> {
    let exact = |name: &RecipeName| {
        layers.iter().find_map(|(scope, view)| Some((*scope, view.shelf.get(name)?)))
    };
    if let Some((scope, file)) = exact(name) {
        return Ok((name.clone(), scope, file));
    }
    if !name.as_str().contains('/')
        && let Ok(own) = format!("{USER_FOLDER}{name}").parse()
        && let Some((scope, file)) = exact(&own)
    {
        return Ok((own, scope, file));
    }
    let names = layers.iter().flat_map(|(_, view)| view.shelf.names().map(RecipeName::as_str));
    let suggestion = nearest(name.as_str(), names).and_then(|name| name.parse().ok());
    Err(Error::Unknown { name: name.clone(), suggestion })
}

fn found(name: &RecipeName, scope: SkillScope, file: &File) -> Option<Found> {
    Some(Found {
        name: name.clone(),
        scope,
        recipe: file.read.as_ref()?.recipe.clone()?,
        warnings: diagnostics(file).to_vec(),
        path: file.path.clone(),
        revision: (scope != SkillScope::Resource).then_some(file.revision),
    })
}

fn diagnostics(file: &File) -> &[Diagnostic] {
    file.read.as_ref().map_or(&[], |read| &read.diagnostics)
}

fn strays(scope: SkillScope, shelf: &Layer) -> impl Iterator<Item = Broken> {
    shelf.strays().map(move |(file, problem)| Broken {
        scope,
        path: file.path.clone(),
        diagnostics: vec![problem],
    })
}

fn broken(scope: SkillScope, shelf: &Layer) -> Vec<Broken> {
    let files = shelf.names().filter_map(|name| shelf.get(name));
    let invalid = files.filter(|file| file.read.as_ref().is_some_and(|r| r.recipe.is_none()));
    let invalid = invalid.map(|file| Broken {
        scope,
        path: file.path.clone(),
        diagnostics: diagnostics(file).to_vec(),
    });
    invalid.chain(strays(scope, shelf)).collect()
}

#[cfg(test)]
mod tests;
