//! Manuals: documents that a model reads on demand, and references of its active skills.
//!
//! A process has a list of folders; a manual is a `.md` file directly in one of them, asked for by
//! its bare stem. The first folder that has it counts; in each folder the project's file counts
//! before `_tenant`'s, and that before the bundled one. What no folder has may be the title of an
//! ON_DEMAND reference of an active skill, which is read from the skill's own layer at the skill's
//! own revision.

pub mod error;
mod folders;
mod page;

use std::collections::BTreeSet;
use std::sync::Arc;

use api_types::ids::{DocumentPath, ProjectId};
use api_types::skills::SkillScope;
use bytes::Bytes;
use serde::Serialize;
use skill_lang::skill::ReferenceDoc;

pub use self::error::Error;
pub use self::folders::{FOLDERS_MAX, Folders, SHIPPED};
pub use self::page::{PAGE_BYTES_MAX, Page, Range};
use crate::bundled::Bundled;
use crate::ctx::OpCtx;
use crate::documents::{self, At};
use crate::port;
use crate::skills::{LoadedSkill, Skills};

/// Most manuals of one listing.
pub const MANUALS_MAX: usize = 1_000;
/// How a manual's file ends.
const ENDING: &str = ".md";

/// A manual of a listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Manual {
    /// What to ask for.
    pub name: String,
    /// Where it lies; for references the skill's folder.
    pub folder: String,
    /// The layer that it is read from.
    pub source: SkillScope,
    /// The active skill whose reference it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// What it holds, where the skill says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

/// Lists and reads manuals.
pub struct Manuals {
    store: Arc<dyn documents::Store>,
    bundled: Arc<Bundled>,
    skills: Arc<Skills>,
}

impl Manuals {
    /// Manuals of these documents, with the bundled ones as outermost layer.
    #[must_use]
    pub fn new(
        store: Arc<dyn documents::Store>,
        bundled: Arc<Bundled>,
        skills: Arc<Skills>,
    ) -> Self {
        Self { store, bundled, skills }
    }

    /// All manuals of a process, folder by folder, then the references of its active skills. A
    /// manual that an earlier folder hides is left out.
    ///
    /// # Errors
    /// The process's list of folders is wrong, or the store failed.
    pub async fn list(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        folders: &Folders,
    ) -> Result<Vec<Manual>, Error> {
        let mut seen = BTreeSet::new();
        let mut manuals = Vec::new();
        for folder in folders.checked()? {
            for (source, name) in self.in_folder(ctx, project, folder).await? {
                if manuals.len() < MANUALS_MAX && seen.insert(name.clone()) {
                    let folder = folder.clone();
                    manuals.push(Manual { name, folder, source, skill: None, summary: None });
                }
            }
        }
        for (skill, doc) in folders.references() {
            if manuals.len() < MANUALS_MAX && seen.insert(doc.title.clone()) {
                manuals.push(Manual {
                    name: doc.title.clone(),
                    folder: skill.folder_path(),
                    source: skill.scope,
                    skill: Some(skill.name.to_string()),
                    summary: doc.summary.clone(),
                });
            }
        }
        Ok(manuals)
    }

    /// Stems of the files directly in a folder, nearest layer first, each once.
    async fn in_folder(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        folder: &str,
    ) -> Result<Vec<(SkillScope, String)>, Error> {
        let mut stems: Vec<(SkillScope, String)> = Vec::new();
        for (scope, project) in layers(project) {
            let mut page = port::Page::default();
            // Folders below this one come along; the limit bounds what is read of them.
            for _ in 0..MANUALS_MAX / port::PAGE_ROWS_MAX as usize + 1 {
                let read = self.store.list(ctx, &project, folder, page);
                let (slice, _) = ctx.bound(read).await??;
                let found = slice.rows.iter().filter_map(|row| stem_in(folder, &row.path));
                stems.extend(found.map(|stem| (scope, stem.to_owned())));
                let Some(after) = slice.next else { break };
                page = port::Page { after: Some(after), limit: 0 };
            }
        }
        let shipped = self.bundled.below(folder);
        let shipped = shipped.filter_map(|(path, _)| stem_in(folder, path));
        stems.extend(shipped.map(|stem| (SkillScope::Resource, stem.to_owned())));
        stems.sort_by(|(a_scope, a), (b_scope, b)| a.cmp(b).then(a_scope.cmp(b_scope)));
        stems.dedup_by(|(_, later), (_, first)| later == first);
        Ok(stems)
    }

