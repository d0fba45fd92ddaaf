//! `foot skills pull`: a skill's files in a folder of its name.

use std::io::Write;
use std::path::{Path, PathBuf};

use api_types::ids::DocumentPath;

use super::{NameAtLayer, show};
use crate::client::Api;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::{Format, Output};

/// Most files of a skill.
const FILES_MAX: usize = 1_000;

/// `foot skills pull`
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The skill; `@user`, `@local`, `@project`, `@tenant` or `@bundled` names the copy
    #[arg(value_name = "NAME[@LAYER]")]
    name: NameAtLayer,
    /// The folder that gets a folder of the skill's name
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Replace files that are there
    #[arg(long)]
    force: bool,
}

pub(super) async fn run(arguments: &Arguments, api: &Api, out: &mut Output) -> Result<Exit> {
    let NameAtLayer { name, layer } = &arguments.name;
    let project = &api.settings().project;
    let explained = api.explain_skill(project, name, *layer).await?;
    let Some(shown) = &explained.shown else {
        return Err(show::absent(&arguments.name, &explained));
    };
    let layer = layer.unwrap_or(shown.summary.source);
    let root = arguments.folder.join(shown.summary.name.as_str());
    let files: Vec<&str> = shown.files.iter().map(|file| file.path.as_str()).collect();
    let targets = targets(&root, &files, arguments.force)?;
    let mut bodies = Vec::with_capacity(files.len());
    for file in &files {
        bodies.push(api.skill_file(project, name, Some(layer), file).await?);
    }
    for (target, body) in targets.iter().zip(&bodies) {
        write(&root, target, body, arguments.force)?;
    }
    let shown_root = root.display().to_string();
    match out.format {
        Format::Text | Format::Sarif => out.line(&format!(
            "{name} from {}: {} files in {shown_root}",
            layer.cli_name(),
            files.len()
        ))?,
        Format::Json | Format::StreamJson => out.value(&serde_json::json!({
            "name": name, "source": layer, "folder": shown_root, "files": files,
        }))?,
    }
    Ok(Exit::Done)
}

/// Where each file goes. Nothing is written unless all can be.
fn targets(root: &Path, files: &[&str], force: bool) -> Result<Vec<PathBuf>> {
    if files.len() > FILES_MAX {
        return Err(Error::failed(format!(
            "the skill has {} files, at most {FILES_MAX}",
            files.len()
        )));
    }
    let targets = files.iter().map(|file| target(root, file)).collect::<Result<Vec<_>>>()?;
    let there: Vec<_> = targets.iter().filter(|target| target.symlink_metadata().is_ok()).collect();
    if let (Some(first), false) = (there.first(), force) {
        let message = format!(
            "{} is there already ({} of {} files); nothing was written, --force replaces them",
            first.display(),
            there.len(),
            files.len()
        );
        return Err(Error::failed(message));
    }
    Ok(targets)
}

/// A path from the brain is data: it stays in the folder.
fn target(root: &Path, file: &str) -> Result<PathBuf> {
    let refuse = |why: &str| {
        Error::failed(format!("the brain names a file {file:?}: {why}; nothing was written"))
    };
    let path: DocumentPath = file.parse().map_err(|_| refuse("it is no path in a folder"))?;
    // Drives and streams of Windows.
    if path.as_str() != file || file.contains(':') {
        return Err(refuse("it is no path in a folder"));
    }
    Ok(file.split('/').fold(root.to_owned(), |path, part| path.join(part)))
}

/// Writes a file; no link is followed on the way.
fn write(root: &Path, target: &Path, body: &[u8], force: bool) -> Result<()> {
    let folder = target.parent().unwrap_or(root);
    std::fs::create_dir_all(root).map_err(|error| Error::file(root, error))?;
    let inner = folder.strip_prefix(root).unwrap_or(Path::new(""));
    let mut here = root.to_owned();
    for part in inner {
        here.push(part);
        match here.symlink_metadata() {
            Ok(kind) if kind.is_dir() => {}
            Ok(_) => {
                let message = format!("{}: not a folder; remove it first", here.display());
                return Err(Error::failed(message));
            }
            Err(_) => std::fs::create_dir(&here).map_err(|error| Error::file(&here, error))?,
        }
    }
    let placed = if force { replace(folder, target, body) } else { create(target, body) };
    placed.map_err(|error| Error::file(target, error))
}

/// Fails when there is anything, a link included.
fn create(target: &Path, body: &[u8]) -> std::io::Result<()> {
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(target)?;
    file.write_all(body).inspect_err(|_| drop(std::fs::remove_file(target)))
}

/// Writes beside the target, then renames: a link is replaced, not followed.
fn replace(folder: &Path, target: &Path, body: &[u8]) -> std::io::Result<()> {
    let draft = folder.join(format!(".foot-{}", std::process::id()));
    let placed = create(&draft, body).and_then(|()| std::fs::rename(&draft, target));
    placed.inspect_err(|_| drop(std::fs::remove_file(&draft)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_in_the_folder() {
        let root = Path::new("out/x");
        assert_eq!(target(root, "references/a.md").unwrap(), root.join("references").join("a.md"));
        for file in ["../a", "/etc/passwd", "a/../../b", "a\\..\\b", "c:a", "", "a//b", "a\0"] {
            assert!(target(root, file).is_err(), "{file:?}");
        }
    }

    #[test]
    fn nothing_is_replaced_unless_asked() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("x");
        let files = ["SKILL.md", "a/b.md"];
        for target in targets(&root, &files, false).unwrap() {
            write(&root, &target, b"one", false).unwrap();
        }
        assert!(targets(&root, &files, false).unwrap_err().to_string().contains("2 of 2 files"));
        for target in targets(&root, &files, true).unwrap() {
            write(&root, &target, b"two", true).unwrap();
        }
        assert_eq!(std::fs::read(root.join("a/b.md")).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(&root).unwrap().count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn no_link_leads_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("x");
        std::fs::create_dir_all(&root).unwrap();
        std::os::unix::fs::symlink(folder.path(), root.join("a")).unwrap();
        let target = target(&root, "a/b.md").unwrap();
        assert!(write(&root, &target, b"x", true).is_err());
        assert!(!folder.path().join("b.md").exists());
        std::os::unix::fs::symlink(folder.path().join("victim"), root.join("SKILL.md")).unwrap();
        write(&root, &root.join("SKILL.md"), b"x", true).unwrap();
        assert!(!folder.path().join("victim").exists());
    }
}
