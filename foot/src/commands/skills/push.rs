//! `foot skills push`: each folder is one change set.

use std::path::PathBuf;

use api_types::documents::{ChangeDto, ChangeSetRequest, DocumentDto, ExpectedDto};
use api_types::error::ErrorCode;
use api_types::ids::{DocumentPath, ProjectId, Revision, SkillName};
use base64::Engine;
use serde::Serialize;
use skill_lang::diagnostic::Diagnostic;
use skill_lang::name;
use skill_lang::validate::{FileReport, report_conflicts, validate_folder};

use super::folder::{self, Folder};
use crate::client::{Api, Error as ClientError};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::{Format, Output, printable};

/// Where a skill is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Layer {
    User,
    Project,
    Tenant,
}

/// `foot skills push`
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A skill's folder, or a folder of them
    path: PathBuf,
    /// Who shall have it: you, the project, or everybody of the tenant
    #[arg(long, value_enum, default_value = "project")]
    layer: Layer,
    /// Push skills that are invalid, too; nobody can activate them
    #[arg(long)]
    force: bool,
}

/// What was stored.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Pushed {
    name: SkillName,
    project_id: ProjectId,
    revision: Revision,
    written: Vec<String>,
    removed: Vec<String>,
    diagnostics: Vec<Diagnostic>,
}

pub(super) async fn run(arguments: &Arguments, api: &Api, out: &mut Output) -> Result<Exit> {
    let paths = folder::find(&arguments.path)?;
    let folders = paths.iter().map(|path| folder::read(path)).collect::<Result<Vec<_>>>()?;
    let mut reports: Vec<FileReport> = folders
        .iter()
        .map(|folder| validate_folder(&folder.path.to_string_lossy(), &folder.files))
        .collect();
    report_conflicts(&mut reports);
    let names = names(&folders)?;
    tell(&folders, &reports, out);
    if reports.iter().any(|report| !report.valid) && !arguments.force {
        let message = "nothing was pushed: there are invalid skills; repair them, or push them as they are with --force";
        return Err(Error::Command { message: message.to_owned(), exit: Exit::Invalid });
    }
    let project = project(arguments.layer, api).await?;
    let mut all = Vec::new();
    for ((folder, report), name) in folders.iter().zip(reports).zip(names) {
        let pushed = push(api, &project, name, folder, report.diagnostics).await?;
        match out.format {
            Format::Text | Format::Sarif => out.line(&line(&pushed))?,
            Format::StreamJson => out.value(&pushed)?,
            Format::Json => all.push(pushed),
        }
    }
    if out.format == Format::Json {
        out.value(&serde_json::json!({ "skills": all }))?;
    }
    Ok(Exit::Done)
}

/// The names that the folders stand for; each must have one of its own.
fn names(folders: &[Folder]) -> Result<Vec<SkillName>> {
    let mut names: Vec<SkillName> = Vec::new();
    for folder in folders {
        let base = folder.path.file_name().unwrap_or_default().to_string_lossy();
        let mapped = name::from_folder(&base).map_err(|error| {
            Error::failed(format!("{}: {error}; rename it", folder.path.display()))
        })?;
        if names.contains(&mapped.name) {
            let message = format!("two folders stand for {}; rename one of them", mapped.name);
            return Err(Error::failed(message));
        }
        names.push(mapped.name);
    }
    Ok(names)
}

fn tell(folders: &[Folder], reports: &[FileReport], out: &mut Output) {
    for problem in reports.iter().flat_map(|report| &report.diagnostics) {
        out.note(&printable(&problem.to_string()));
    }
    for folder in folders {
        for skipped in &folder.skipped {
            out.note(&printable(&format!("not pushed: {}/{skipped}", folder.path.display())));
        }
    }
}

async fn project(layer: Layer, api: &Api) -> Result<ProjectId> {
    Ok(match layer {
        Layer::Project => api.settings().project.clone(),
        Layer::Tenant => ProjectId::tenant_layer(),
        Layer::User => {
            let user = match api.settings().user.clone() {
                Some(user) => user,
                None => api.whoami().await?.user_id,
            };
            ProjectId::user_layer(&user)
        }
    })
}

async fn push(
    api: &Api,
    project: &ProjectId,
    name: SkillName,
    folder: &Folder,
    diagnostics: Vec<Diagnostic>,
) -> Result<Pushed> {
    let root = format!("_vance/skills/{name}");
    let there = api.documents(project, &root).await?.documents;
    let changes = changes(&root, folder, &there)?;
    let removed = changes.iter().filter_map(|change| match change {
        ChangeDto::Delete { path, .. } => {
            path.as_str().strip_prefix(&format!("{root}/")).map(str::to_owned)
        }
        _ => None,
    });
    let removed: Vec<String> = removed.collect();
    let answer = api.change(project, &ChangeSetRequest { changes }).await;
    let answer = answer.map_err(|error| explain(error, &name))?;
    let written = folder.files.keys().cloned().collect();
    Ok(Pushed {
        name,
        project_id: project.clone(),
        revision: answer.revision,
        written,
        removed,
        diagnostics,
    })
}

