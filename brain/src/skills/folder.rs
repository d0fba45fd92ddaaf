//! A skill's folder in one layer: its files, and what its `SKILL.md` says.

use std::collections::BTreeMap;
use std::sync::Arc;

use api_types::ids::{DocumentId, DocumentPath, Revision};
use api_types::skills::SkillState;
use skill_lang::load::{Input, Loaded, State, load};
use unicode_normalization::UnicodeNormalization;

use super::head_parser::{SKILL_FILE, SKILLS};

/// What a file counts for in memory beside its path, in bytes.
const FILE_BYTES: usize = 120;
/// What a folder counts for beside its files and the texts of its head, in bytes.
const FOLDER_BYTES: usize = 1_400;
/// What a freshly parsed head counts for at most, in bytes.
const HEAD_BYTES: usize = 8 * 1024;

/// A file in a skill's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its document; `None` for bundled ones.
    pub document: Option<DocumentId>,
    /// Bytes.
    pub size: u64,
    /// The write that made its present state.
    pub revision: Revision,
}

/// A folder below `_vance/skills/`.
#[derive(Clone, Debug)]
pub struct Folder {
    name: Arc<str>,
    files: BTreeMap<Arc<str>, File>,
    revision: Revision,
    loaded: Option<Arc<Loaded>>,
    /// `loaded` was made with the folder's files at hand, so it changes with them.
    with_files: bool,
    head_bytes: usize,
}

impl Folder {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            files: BTreeMap::new(),
            revision: Revision::default(),
            loaded: None,
            with_files: false,
            head_bytes: 0,
        }
    }

    /// Its name, which may have to be mapped to be a skill's.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Path of a file of it in its project.
    #[must_use]
    pub fn path_of(&self, file: &str) -> String {
        format!("{SKILLS}/{}/{file}", self.name)
    }

    /// Its files by their path in it, `SKILL.md` among them.
    #[must_use]
    pub fn files(&self) -> &BTreeMap<Arc<str>, File> {
        &self.files
    }

    /// The file of this path, spelled in any Unicode form.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<(&str, &File)> {
        let found = self.files.get_key_value(path).or_else(|| {
            let path: String = path.nfc().collect();
            self.files.get_key_value(path.as_str())
        });
        found.map(|(path, file)| (&**path, file))
    }

    /// The last write of any of its files.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// What its `SKILL.md` says; `None` while it has none.
    #[must_use]
    pub fn loaded(&self) -> Option<&Arc<Loaded>> {
        self.loaded.as_ref()
    }

    /// Whether the skill could be used if it stood alone. Who switches a skill off means it, even
    /// if the file has errors as well.
    pub(super) fn state(&self) -> SkillState {
        match &self.loaded {
            Some(loaded) if loaded.state == State::Unreadable => SkillState::Invalid,
            Some(loaded) if !loaded.head.enabled => SkillState::Disabled,
            Some(loaded) if loaded.state == State::Valid => SkillState::Valid,
            _ => SkillState::Invalid,
        }
    }

    pub(super) fn put(&mut self, path: &str, file: File, head: Option<(Loaded, usize)>) {
        self.revision = self.revision.max(file.revision);
        self.files.insert(path.into(), file);
        if path == SKILL_FILE {
            self.head_bytes = head.as_ref().map_or(HEAD_BYTES, |(_, bytes)| *bytes);
            self.loaded = head.map(|(loaded, _)| Arc::new(loaded));
            self.with_files = false;
        } else {
            self.doubt();
        }
    }

    pub(super) fn remove(&mut self, path: &str, revision: Revision) {
        self.revision = self.revision.max(revision);
        self.files.remove(path);
        if path == SKILL_FILE {
            self.loaded = None;
            self.head_bytes = 0;
        } else {
            self.doubt();
        }
    }

    /// The set of files changed: what was said about them must be said again.
    fn doubt(&mut self) {
        if self.with_files {
            self.loaded = None;
        }
    }

    /// Whether `SKILL.md` has to be read: it was never parsed, or it names files that are absent,
    /// which only the loader can report with their place.
    pub(super) fn wants_body(&self) -> bool {
        self.files.contains_key(SKILL_FILE)
            && match &self.loaded {
                None => true,
                Some(loaded) => !self.with_files && self.misses_files(loaded),
            }
    }

    fn misses_files(&self, loaded: &Loaded) -> bool {
        let docs = loaded.head.reference_docs.iter().map(|doc| &doc.file);
        let mut named = docs.chain(loaded.head.scripts.iter().map(|script| &script.file));
        named.any(|file| self.file(file).is_none())
    }

    pub(super) fn load(&mut self, path: &DocumentPath, body: &[u8]) {
        let has = |file: &str| self.file(file).is_some();
        let input =
            Input { path: path.as_str(), folder: &self.name, bytes: body, files: Some(&has) };
        let loaded = load(input);
        self.head_bytes = body.len().min(HEAD_BYTES);
        self.loaded = Some(Arc::new(loaded));
        self.with_files = true;
    }

    pub(super) fn bytes(&self) -> usize {
        let files = self.files.keys().map(|path| FILE_BYTES + path.len()).sum::<usize>();
        FOLDER_BYTES + self.name.len() + files + self.head_bytes
    }
}
