//! The skills of one layer, by name; kept up by what changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use api_types::ids::{DocumentPath, Revision, SkillName};
use api_types::skills::SkillState;
use bytes::Bytes;
use skill_lang::diagnostic::{Code, Diagnostic, Severity};
use skill_lang::load::Loaded;
use skill_lang::name::from_folder;
use skill_lang::skill::Head;

use super::folder::{File, Folder};
use super::head_parser::{SKILL_FILE, SKILLS, restore, split_skill_path};
use crate::documents::HeadRow;
use crate::mirror::Shelf;

/// One layer's copy of a skill.
#[derive(Clone, Debug)]
pub struct Entry {
    /// One; more if several folders stand for the name, which makes all of them unusable.
    folders: Vec<Arc<Folder>>,
    state: SkillState,
    conflicts: Vec<Diagnostic>,
}

impl Entry {
    /// `None` without a folder.
    fn new(folders: Vec<Arc<Folder>>) -> Option<Self> {
        let (first, others) = folders.split_first()?;
        if others.is_empty() {
            let state = first.state();
            return Some(Self { folders, state, conflicts: Vec::new() });
        }
        let conflicts = folders.iter().map(|folder| conflict(folder, &folders)).collect();
        Some(Self { folders, state: SkillState::Invalid, conflicts })
    }

    /// The folder; on a conflict the first by name.
    #[must_use]
    pub fn folder(&self) -> &Folder {
        &self.folders[0]
    }

    /// Whether it could be used if it stood alone.
    #[must_use]
    pub fn state(&self) -> SkillState {
        self.state
    }

    /// What `SKILL.md` says above its body.
    #[must_use]
    pub fn head(&self) -> &Head {
        &self.loaded().head
    }

    /// All that the loader said.
    #[must_use]
    pub fn loaded(&self) -> &Arc<Loaded> {
        self.folder().loaded().expect("an entry is made of folders that are loaded")
    }

    /// The last write of any of its files: who reads the folder at this revision reads it as it is.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.folders.iter().map(|folder| folder.revision()).max().unwrap_or_default()
    }

    /// All problems, of all folders that stand for the name.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let own = self.folders.iter().filter_map(|folder| folder.loaded());
        self.conflicts.iter().chain(own.flat_map(|loaded| &loaded.diagnostics))
    }
}

fn conflict(folder: &Folder, all: &[Arc<Folder>]) -> Diagnostic {
    let others: Vec<String> = all
        .iter()
        .filter(|other| other.name() != folder.name())
        .map(|other| format!("`{}`", other.name()))
        .collect();
    Diagnostic {
        code: Code::NameConflict,
        severity: Severity::Error,
        message: format!(
            "the folder `{}` stands for the same skill as {}; rename all but one",
            folder.name(),
            others.join(", ")
        ),
        path: folder.path_of(SKILL_FILE),
        line: 1,
        column: 1,
        fix: None,
    }
}

/// The skills of one layer.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    folders: BTreeMap<Arc<str>, Arc<Folder>>,
    entries: BTreeMap<SkillName, Arc<Entry>>,
    nameless: BTreeMap<Arc<str>, Arc<Entry>>,
    /// Folders that are gone and were called differently from their skill.
    retired: BTreeMap<SkillName, Arc<str>>,
    touched: BTreeSet<Arc<str>>,
    bytes: usize,
}

impl Layer {
    /// The layer of these files, given by path in their project.
    pub fn of_files<'p, 'b>(files: impl IntoIterator<Item = (&'p DocumentPath, &'b [u8])>) -> Self {
        let mut layer = Self::default();
        let mut bodies = Vec::new();
        for (path, body) in files {
            let Some((folder, rest)) = split_skill_path(path) else { continue };
            let file = File { document: None, size: body.len() as u64, revision: Revision(0) };
            layer.touch(folder).put(rest, file, None);
            if rest == SKILL_FILE {
                bodies.push((path, body));
            }
        }
        for (path, body) in bodies {
            layer.load(path, Some(body));
        }
        layer.settle();
        layer
    }

    /// Its copy of a skill.
    #[must_use]
    pub fn get(&self, name: &SkillName) -> Option<&Arc<Entry>> {
        self.entries.get(name)
    }

    /// All its copies, by name.
    #[must_use]
    pub fn entries(&self) -> &BTreeMap<SkillName, Arc<Entry>> {
        &self.entries
    }

    /// Folders whose name can't be made into a skill's: reported, never resolved.
    pub fn nameless(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.nameless.values()
    }

