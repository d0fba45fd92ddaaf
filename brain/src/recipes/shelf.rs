//! The recipes of one layer, by name; kept up by what changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use api_types::ids::{DocumentPath, RecipeName, Revision};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use skill_lang::diagnostic::{Code, Diagnostic, Severity};
use skill_lang::recipe::{self, Input, Recipe};

use crate::documents::{HeadRow, ParsedHead};
use crate::mirror::Shelf;

/// Where recipes lie in a project, without a trailing `/`.
pub const RECIPES: &str = "_vance/recipes";
/// How a recipe's file ends.
const ENDING: &str = ".yaml";
/// Version of the parser; rows of other versions are parsed anew.
const VERSION: u32 = 1;
/// What a file counts for in memory beside what was read of it, in bytes.
const FILE_BYTES: usize = 400;

/// What a file says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Read {
    stem: String,
    /// `None` if it has errors.
    pub(super) recipe: Option<Arc<Recipe>>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Read {
    fn new(path: &DocumentPath, body: &[u8]) -> Self {
        let stem = stem(path).unwrap_or_default();
        let loaded = recipe::load(Input { path: path.as_str(), stem, bytes: body });
        let recipe = loaded.recipe.map(Arc::new);
        Self { stem: stem.to_owned(), recipe, diagnostics: loaded.diagnostics }
    }
}

/// A file below `_vance/recipes/`.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) path: DocumentPath,
    pub(super) revision: Revision,
    pub(super) read: Option<Arc<Read>>,
    bytes: usize,
}

impl File {
    /// The recipe's name, if the stem can be made into one.
    fn name(&self) -> Option<RecipeName> {
        let stem = stem(&self.path)?.to_lowercase();
        stem.split_whitespace().collect::<Vec<_>>().join("-").parse().ok()
    }

    fn is_called(&self, name: &RecipeName) -> bool {
        stem(&self.path) == Some(name.as_str())
    }
}

/// The path below the folder, without its ending.
fn stem(path: &DocumentPath) -> Option<&str> {
    path.as_str().strip_prefix(RECIPES)?.strip_prefix('/')?.strip_suffix(ENDING)
}

/// What is stored beside a recipe's document; `None` for other documents.
pub(super) fn parse_head(path: &DocumentPath, body: &[u8]) -> Option<ParsedHead> {
    stem(path)?;
    let json = serde_json::value::to_raw_value(&Read::new(path, body)).ok()?;
    Some(ParsedHead { version: VERSION, json: json.into() })
}

fn restore(row: &HeadRow) -> Option<Read> {
    let head = row.head.as_ref().filter(|head| head.version == VERSION)?;
    let read: Read = serde_json::from_str(head.json.get()).ok()?;
    (stem(&row.path) == Some(read.stem.as_str())).then_some(read)
}

/// The recipes of one layer.
#[derive(Clone, Debug, Default)]
pub(super) struct Recipes {
    files: BTreeMap<DocumentPath, File>,
    by_name: BTreeMap<RecipeName, DocumentPath>,
    wanted: BTreeSet<DocumentPath>,
    bytes: usize,
}

impl Recipes {
    pub(super) fn of_files<'p, 'b>(
        files: impl IntoIterator<Item = (&'p DocumentPath, &'b [u8])>,
    ) -> Self {
        let mut shelf = Self::default();
        for (path, body) in files {
            let read = stem(path).map(|_| Arc::new(Read::new(path, body)));
            let file = File { path: path.clone(), revision: Revision(0), read, bytes: 0 };
            shelf.files.insert(path.clone(), file);
        }
        shelf.settle();
        shelf
    }

    pub(super) fn get(&self, name: &RecipeName) -> Option<&File> {
        self.files.get(self.by_name.get(name)?)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &RecipeName> {
        self.by_name.keys()
    }

    /// Files that stand for no recipe, each with the reason.
    pub(super) fn strays(&self) -> impl Iterator<Item = (&File, Diagnostic)> {
        self.files.values().filter_map(|file| Some((file, self.stray(file)?)))
    }

    fn stray(&self, file: &File) -> Option<Diagnostic> {
        let problem = |code, message| Diagnostic {
            code,
            severity: Severity::Error,
            message,
            path: file.path.to_string(),
            line: 1,
            column: 1,
            fix: None,
        };
        if file.read.is_none() {
            let renamed = file.path.as_str().strip_suffix(".yml")?;
            let message = format!("recipes end with `{ENDING}`; rename it to {renamed}{ENDING}");
            return Some(problem(Code::InvalidName, message));
        }
        let Some(name) = file.name() else {
            // The loader said so already, with the same place.
            return file.read.as_ref()?.diagnostics.iter().find(|p| p.is_error()).cloned();
        };
        let counts = self.by_name.get(&name).filter(|path| **path != file.path)?;
        let message = format!("{counts} stands for the recipe `{name}`; rename or delete this one");
        Some(problem(Code::NameConflict, message))
    }
}

impl Shelf for Recipes {
    const FOLDER: &'static str = RECIPES;

    fn apply(&mut self, rows: Vec<HeadRow>) {
        for row in rows {
            let old = self.files.remove(&row.path);
            self.bytes -= old.map_or(0, |file| file.bytes);
            self.wanted.remove(&row.path);
            if row.deleted {
                continue;
            }
            let read = restore(&row).map(Arc::new);
            if read.is_none() && stem(&row.path).is_some() {
                self.wanted.insert(row.path.clone());
            }
            let bytes = FILE_BYTES + usize::try_from(row.size).unwrap_or(usize::MAX) * 2;
            self.bytes += bytes;
            let path = row.path.clone();
            self.files.insert(row.path, File { path, revision: row.revision, read, bytes });
        }
    }

    fn wanted(&self) -> Vec<(DocumentPath, Revision)> {
        let files = self.wanted.iter().filter_map(|path| self.files.get(path));
        files.map(|file| (file.path.clone(), file.revision)).collect()
    }

    fn supply(&mut self, path: &DocumentPath, body: Option<&Bytes>) {
        self.wanted.remove(path);
        match (self.files.get_mut(path), body) {
            (Some(file), Some(body)) => file.read = Some(Arc::new(Read::new(path, body))),
            (Some(_), None) => {
                let old = self.files.remove(path);
                self.bytes -= old.map_or(0, |file| file.bytes);
            }
            (None, _) => {}
        }
    }

    /// Of two files of one name, the one that is called so counts, else the first by path.
    fn settle(&mut self) {
        self.by_name.clear();
        for file in self.files.values().filter(|file| file.read.is_some()) {
            let Some(name) = file.name() else { continue };
            if file.is_called(&name) || !self.by_name.contains_key(&name) {
                self.by_name.insert(name, file.path.clone());
            }
        }
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}
