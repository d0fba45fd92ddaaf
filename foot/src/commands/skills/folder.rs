//! Skill folders of this machine, read to be pushed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use api_types::ids::DocumentPath;
use skill_lang::validate::SKILL_FILE;

use crate::error::{Error, Result};

/// Largest file, in bytes: as much as the brain stores in a document.
pub(crate) const FILE_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// Most files of a skill.
pub(super) const FILES_MAX: usize = 500;
/// Largest skill, in bytes of all its files: they travel as one change set, as base64 at worst.
pub(super) const SKILL_FILES_BYTES_MAX: u64 = 20 * 1024 * 1024;

/// A folder with its files by their path inside it.
#[derive(Debug)]
pub(super) struct Folder {
    /// Where it is.
    pub(super) path: PathBuf,
    /// Its files.
    pub(super) files: BTreeMap<String, Vec<u8>>,
    /// What was left out, and why.
    pub(super) skipped: Vec<String>,
}

/// The skills at a path: the folder itself, or each folder in it that is one.
pub(super) fn find(path: &Path) -> Result<Vec<PathBuf>> {
    if is_skill(path) {
        return Ok(vec![path.to_owned()]);
    }
    let entries = std::fs::read_dir(path).map_err(|error| Error::file(path, error))?;
    let mut folders: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| is_skill(path)).collect();
    folders.sort();
    if folders.is_empty() {
        let message = format!(
            "{}: no skill here: neither a {SKILL_FILE} nor a folder that has one",
            path.display()
        );
        return Err(Error::usage(message));
    }
    Ok(folders)
}

fn is_skill(folder: &Path) -> bool {
    folder.join(SKILL_FILE).is_file()
}

/// Reads a folder.
pub(super) fn read(path: &Path) -> Result<Folder> {
    // `.` has no name of its own.
    let real = path.canonicalize().map_err(|error| Error::file(path, error))?;
    let mut reader =
        Reader { root: real.clone(), files: BTreeMap::new(), skipped: Vec::new(), bytes: 0 };
    reader.folder(&real, "", 0)?;
    Ok(Folder { path: real, files: reader.files, skipped: reader.skipped })
}

struct Reader {
    root: PathBuf,
    files: BTreeMap<String, Vec<u8>>,
    skipped: Vec<String>,
    bytes: u64,
}

/// Levels of folders in a skill.
const DEPTH_MAX: usize = 16;

impl Reader {
    fn folder(&mut self, folder: &Path, prefix: &str, depth: usize) -> Result<()> {
        let entries = std::fs::read_dir(folder).map_err(|error| Error::file(folder, error))?;
        let mut entries: Vec<_> = entries.flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
            if name.starts_with('.') {
                self.skip(&path, "hidden");
                continue;
            }
            let Some(kind) = self.kind(&entry.path(), &path)? else { continue };
            if !kind.is_dir() {
                self.file(&entry.path(), path, kind.len())?;
            } else if depth >= DEPTH_MAX {
                self.skip(&path, "nested too deeply");
            } else {
                self.folder(&entry.path(), &path, depth + 1)?;
            }
        }
        Ok(())
    }

    /// What an entry is; `None` where it is left out.
    fn kind(&mut self, entry: &Path, path: &str) -> Result<Option<std::fs::Metadata>> {
        let kind = std::fs::symlink_metadata(entry).map_err(|error| Error::file(entry, error))?;
        if !kind.is_symlink() {
            let known = kind.is_dir() || kind.is_file();
            if !known {
                self.skip(path, "neither a file nor a folder");
            }
            return Ok(known.then_some(kind));
        }
        match entry.canonicalize() {
            Ok(target) if !target.starts_with(&self.root) => {
                self.skip(path, "a link that leaves the folder")
            }
            Ok(target) => match std::fs::metadata(&target) {
                Ok(kind) if kind.is_file() => return Ok(Some(kind)),
                _ => self.skip(path, "a link to a folder"),
            },
            Err(_) => self.skip(path, "a link to nothing"),
        }
        Ok(None)
    }

    fn skip(&mut self, path: &str, why: &str) {
        self.skipped.push(format!("{path}: {why}"));
    }

    fn file(&mut self, file: &Path, path: String, length: u64) -> Result<()> {
        let refuse = |problem: String| Err(Error::failed(format!("{}: {problem}", file.display())));
        if let Err(error) = path.parse::<DocumentPath>() {
            return refuse(error.to_string());
        }
        if self.files.len() >= FILES_MAX {
            return refuse(format!("the skill has more than {FILES_MAX} files"));
        }
        if length > FILE_BYTES_MAX {
            return refuse(format!("{length} bytes, at most {FILE_BYTES_MAX}"));
        }
        let bytes = std::fs::read(file).map_err(|error| Error::file(file, error))?;
        self.bytes += bytes.len() as u64;
        if self.bytes > SKILL_FILES_BYTES_MAX {
            return refuse(format!("the skill has more than {SKILL_FILES_BYTES_MAX} bytes"));
        }
        self.files.insert(path, bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn hidden_files_and_links_that_leave_are_left_out_and_named() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret"), "s").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("my-skill");
        std::fs::create_dir_all(root.join("references")).unwrap();
        std::fs::write(root.join("SKILL.md"), "x").unwrap();
        std::fs::write(root.join(".env"), "x").unwrap();
        std::fs::write(root.join("references/a.md"), "a").unwrap();
        let link = |target: &Path, name: &str| {
            std::os::unix::fs::symlink(target, root.join(name)).unwrap()
        };
        link(&outside.path().join("secret"), "secret.txt");
        link(outside.path(), "far");
        link(Path::new("."), "loop");
        link(Path::new("references/a.md"), "b.md");
        let read = read(&root).unwrap();
        let names: Vec<_> = read.files.keys().map(String::as_str).collect();
        assert_eq!(names, ["SKILL.md", "b.md", "references/a.md"]);
        assert_eq!(
            read.skipped,
            [
                ".env: hidden",
                "far: a link that leaves the folder",
                "loop: a link to a folder",
                "secret.txt: a link that leaves the folder",
            ]
        );
    }

    #[test]
    fn a_folder_of_skills_is_each_of_them() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert!(find(root).unwrap_err().to_string().contains("no skill here"));
        for name in ["b", "a", "no"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        for name in ["b", "a"] {
            std::fs::write(root.join(name).join("SKILL.md"), "").unwrap();
        }
        assert_eq!(find(root).unwrap(), [root.join("a"), root.join("b")]);
        assert_eq!(find(&root.join("a")).unwrap(), [root.join("a")]);
    }
}
