//! Tools that read, search and write the project's documents.

mod read;
mod search;
mod write;

use std::sync::Arc;

use api_types::ids::DocumentPath;

use super::{Tool, ToolError};
use crate::documents::{self, Documents};

pub(super) fn tools(documents: &Arc<Documents>) -> Vec<Arc<dyn Tool>> {
    let share = || Arc::clone(documents);
    vec![
        Arc::new(read::List(share())),
        Arc::new(read::Read(share())),
        Arc::new(search::Find(share())),
        Arc::new(search::Grep(share())),
        Arc::new(write::Write(share())),
        Arc::new(write::Edit(share())),
    ]
}

fn path(text: &str) -> Result<DocumentPath, ToolError> {
    text.parse().map_err(|e: api_types::ids::InvalidDocumentPath| ToolError::new(e.to_string()))
}

fn failed(error: documents::Error) -> ToolError {
    let hint = match &error {
        documents::Error::NotFound { .. } => Some("doc_list and doc_find show what there is"),
        _ => None,
    };
    let failure = ToolError::new(error.to_string());
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// The body as text.
fn text_of(path: &DocumentPath, body: &[u8]) -> Result<String, ToolError> {
    String::from_utf8(body.to_vec()).map_err(|_| {
        ToolError::new(format!(
            "{path} is not text: it has {} bytes that are not UTF-8",
            body.len()
        ))
    })
}
