//! Turns edits into the changes of a store.

use std::collections::HashMap;

use api_types::ids::{DocumentPath, ProjectId, Revision};
use bytes::Bytes;

use super::{Documents, Edit, guarded};
use crate::ctx::OpCtx;
use crate::documents::{Action, At, Change, Error, Expected, TRASH};
use crate::port;

/// After so many edits, others get a turn: parsing takes a while.
const YIELD_EVERY: usize = 32;
/// Longest file name that a name in the trash keeps, in bytes.
const TRASHED_NAME_BYTES_MAX: usize = 512;

/// Changes, and what earlier ones of the same set leave for later ones.
pub(super) struct Plan<'a> {
    documents: &'a Documents,
    ctx: &'a OpCtx,
    project: &'a ProjectId,
    changes: Vec<Change>,
    /// What this set wrote so far; `None`: it left the path empty.
    written: HashMap<DocumentPath, Option<Bytes>>,
    /// How many documents of a name this set put into the trash.
    trashed: HashMap<String, u32>,
    guarded: bool,
}

impl<'a> Plan<'a> {
    pub(super) async fn make(
        documents: &'a Documents,
        ctx: &'a OpCtx,
        project: &'a ProjectId,
        edits: &[Edit],
    ) -> Result<Self, Error> {
        let mut plan = Self {
            documents,
            ctx,
            project,
            changes: Vec::with_capacity(edits.len()),
            written: HashMap::new(),
            trashed: HashMap::new(),
            guarded: false,
        };
        for (index, edit) in edits.iter().enumerate() {
            if index % YIELD_EVERY == YIELD_EVERY - 1 {
                tokio::task::yield_now().await;
            }
            plan.add(edit).await?;
        }
        Ok(plan)
    }

    /// Whether an edit without expectation relies on what was read.
    pub(super) fn guarded(&self) -> bool {
        self.guarded
    }

    pub(super) fn into_changes(self) -> Vec<Change> {
        self.changes
    }

    async fn add(&mut self, edit: &Edit) -> Result<(), Error> {
        match edit {
            Edit::Put { path, body, expected } => {
                self.written.insert(path.clone(), Some(body.clone()));
                self.changes.push(self.documents.put_change(path, body, *expected));
            }
            Edit::Move { path, to, expected } => {
                let action = if path.is_below(TRASH) { Action::Restore } else { Action::Move };
                let (body, revision) = self.read(path).await?;
                let shape = Some(self.documents.shape(to, &body));
                self.relocate(path, to.clone(), body);
                let expected = self.guard(*expected, revision);
                let (path, to) = (path.clone(), to.clone());
                self.changes.push(Change::Move { path, to, expected, action, shape });
            }
            Edit::Delete { path, expected } if path.is_below(TRASH) => {
                self.written.insert(path.clone(), None);
                let (path, expected) = (path.clone(), *expected);
                self.changes.push(Change::Purge { path, expected });
            }
            Edit::Delete { path, expected } => {
                let (body, revision) = self.read(path).await?;
                let to = self.place_in_trash(path, revision.unwrap_or_default()).await?;
                self.relocate(path, to.clone(), body);
                let expected = self.guard(*expected, revision);
                let (path, action) = (path.clone(), Action::Trash);
                self.changes.push(Change::Move { path, to, expected, action, shape: None });
            }
        }
        Ok(())
    }

    /// The body at a path as of this point of the set, with its revision if the store has it so.
    async fn read(&self, path: &DocumentPath) -> Result<(Bytes, Option<Revision>), Error> {
        match self.written.get(path) {
            Some(Some(body)) => Ok((body.clone(), None)),
            Some(None) => Err(Error::NotFound { what: format!("document {path}") }),
            None => {
                let store = &self.documents.store;
                let found = store.get(self.ctx, self.project, path, At::Latest).await?;
                Ok((found.body, Some(found.row.revision)))
            }
        }
    }

    fn relocate(&mut self, from: &DocumentPath, to: DocumentPath, body: Bytes) {
        self.written.insert(from.clone(), None);
        self.written.insert(to, Some(body));
    }

    fn guard(&mut self, expected: Expected, read: Option<Revision>) -> Expected {
        let guard = guarded(expected, read);
        self.guarded |= guard != expected;
        guard
    }

    /// `<revision>_<file name>`; documents of one set share both, then a number goes between.
    async fn place_in_trash(
        &mut self,
        path: &DocumentPath,
        revision: Revision,
    ) -> Result<DocumentPath, Error> {
        let name = cut(path.file_name());
        let mut count = self.trashed.get(&format!("{revision}_{name}")).copied().unwrap_or(0);
        loop {
            count += 1;
            let text = match count {
                1 => format!("{TRASH}/{revision}_{name}"),
                n => format!("{TRASH}/{revision}_{n}_{name}"),
            };
            let place: DocumentPath = text.parse()?;
            if self.is_free(&place).await? {
                self.trashed.insert(format!("{revision}_{name}"), count);
                return Ok(place);
            }
        }
    }

    async fn is_free(&self, path: &DocumentPath) -> Result<bool, Error> {
        match self.documents.store.get(self.ctx, self.project, path, At::Latest).await {
            Ok(_) => Ok(false),
            Err(port::Error::NotFound { .. }) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }
}

/// A file name that leaves room for what goes before it.
fn cut(name: &str) -> &str {
    let end = name.floor_char_boundary(TRASHED_NAME_BYTES_MAX);
    name[..end].trim_end()
}