    /// A part of a manual, or of a reference of an active skill.
    ///
    /// `name` may carry folders and `.md`, which are ignored: the process's folders decide.
    ///
    /// # Errors
    /// There is none, the name leads outside, or the store failed.
    pub async fn read(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        folders: &Folders,
        name: &str,
        range: Range,
    ) -> Result<Page, Error> {
        let name = name.trim();
        let stem = stem_of(name);
        let leads_out = name.split(['/', '\\']).any(|part| part == "..");
        if !leads_out && !stem.is_empty() {
            for folder in folders.checked()? {
                if let Some((source, body)) = self.find(ctx, project, folder, stem).await? {
                    return page::cut(stem, folder, source, &body, range);
                }
            }
        }
        if let Some((skill, doc)) = reference(folders, name, stem, leads_out) {
            let read = self.skills.file_of(ctx, skill, &doc.file).await;
            let body =
                read.map_err(|source| Error::Reference { title: doc.title.clone(), source })?;
            return page::cut(&doc.title, &skill.folder_path(), skill.scope, &body, range);
        }
        if leads_out {
            return Err(Error::LeadsOut { name: name.to_owned() });
        }
        let known = self.list(ctx, project, folders).await?;
        Err(Error::unknown(name, known.iter().map(|manual| manual.name.as_str())))
    }

    async fn find(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        folder: &str,
        stem: &str,
    ) -> Result<Option<(SkillScope, Bytes)>, Error> {
        let Ok(path) = format!("{folder}/{stem}{ENDING}").parse::<DocumentPath>() else {
            return Ok(None);
        };
        for (scope, project) in layers(project) {
            let read = self.store.get(ctx, &project, &path, At::Latest);
            match ctx.bound(read).await? {
                Ok(document) => return Ok(Some((scope, document.body))),
                Err(port::Error::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let shipped = self.bundled.get(&path);
        Ok(shipped.map(|body| (SkillScope::Resource, Bytes::from_static(body))))
    }
}

/// The document layers of a project, nearest first.
fn layers(project: &ProjectId) -> Vec<(SkillScope, ProjectId)> {
    let tenant = ProjectId::tenant_layer();
    let plain = (*project != tenant).then(|| (SkillScope::Project, project.clone()));
    plain.into_iter().chain([(SkillScope::Vance, tenant)]).collect()
}

/// The bare stem of a manual directly in the folder.
fn stem_in<'p>(folder: &str, path: &'p DocumentPath) -> Option<&'p str> {
    let stem = path.as_str().strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(ENDING)?;
    (!stem.contains('/')).then_some(stem)
}

/// `docs/guide.md` → `guide`.
fn stem_of(name: &str) -> &str {
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    last.strip_suffix(ENDING).unwrap_or(last)
}

/// The reference that a name means: by its title, else by its file's name. A name that leads
/// outside is taken for a title only.
fn reference<'f>(
    folders: &'f Folders,
    name: &str,
    stem: &str,
    leads_out: bool,
) -> Option<(&'f LoadedSkill, &'f ReferenceDoc)> {
    let by_title = folders.references().find(|(_, doc)| doc.title.trim() == name);
    let by_file = || {
        let named = |doc: &ReferenceDoc| {
            let file = doc.file.rsplit('/').next().unwrap_or(&doc.file);
            let wanted = name.rsplit(['/', '\\']).next().unwrap_or(name);
            file == wanted || stem_of(file) == stem
        };
        folders.references().find(|(_, doc)| !leads_out && named(doc))
    };
    by_title.or_else(by_file)
}

#[cfg(test)]
mod tests;