fn explain(error: ClientError, name: &SkillName) -> Error {
    match error.body().map(|body| body.code) {
        Some(ErrorCode::Conflict) => Error::failed(format!(
            "{name}: someone else changed it meanwhile, nothing was pushed of it; push again ({error})"
        )),
        _ => error.into(),
    }
}

/// All files as they are here, and none that is not here.
fn changes(root: &str, folder: &Folder, there: &[DocumentDto]) -> Result<Vec<ChangeDto>> {
    let revision = |path: &DocumentPath| {
        let found = there.iter().find(|document| document.path == *path);
        found.map_or(ExpectedDto::Absent, |document| ExpectedDto::Revision(document.revision))
    };
    let mut changes = Vec::with_capacity(folder.files.len());
    for (file, bytes) in &folder.files {
        let path: DocumentPath = format!("{root}/{file}")
            .parse()
            .map_err(|error| Error::failed(format!("{}: {error}", folder.path.display())))?;
        let expected = revision(&path);
        let (text, base64) = match std::str::from_utf8(bytes) {
            Ok(text) => (Some(text.to_owned()), None),
            Err(_) => (None, Some(base64::engine::general_purpose::STANDARD.encode(bytes))),
        };
        changes.push(ChangeDto::Put { path, text, base64, expected });
    }
    let kept: std::collections::HashSet<String> = changes.iter().filter_map(put_path).collect();
    // Never beyond the folder, whatever the listing says.
    let gone = |document: &&DocumentDto| {
        document.path.is_below(root) && !kept.contains(document.path.as_str())
    };
    for document in there.iter().filter(gone) {
        let expected = ExpectedDto::Revision(document.revision);
        changes.push(ChangeDto::Delete { path: document.path.clone(), expected });
    }
    Ok(changes)
}

fn put_path(change: &ChangeDto) -> Option<String> {
    match change {
        ChangeDto::Put { path, .. } => Some(path.to_string()),
        _ => None,
    }
}

fn line(pushed: &Pushed) -> String {
    let Pushed { name, project_id, revision, written, removed, .. } = pushed;
    let removed = if removed.is_empty() {
        String::new()
    } else {
        format!("; not here, so removed there: {}", removed.join(", "))
    };
    let files = if written.len() == 1 { "file" } else { "files" };
    format!("{name}: {} {files} in {project_id} at revision {revision}{removed}", written.len())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use api_types::ids::DocumentId;

    use super::*;

    fn there(path: &str, revision: u64) -> DocumentDto {
        DocumentDto {
            id: DocumentId::from_bits(1),
            project_id: "home".parse().unwrap(),
            path: path.parse().unwrap(),
            kind: "markdown".to_owned(),
            mime_type: "text/markdown".to_owned(),
            size: 1,
            revision: Revision(revision),
            updated_by: "jane".to_owned(),
            created_at: 0,
            updated_at: 0,
            trashed_from: None,
        }
    }

    #[test]
    fn a_push_makes_the_folder_there_like_the_one_here() {
        let files = BTreeMap::from([
            ("SKILL.md".to_owned(), b"x".to_vec()),
            ("a.bin".to_owned(), vec![0xff]),
        ]);
        let folder = Folder { path: "s/x".into(), files, skipped: Vec::new() };
        let remote = [there("_vance/skills/x/SKILL.md", 4), there("_vance/skills/x/old.md", 3)];
        let changes = changes("_vance/skills/x", &folder, &remote).unwrap();
        insta::assert_json_snapshot!(changes, @r#"
        [
          {
            "op": "put",
            "path": "_vance/skills/x/SKILL.md",
            "text": "x",
            "expected": {
              "revision": 4
            }
          },
          {
            "op": "put",
            "path": "_vance/skills/x/a.bin",
            "base64": "/w==",
            "expected": "absent"
          },
          {
            "op": "delete",
            "path": "_vance/skills/x/old.md",
            "expected": {
              "revision": 3
            }
          }
        ]
        "#);
    }

    #[test]
    fn what_is_removed_is_said() {
        let pushed = Pushed {
            name: "x".parse().unwrap(),
            project_id: "home".parse().unwrap(),
            revision: Revision(7),
            written: vec!["SKILL.md".to_owned()],
            removed: vec!["old.md".to_owned()],
            diagnostics: Vec::new(),
        };
        assert_eq!(
            line(&pushed),
            "x: 1 file in home at revision 7; not here, so removed there: old.md"
        );
    }
}
