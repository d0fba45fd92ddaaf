//! Sessions and their messages.

use api_types::ids::{ProjectId, SessionId};
use api_types::sessions::{ChatMessageDto, MessageListResponse, SessionDto, SessionListResponse};

use super::super::Error;
use super::Api;

/// Most messages that one listing reads.
const MESSAGES_MAX: usize = 10_000;

impl Api {
    /// Sessions of a project, newest activity first.
    ///
    /// # Errors
    ///
    /// When the brain can't be reached or refuses.
    pub(crate) async fn sessions(&self, project: &ProjectId) -> Result<SessionListResponse, Error> {
        self.get(&["sessions"], &[("projectId", project.as_str())]).await
    }

    /// A session in full.
    ///
    /// # Errors
    ///
    /// When the brain can't be reached or refuses.
    pub(crate) async fn session(&self, id: &SessionId) -> Result<SessionDto, Error> {
        self.get(&["sessions", id.as_str()], &[]).await
    }

    /// Its messages, oldest first.
    ///
    /// # Errors
    ///
    /// When the brain can't be reached or refuses.
    pub(crate) async fn messages(&self, id: &SessionId) -> Result<Vec<ChatMessageDto>, Error> {
        let mut messages = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let query: Vec<_> = cursor.iter().map(|cursor| ("cursor", cursor.as_str())).collect();
            let page: MessageListResponse =
                self.get(&["sessions", id.as_str(), "messages"], &query).await?;
            messages.extend(page.messages);
            cursor = page.next_cursor;
            if cursor.is_none() || messages.len() >= MESSAGES_MAX {
                return Ok(messages);
            }
        }
    }

    /// Ends a session for good.
    ///
    /// # Errors
    ///
    /// When the brain can't be reached or refuses.
    pub(crate) async fn close_session(&self, id: &SessionId) -> Result<(), Error> {
        self.delete(&["sessions", id.as_str()], None).await
    }
}
