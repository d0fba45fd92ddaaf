//! `foot docs put|rm|restore`

use std::io::Read;
use std::path::Path;

use api_types::documents::{ChangeDto, ChangeSetRequest, ExpectedDto, RestoreRequest};
use api_types::ids::{DocumentPath, Revision};
use base64::Engine;

use super::{TRASH, here_or_trashed, written};
use crate::client::Api;
use crate::commands::skills::FILE_BYTES_MAX;
use crate::error::{Error, Result};
use crate::output::Output;

pub(super) async fn put(
    path: DocumentPath,
    file: &Path,
    if_revision: Option<Revision>,
    api: &Api,
    out: &mut Output,
) -> Result<()> {
    let body = read(file)?;
    let expected = match if_revision {
        None => ExpectedDto::Any,
        Some(Revision(0)) => ExpectedDto::Absent,
        Some(revision) => ExpectedDto::Revision(revision),
    };
    let (text, base64) = match String::from_utf8(body) {
        Ok(text) => (Some(text), None),
        Err(error) => {
            (None, Some(base64::engine::general_purpose::STANDARD.encode(error.as_bytes())))
        }
    };
    let changes = vec![ChangeDto::Put { path, text, base64, expected }];
    let answer = api.change(&api.settings().project, &ChangeSetRequest { changes }).await?;
    match answer.items.first() {
        Some(document) => written("put", document, out),
        None => Err(Error::failed("the brain does not tell what was written")),
    }
}

fn read(file: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = FILE_BYTES_MAX + 1;
    let done = if file == Path::new("-") {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    done.map_err(|error| Error::file(file, error))?;
    if bytes.len() as u64 == limit {
        let message = format!("{}: more than {FILE_BYTES_MAX} bytes", file.display());
        return Err(Error::failed(message));
    }
    Ok(bytes)
}

pub(super) async fn rm(
    path: &DocumentPath,
    if_revision: Option<Revision>,
    api: &Api,
    out: &mut Output,
) -> Result<()> {
    let document = api.document(&api.settings().project, path).await?;
    // What is removed is what was looked at.
    let expected = if_revision.unwrap_or(document.revision);
    api.delete_document(&document.id, Some(expected)).await?;
    out.note(&if path.is_below(TRASH) {
        format!("{path} is gone for good")
    } else {
        format!("{path} is in the trash; `foot docs restore {path}` brings it back")
    });
    Ok(())
}

pub(super) async fn restore(
    path: &DocumentPath,
    revision: Option<Revision>,
    to: Option<DocumentPath>,
    api: &Api,
    out: &mut Output,
) -> Result<()> {
    let document = here_or_trashed(path, api).await?;
    if revision.is_none() && document.trashed_from.is_none() {
        return Err(Error::usage(format!(
            "{path} is not in the trash: name the version with --revision (`foot docs log {path}`)"
        )));
    }
    let restored = api.restore(&document.id, &RestoreRequest { revision, path: to }).await?;
    written("restored", &restored, out)
}
