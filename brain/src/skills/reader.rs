//! Reads skills in full, pinned to a revision, and keeps what was read.

use std::sync::Arc;

use api_types::ids::{DocumentPath, ProjectId, Revision, SkillName, TenantId};
use api_types::skills::SkillScope;
use bytes::Bytes;
use skill_lang::load::{Input, Loaded, load};
use skill_lang::skill::{LoadMode, ReferenceDoc};

use super::error::Error;
use super::head_parser::{SKILL_FILE, SKILLS};
use super::loaded::{InlineDoc, LoadedSkill};
use crate::bundled::Bundled;
use crate::cache::Cache;
use crate::ctx::OpCtx;
use crate::documents::{self, At};
use crate::port;

/// Bytes of a skill's INLINE references together.
pub const INLINE_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Bytes of loaded skills that are kept.
pub const LOADED_BYTES_MAX: usize = 64 * 1024 * 1024;

/// A copy of a skill at a revision.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) name: SkillName,
    pub(super) scope: SkillScope,
    pub(super) project: Option<ProjectId>,
    pub(super) folder: String,
    pub(super) revision: Revision,
}

impl Place {
    pub(super) fn of(skill: &LoadedSkill) -> Self {
        Self {
            name: skill.name.clone(),
            scope: skill.scope,
            project: skill.project.clone(),
            folder: skill.folder.clone(),
            revision: skill.revision,
        }
    }

    pub(super) fn gone(&self) -> Error {
        Error::Gone { name: self.name.clone(), layer: self.scope, revision: self.revision }
    }

    fn path(&self, file: &str) -> String {
        format!("{SKILLS}/{}/{file}", self.folder)
    }
}

type Key = (TenantId, Option<ProjectId>, String, Revision);

/// Reads copies of skills.
pub(super) struct Reader {
    store: Arc<dyn documents::Store>,
    bundled: Arc<Bundled>,
    kept: Cache<Key, Arc<LoadedSkill>>,
}

impl Reader {
    pub(super) fn new(store: Arc<dyn documents::Store>, bundled: Arc<Bundled>) -> Self {
        Self { store, bundled, kept: Cache::new(LOADED_BYTES_MAX) }
    }

    /// The skill in full. `parsed` is what its `SKILL.md` says at that revision, if it is known.
    ///
    /// # Errors
    /// [`Error::Gone`] if it is not stored any more.
    pub(super) async fn load(
        &self,
        ctx: &OpCtx,
        place: Place,
        parsed: Option<Arc<Loaded>>,
    ) -> Result<Arc<LoadedSkill>, Error> {
        let key = (ctx.tenant.clone(), place.project.clone(), place.folder.clone(), place.revision);
        if let Some(kept) = self.kept.get(&key).filter(|kept| kept.scope == place.scope) {
            return Ok(kept);
        }
        let Some(text) = self.read(ctx, &place, SKILL_FILE).await? else {
            return Err(place.gone());
        };
        let loaded = parsed.unwrap_or_else(|| parse(&place, &text).into());
        let mut inline_docs = Vec::new();
        let mut room = INLINE_BYTES_MAX;
        for doc in inline(&loaded) {
            let Some(body) = self.read(ctx, &place, &doc.file).await? else {
                return Err(place.gone());
            };
            room = room.checked_sub(body.len() as u64).ok_or_else(|| Error::TooLarge {
                name: place.name.clone(),
                path: place.path(SKILL_FILE),
                bytes_max: INLINE_BYTES_MAX,
            })?;
            let content = String::from_utf8_lossy(&body).into();
            inline_docs.push(InlineDoc { title: doc.title.clone(), content });
        }
        let Place { name, scope, project, folder, revision } = place;
        let (head, body) = (loaded.head.clone().into(), loaded.body_of(&text).into());
        let skill = LoadedSkill { name, scope, project, folder, revision, head, body, inline_docs };
        let skill = Arc::new(skill);
        self.kept.insert(key, skill.clone(), skill.bytes());
        Ok(skill)
    }

    /// A file of the skill's folder; `None` if there is none at that revision.
    pub(super) async fn read(
        &self,
        ctx: &OpCtx,
        place: &Place,
        file: &str,
    ) -> Result<Option<Bytes>, Error> {
        let Ok(path) = place.path(file).parse::<DocumentPath>() else { return Ok(None) };
        let Some(project) = &place.project else {
            return Ok(self.bundled.get(&path).map(Bytes::from_static));
        };
        let read = self.store.get(ctx, project, &path, At::Revision(place.revision));
        match ctx.bound(read).await? {
            Ok(document) => Ok(Some(document.body)),
            Err(port::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

fn inline(loaded: &Loaded) -> impl Iterator<Item = &ReferenceDoc> {
    loaded.head.reference_docs.iter().filter(|doc| doc.load_mode == LoadMode::Inline)
}

fn parse(place: &Place, text: &[u8]) -> Loaded {
    let path = place.path(SKILL_FILE);
    load(Input { path: &path, folder: &place.folder, bytes: text, files: None })
}
