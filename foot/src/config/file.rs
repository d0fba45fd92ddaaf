//! Files that name a brain and a token.

use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use api_types::ids::{ProjectId, TenantId, UserLogin};
use serde::{Deserialize, Serialize};

use super::{BrainUrl, Error, Token};

/// Largest file, in bytes.
const LOGIN_BYTES_MAX: u64 = 64 * 1024;

/// A brain and who asks it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Login {
    /// The brain.
    pub(crate) url: BrainUrl,
    /// The tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tenant: Option<TenantId>,
    /// The project of new sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) project: Option<ProjectId>,
    /// Who the token speaks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) user: Option<UserLogin>,
    /// The token.
    pub(crate) token: Token,
}

/// Where a [`Login`] is kept.
#[derive(Clone, Debug)]
pub(crate) struct LoginFile(PathBuf);

impl LoginFile {
    /// The saved login in foot's folder.
    #[must_use]
    pub(crate) fn in_home(home: &Path) -> Self {
        Self(home.join("login.json"))
    }

    /// Any other file of this form.
    #[must_use]
    pub(crate) fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// Where it is.
    #[must_use]
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    fn error(&self, problem: impl std::fmt::Display) -> Error {
        Error::File { path: self.0.display().to_string(), problem: problem.to_string() }
    }

    /// Reads it; `None` when there is none.
    ///
    /// # Errors
    ///
    /// When it can't be read, or is not of this form.
    pub(crate) fn read(&self) -> Result<Option<Login>, Error> {
        let file = match std::fs::File::open(&self.0) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.error(error)),
        };
        let mut text = String::new();
        file.take(LOGIN_BYTES_MAX).read_to_string(&mut text).map_err(|error| self.error(error))?;
        let login = serde_json::from_str(&text);
        login.map(Some).map_err(|error| {
            self.error(format!("not a login: {error}; remove the file, or log in again"))
        })
    }

    /// Writes it, readable by its owner only, whole or not at all.
    ///
    /// # Errors
    ///
    /// When it can't be written.
    pub(crate) fn write(&self, login: &Login) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(login).map_err(|error| self.error(error))?;
        let folder = self.0.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(|error| self.error(error))?;
        let draft = self.0.with_extension(format!("json.{}", std::process::id()));
        let written = write_private(&draft, &text).and_then(|()| std::fs::rename(&draft, &self.0));
        written.map_err(|error| {
            drop(std::fs::remove_file(&draft));
            self.error(error)
        })
    }

    /// Removes it; `false` when there was none.
    ///
    /// # Errors
    ///
    /// When it can't be removed.
    pub(crate) fn remove(&self) -> Result<bool, Error> {
        match std::fs::remove_file(&self.0) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(self.error(error)),
        }
    }
}

fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
