//! `foot docs`: documents of a project.

mod diff;
mod read;
mod write;

use std::path::PathBuf;

use api_types::documents::DocumentDto;
use api_types::ids::{DocumentPath, Revision};

use crate::client::Api;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::{Format, Output};

/// Where trashed documents lie.
const TRASH: &str = "_vance/trash";

/// `foot docs`
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Documents below a folder; all without one
    Ls {
        /// The folder
        #[arg(default_value = "")]
        folder: String,
    },
    /// A document's body, byte for byte
    Cat {
        /// The document
        path: DocumentPath,
        /// As it was at this revision
        #[arg(long, value_parser = revision)]
        revision: Option<Revision>,
    },
    /// Create or replace a document
    Put {
        /// The document
        path: DocumentPath,
        /// The file with its body; `-` is standard input
        file: PathBuf,
        /// Only if it is at this revision; 0: only if there is none
        #[arg(long, value_parser = revision)]
        if_revision: Option<Revision>,
    },
    /// Move a document to the trash; from there, away for good
    Rm {
        /// The document
        path: DocumentPath,
        /// Only if it is at this revision
        #[arg(long, value_parser = revision)]
        if_revision: Option<Revision>,
    },
    /// A document's versions, newest first
    Log {
        /// The document
        path: DocumentPath,
        /// So many at most
        #[arg(short = 'n', long, default_value_t = 50)]
        limit: usize,
    },
    /// What changed: since the last version, since REV, or between two
    Diff {
        /// The document
        path: DocumentPath,
        /// The older revision
        #[arg(value_name = "REV", value_parser = revision)]
        from: Option<Revision>,
        /// The newer revision
        #[arg(value_name = "REV", value_parser = revision)]
        to: Option<Revision>,
    },
    /// An earlier version again, or a document out of the trash
    Restore {
        /// The document, where it is or where it was
        path: DocumentPath,
        /// The version
        #[arg(long, value_parser = revision)]
        revision: Option<Revision>,
        /// Where to
        #[arg(long)]
        to: Option<DocumentPath>,
    },
}

fn revision(text: &str) -> std::result::Result<Revision, String> {
    text.parse()
        .map(Revision)
        .map_err(|_| "a revision is a number; `foot docs log` shows them".to_owned())
}

/// Runs it.
pub(crate) async fn run(command: Command, api: &Api, out: &mut Output) -> Result<Exit> {
    match command {
        Command::Ls { folder } => read::ls(&folder, api, out).await?,
        Command::Cat { path, revision } => read::cat(&path, revision, api, out).await?,
        Command::Log { path, limit } => read::log(&path, limit, api, out).await?,
        Command::Diff { path, from, to } => diff::run(&path, from, to, api, out).await?,
        Command::Put { path, file, if_revision } => {
            write::put(path, &file, if_revision, api, out).await?;
        }
        Command::Rm { path, if_revision } => write::rm(&path, if_revision, api, out).await?,
        Command::Restore { path, revision, to } => {
            write::restore(&path, revision, to, api, out).await?;
        }
    }
    Ok(Exit::Done)
}

/// Tells what a document is now.
fn written(what: &str, document: &DocumentDto, out: &mut Output) -> Result<()> {
    match out.format {
        Format::Text | Format::Sarif => out.line(&format!(
            "{what} {} in {} at revision {} ({} bytes)",
            document.path, document.project_id, document.revision, document.size
        ))?,
        Format::Json | Format::StreamJson => out.value(document)?,
    }
    Ok(())
}

/// The document at a path, or the newest trashed one that lay there.
async fn here_or_trashed(path: &DocumentPath, api: &Api) -> Result<DocumentDto> {
    let project = &api.settings().project;
    let missing = match api.document(project, path).await {
        Ok(document) => return Ok(document),
        Err(error) => error,
    };
    let not_found =
        missing.body().is_some_and(|body| body.code == api_types::error::ErrorCode::NotFound);
    if !not_found {
        return Err(missing.into());
    }
    let trash = api.documents(project, TRASH).await?;
    let lay_there = |document: &DocumentDto| document.trashed_from.as_ref() == Some(path);
    let newest =
        trash.documents.into_iter().filter(lay_there).max_by_key(|document| document.revision);
    newest.ok_or_else(|| Error::from(missing))
}
