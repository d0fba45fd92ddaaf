//! Documents that are shipped with the service: the outermost layer, read-only.

use std::collections::BTreeMap;

use api_types::ids::DocumentPath;
use include_dir::{Dir, DirEntry, include_dir};

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/bundled");

/// The bundled documents, by the path that they would have in a project.
#[derive(Clone, Debug)]
pub struct Bundled {
    files: BTreeMap<DocumentPath, &'static [u8]>,
}

impl Default for Bundled {
    fn default() -> Self {
        Self::shipped()
    }
}

impl Bundled {
    /// All that is shipped. A file whose name can't be a document's path is left out and reported.
    #[must_use]
    pub fn shipped() -> Self {
        let mut files = BTreeMap::new();
        let mut folders = vec![&FILES];
        while let Some(folder) = folders.pop() {
            for entry in folder.entries() {
                match entry {
                    DirEntry::Dir(folder) => folders.push(folder),
                    DirEntry::File(file) => {
                        let path = file.path().to_string_lossy().replace('\\', "/");
                        match path.parse::<DocumentPath>() {
                            Ok(path) => drop(files.insert(path, file.contents())),
                            Err(error) => tracing::error!(%error, "bundled file left out"),
                        }
                    }
                }
            }
        }
        Self { files }
    }

    /// These files instead of the shipped ones.
    #[must_use]
    pub fn of(files: impl IntoIterator<Item = (DocumentPath, &'static [u8])>) -> Self {
        Self { files: files.into_iter().collect() }
    }

    /// The document at a path.
    #[must_use]
    pub fn get(&self, path: &DocumentPath) -> Option<&'static [u8]> {
        self.files.get(path).copied()
    }

    /// All documents below a folder, which is written without a trailing `/`, by path.
    pub fn below<'b>(
        &'b self,
        folder: &'b str,
    ) -> impl Iterator<Item = (&'b DocumentPath, &'static [u8])> {
        let files = self.files.iter().filter(move |(path, _)| path.is_below(folder));
        files.map(|(path, body)| (path, *body))
    }
}
