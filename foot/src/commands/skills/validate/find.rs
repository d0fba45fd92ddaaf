//! Finding skills in trees.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use skill_lang::validate::SKILL_FILE;

use super::io_error;
use crate::error::{Error, Result};

/// Levels of folders below a root.
const DEPTH_MAX: usize = 64;
/// Folders of a working tree that hold what others made.
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];
/// Folders of a working tree that hold skills though their names begin with a dot.
const SKILL_ROOTS: [&str; 3] = [".foot/skills", ".agents/skills", ".claude/skills"];

/// Collects files, each once.
#[derive(Default)]
pub(super) struct Finder {
    found: Vec<PathBuf>,
    /// Real places of the folders that were walked from a root or entered through a link.
    roots: Vec<PathBuf>,
    seen: HashSet<PathBuf>,
}

impl Finder {
    /// The files, in order.
    pub(super) fn files(self) -> Vec<PathBuf> {
        self.found
    }

    /// What the user named: a file, a skill's folder or a tree.
    pub(super) fn named(&mut self, path: &Path) -> Result<()> {
        let kind = std::fs::metadata(path).map_err(|error| io_error(path, error))?;
        if kind.is_dir() {
            self.tree(path);
            return Ok(());
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !name.eq_ignore_ascii_case(SKILL_FILE) {
            let message = format!("{}: neither a folder nor a {SKILL_FILE}", path.display());
            return Err(Error::usage(message));
        }
        self.add(path.to_owned());
        Ok(())
    }

    /// All skills below a folder; none if there is no such folder.
    pub(super) fn tree(&mut self, root: &Path) {
        self.root(root, |name| name == ".git");
    }

    /// All skills of a working tree: hidden folders only where skills are kept.
    pub(super) fn working_tree(&mut self, root: &Path) {
        self.root(root, |name| name.starts_with('.') || SKIPPED.contains(&name));
        for folder in SKILL_ROOTS {
            self.tree(&root.join(folder));
        }
    }

    fn root(&mut self, root: &Path, skip: impl Fn(&str) -> bool + Copy) {
        let Ok(real) = root.canonicalize() else { return };
        self.roots.push(real);
        self.walk(root, 0, skip);
    }

    fn walk(&mut self, folder: &Path, depth: usize, skip: impl Fn(&str) -> bool + Copy) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let mut folders = Vec::new();
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Ok(kind) = entry.file_type() else { continue };
            if name == SKILL_FILE {
                if !kind.is_dir() {
                    self.add(folder.join(&name));
                }
            } else if (kind.is_dir() || kind.is_symlink())
                && name.to_str().is_none_or(|name| !skip(name))
            {
                folders.push((folder.join(&name), kind.is_symlink()));
            }
        }
        // The order of a listing is the file system's; reports shall have one.
        folders.sort();
        for (folder, link) in folders {
            if depth < DEPTH_MAX && (!link || self.enter(&folder)) {
                self.walk(&folder, depth + 1, skip);
            }
        }
    }

    /// Whether a link leads to a folder that is not walked otherwise. Loops lead into a root.
    fn enter(&mut self, link: &Path) -> bool {
        let Ok(real) = link.canonicalize() else { return false };
        if !real.is_dir()
            || self.roots.iter().any(|root| real.starts_with(root) || root.starts_with(&real))
        {
            return false;
        }
        self.roots.push(real);
        true
    }

    fn add(&mut self, file: PathBuf) {
        let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
        let real = parent.unwrap_or(Path::new(".")).canonicalize();
        let place = real
            .map_or_else(|_| file.clone(), |real| real.join(file.file_name().unwrap_or_default()));
        if self.seen.insert(place) {
            self.found.push(file);
        }
    }
}
