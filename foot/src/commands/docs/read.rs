//! `foot docs ls|cat|log`

use api_types::documents::{DocumentDto, DocumentVersionDto};
use api_types::ids::{DocumentPath, Revision};

use super::here_or_trashed;
use crate::client::Api;
use crate::error::Result;
use crate::output::{Format, Output, table, time};

pub(super) async fn ls(folder: &str, api: &Api, out: &mut Output) -> Result<()> {
    let project = &api.settings().project;
    let found = api.documents(project, folder).await?;
    match out.format {
        Format::Json => out.value(&serde_json::json!({ "items": found.documents }))?,
        Format::StreamJson => {
            for document in &found.documents {
                out.value(document)?;
            }
        }
        Format::Text | Format::Sarif if found.documents.is_empty() => {
            out.note(&format!("no documents in project {project} below {folder:?}"));
        }
        Format::Text | Format::Sarif => {
            let rows: Vec<_> = found.documents.iter().map(row).collect();
            out.text(&table(&["REVISION", "BYTES", "UPDATED", "BY", "PATH"], &rows))?;
        }
    }
    if found.truncated {
        out.note("there are more; name a folder");
    }
    Ok(())
}

fn row(document: &DocumentDto) -> Vec<String> {
    vec![
        document.revision.to_string(),
        document.size.to_string(),
        time(document.updated_at),
        document.updated_by.clone(),
        document.path.to_string(),
    ]
}

pub(super) async fn cat(
    path: &DocumentPath,
    revision: Option<Revision>,
    api: &Api,
    out: &mut Output,
) -> Result<()> {
    let document = match revision {
        None => api.document(&api.settings().project, path).await?,
        Some(_) => here_or_trashed(path, api).await?,
    };
    let body = api.content(&document.id, revision).await?;
    Ok(out.bytes(&body)?)
}

pub(super) async fn log(
    path: &DocumentPath,
    limit: usize,
    api: &Api,
    out: &mut Output,
) -> Result<()> {
    let document = here_or_trashed(path, api).await?;
    let versions = api.history(&document.id, limit).await?;
    match out.format {
        Format::Json => out.value(&serde_json::json!({ "versions": versions }))?,
        Format::StreamJson => {
            for version in &versions {
                out.value(version)?;
            }
        }
        Format::Text | Format::Sarif => {
            let rows: Vec<_> = versions.iter().map(version_row).collect();
            out.text(&table(&["REVISION", "BYTES", "WRITTEN", "BY", "ACTION", "PATH"], &rows))?;
        }
    }
    Ok(())
}

fn version_row(version: &DocumentVersionDto) -> Vec<String> {
    vec![
        version.revision.to_string(),
        version.size.to_string(),
        time(version.updated_at),
        version.updated_by.clone(),
        version.action.clone(),
        version.path.to_string(),
    ]
}
