//! Documents.

use api_types::documents::{
    ChangeSetRequest, ChangeSetResponse, DocumentDto, DocumentHistoryResponse,
    DocumentListResponse, DocumentVersionDto, RestoreRequest,
};
use api_types::ids::{DocumentId, DocumentPath, ProjectId, Revision};

use super::super::Error;
use super::Api;

/// Most documents or versions that one listing reads.
pub(crate) const DOCUMENTS_MAX: usize = 100_000;
/// Documents of one page.
const PAGE: &str = "500";

/// Documents, and whether there are more.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    /// At most [`DOCUMENTS_MAX`] documents, by path.
    pub(crate) documents: Vec<DocumentDto>,
    /// There are more.
    pub(crate) truncated: bool,
}

impl Api {
    /// Documents below a folder, by path; all of the project when it is empty.
    ///
    /// # Errors
    ///
    /// When the brain can't be reached or refuses.
    pub(crate) async fn documents(
        &self,
        project: &ProjectId,
        folder: &str,
    ) -> Result<Listing, Error> {
        let mut documents = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let mut query = vec![("projectId", project.as_str()), ("limit", PAGE)];
            let folder = folder.trim_matches('/');
            if !folder.is_empty() {
                query.push(("pathPrefix", folder));
            }
            if let Some(cursor) = &cursor {
                query.push(("cursor", cursor));
            }
            let page: DocumentListResponse = self.get(&["documents"], &query).await?;
            documents.extend(page.items);
            let full = documents.len() >= DOCUMENTS_MAX;
            cursor = page.next_cursor;
            if cursor.is_none() || full {
                return Ok(Listing { documents, truncated: cursor.is_some() });
            }
        }
    }

    /// The document at a path.
    ///
    /// # Errors
    ///
    /// When the brain can't be reached or refuses, as when there is none.
    pub(crate) async fn document(
        &self,
        project: &ProjectId,
        path: &DocumentPath,
    ) -> Result<DocumentDto, Error> {
        let query = [("projectId", project.as_str()), ("path", path.as_str())];
        self.get(&["documents", "by-path"], &query).await
    }

    /// A body, now or at a revision.
    ///
    /// # Errors
    ///
    /// When the brain can't be reached or refuses.
    pub(crate) async fn content(
        &self,
        id: &DocumentId,
        revision: Option<Revision>,
    ) -> Result<Vec<u8>, Error> {
        let revision = revision.map(|revision| revision.to_string());
        let query: Vec<_> = revision.iter().map(|r| ("revision", r.as_str())).collect();
        self.get_bytes(&["documents", id.as_str(), "content"], &query).await
    }

    /// Changes that happen together or not at all.
    ///
    /// # Errors
    ///
    /// When the brain can't be reached or refuses.
    pub(crate) async fn change(
        &self,
        project: &ProjectId,
        changes: &ChangeSetRequest,
    ) -> Result<ChangeSetResponse, Error> {
        self.post(&["documents", "changes"], &[("projectId", project.as_str())], changes).await
    }

    /// To the trash, or from there away for good.
    ///
    /// # Errors
    ///
    /// When the brain can't be reached or refuses.
    pub(crate) async fn delete_document(
        &self,
        id: &DocumentId,
        expected: Option<Revision>,
    ) -> Result<(), Error> {
        self.delete(&["documents", id.as_str()], expected.map(|revision| revision.0)).await
    }

    /// The newest so many versions, newest first.
    ///
    /// # Errors
    ///
    /// When the brain can't be reached or refuses.
    pub(crate) async fn history(
        &self,
        id: &DocumentId,
        limit: usize,
    ) -> Result<Vec<DocumentVersionDto>, Error> {
        let mut versions = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let query: Vec<_> = cursor.iter().map(|cursor| ("cursor", cursor.as_str())).collect();
            let page: DocumentHistoryResponse =
                self.get(&["documents", id.as_str(), "history"], &query).await?;
            versions.extend(page.versions);
            cursor = page.next_cursor;
            if cursor.is_none() || versions.len() >= limit {
                versions.truncate(limit);
                return Ok(versions);
            }
        }
    }

    /// An earlier version, or a trashed document, again; the document as it is then.
    ///
    /// # Errors
    ///
    /// When the brain can't be reached or refuses.
    pub(crate) async fn restore(
        &self,
        id: &DocumentId,
        request: &RestoreRequest,
    ) -> Result<DocumentDto, Error> {
        self.post(&["documents", id.as_str(), "restore"], &[], request).await
    }
}