    /// The folder that stands for a name, or did last.
    #[must_use]
    pub fn folder_of<'n>(&'n self, name: &'n SkillName) -> &'n str {
        match (self.entries.get(name), self.retired.get(name)) {
            (Some(entry), _) => entry.folder().name(),
            (None, Some(folder)) => folder,
            (None, None) => name.as_str(),
        }
    }

    /// Without the copies that can't be used.
    #[must_use]
    pub(crate) fn without_broken(mut self, mut report: impl FnMut(&Entry)) -> Self {
        let broken = |entry: &Arc<Entry>| entry.state == SkillState::Invalid;
        self.nameless.values().for_each(|entry| report(entry));
        self.entries.values().filter(|entry| broken(entry)).for_each(|entry| report(entry));
        self.nameless.clear();
        self.entries.retain(|_, entry| !broken(entry));
        self
    }

    fn touch(&mut self, folder: &str) -> &mut Folder {
        if !self.touched.contains(folder) {
            self.touched.insert(folder.into());
            self.bytes -= self.folders.get(folder).map_or(0, |folder| folder.bytes());
        }
        let slot = self.folders.entry(folder.into()).or_insert_with(|| Folder::new(folder).into());
        Arc::make_mut(slot)
    }

    fn load(&mut self, path: &DocumentPath, body: Option<&[u8]>) {
        let Some((folder, rest)) = split_skill_path(path) else { return };
        let folder = self.touch(folder);
        match body {
            Some(body) => folder.load(path, body),
            None => folder.remove(rest, folder.revision()),
        }
    }

    fn settle_folder(&mut self, name: &Arc<str>) {
        let folder = self.folders.get(name).filter(|folder| !folder.files().is_empty()).cloned();
        match &folder {
            Some(folder) => self.bytes += folder.bytes(),
            None => drop(self.folders.remove(name)),
        }
        let folder = folder.filter(|folder| folder.loaded().is_some());
        match from_folder(name) {
            Ok(mapped) => self.settle_name(mapped.name, name, folder),
            Err(_) => match folder.and_then(|folder| Entry::new(vec![folder])) {
                Some(entry) => drop(self.nameless.insert(name.clone(), entry.into())),
                None => drop(self.nameless.remove(name)),
            },
        }
    }

    fn settle_name(&mut self, name: SkillName, place: &Arc<str>, folder: Option<Arc<Folder>>) {
        let before = self.entries.get(&name).map(|entry| &entry.folders[..]).unwrap_or_default();
        let others = before.iter().filter(|other| other.name() != &**place).cloned();
        let gone = folder.is_none();
        let mut folders: Vec<Arc<Folder>> = others.chain(folder).collect();
        folders.sort_by(|a, b| a.name().cmp(b.name()));
        if gone && folders.is_empty() && name.as_str() != &**place {
            self.retired.insert(name.clone(), place.clone());
        }
        match Entry::new(folders) {
            Some(entry) => drop(self.entries.insert(name, entry.into())),
            None => drop(self.entries.remove(&name)),
        }
    }
}

impl Shelf for Layer {
    const FOLDER: &'static str = SKILLS;

    fn apply(&mut self, rows: Vec<HeadRow>) {
        for row in rows {
            let Some((folder, rest)) = split_skill_path(&row.path) else { continue };
            if row.deleted {
                self.touch(folder).remove(rest, row.revision);
                continue;
            }
            let head = row.head.as_ref().filter(|_| rest == SKILL_FILE);
            let head = head.and_then(|head| Some((restore(head, folder)?, head.json.get().len())));
            let file = File { document: Some(row.id), size: row.size, revision: row.revision };
            self.touch(folder).put(rest, file, head);
        }
    }

    fn wanted(&self) -> Vec<(DocumentPath, Revision)> {
        let touched = self.touched.iter().filter_map(|name| self.folders.get(name));
        let wanting = touched.filter(|folder| folder.wants_body());
        let wanted = wanting.filter_map(|folder| {
            let file = folder.files().get(SKILL_FILE)?;
            Some((folder.path_of(SKILL_FILE).parse().ok()?, file.revision))
        });
        wanted.collect()
    }

    fn supply(&mut self, path: &DocumentPath, body: Option<&Bytes>) {
        self.load(path, body.map(|body| &body[..]));
    }

    fn settle(&mut self) {
        for name in std::mem::take(&mut self.touched) {
            self.settle_folder(&name);
        }
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}
