//! Where the brain is and who asks: flags, then environment, then a file that names both.
//!
//! A file is `./data/bootstrap.json`, which a brain on this machine writes, or else the saved
//! login. Its token is used only for its own URL: a token must not reach another host because a
//! flag or a variable names one.

mod file;
mod secret;
mod url;

use std::path::{Path, PathBuf};

use api_types::ids::{InvalidName, Profile, ProjectId, TenantId, UserLogin};

pub(crate) use self::file::{Login, LoginFile};
pub(crate) use self::secret::{InvalidToken, Token};
pub(crate) use self::url::{BrainUrl, InvalidUrl};
use crate::exit::Exit;

/// Where a brain on this machine leaves its address, below the working folder.
const BOOTSTRAP: &str = "data/bootstrap.json";

/// Settings can't be found or read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Nothing says where the brain is.
    #[error(
        "no brain is known: start one here (`brain serve` writes ./{BOOTSTRAP}), log in (`foot login`), or set BRAIN_URL and BRAIN_TOKEN"
    )]
    Unknown,
    /// There is no token for this URL.
    #[error("no token for {0}: log in (`foot login --url {0}`) or set BRAIN_TOKEN")]
    NoToken(BrainUrl),
    /// A URL is wrong.
    #[error(transparent)]
    Url(#[from] InvalidUrl),
    /// A token is wrong.
    #[error(transparent)]
    Token(#[from] InvalidToken),
    /// A name is wrong.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// A file can't be read or written.
    #[error("{path}: {problem}")]
    File {
        /// The file.
        path: String,
        /// Why, and what to do.
        problem: String,
    },
    /// There is no home folder.
    #[error("no folder for foot's files: set FOOT_HOME, or HOME")]
    NoHome,
}

impl Error {
    /// How the program ends.
    #[must_use]
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Unknown => Exit::Unreachable,
            Self::NoToken(_) => Exit::Denied,
            Self::Url(_) | Self::Token(_) | Self::Name(_) => Exit::Usage,
            Self::File { .. } | Self::NoHome => Exit::Failed,
        }
    }
}

/// The environment, as a trait so that tests have their own.
pub(crate) trait Environment {
    /// A variable; absent when empty.
    fn variable(&self, name: &str) -> Option<String>;
    /// The working folder.
    fn working_folder(&self) -> PathBuf;
}

/// The process's environment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessEnvironment;

impl Environment for ProcessEnvironment {
    fn variable(&self, name: &str) -> Option<String> {
        let value = std::env::var_os(name)?.into_string().ok()?;
        (!value.is_empty()).then_some(value)
    }

    fn working_folder(&self) -> PathBuf {
        std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
    }
}

/// What the command line says of the brain.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flags {
    /// `--url`
    pub(crate) url: Option<String>,
    /// `--token`
    pub(crate) token: Option<String>,
    /// `--tenant`
    pub(crate) tenant: Option<String>,
    /// `--project`
    pub(crate) project: Option<String>,
    /// `--profile`
    pub(crate) profile: Option<String>,
}

/// Where the brain is and who asks.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The brain.
    pub(crate) url: BrainUrl,
    /// What proves who asks.
    pub(crate) token: Token,
    /// The tenant.
    pub(crate) tenant: TenantId,
    /// The project of new sessions and of documents.
    pub(crate) project: ProjectId,
    /// Who asks, where a file says so.
    pub(crate) user: Option<UserLogin>,
    /// Kind of client.
    pub(crate) profile: Profile,
}

impl Settings {
    /// Finds the settings.
    ///
    /// # Errors
    ///
    /// When nothing names a brain or a token, or what does is wrong.
    pub(crate) fn find(flags: &Flags, env: &dyn Environment) -> Result<Self, Error> {
        let url = flags.url.clone().or_else(|| env.variable("BRAIN_URL"));
        let url = url.map(|url| url.parse::<BrainUrl>()).transpose()?;
        let token = flags.token.clone().or_else(|| env.variable("BRAIN_TOKEN"));
        let token = token.map(|token| token.parse::<Token>()).transpose()?;
        let complete =
            url.is_some() && token.is_some() && flags.tenant.is_some() && flags.project.is_some();
        let login = if complete { None } else { find_login(url.as_ref(), env)? };
        let Some(url) = url.or_else(|| login.as_ref().map(|login| login.url.clone())) else {
            return Err(Error::Unknown);
        };
        // Another token may speak for someone else.
        let user = login.as_ref().filter(|_| token.is_none()).and_then(|login| login.user.clone());
        let Some(token) = token.or_else(|| login.as_ref().map(|login| login.token.clone())) else {
            return Err(Error::NoToken(url));
        };
        let tenant = flags.tenant.as_deref().map(str::parse).transpose()?;
        let project = flags.project.as_deref().map(str::parse).transpose()?;
        let (tenant_known, project_known) =
            login.map(|login| (login.tenant, login.project)).unwrap_or_default();
        Ok(Self {
            url,
            token,
            tenant: tenant.or(tenant_known).map_or_else(|| "default".parse(), Ok)?,
            project: project.or(project_known).map_or_else(|| "home".parse(), Ok)?,
            user,
            profile: flags.profile.as_deref().unwrap_or("foot").parse()?,
        })
    }
}

/// The first file that is there and fits the URL.
fn find_login(url: Option<&BrainUrl>, env: &dyn Environment) -> Result<Option<Login>, Error> {
    let bootstrap = env.working_folder().join(BOOTSTRAP);
    let saved = home(env).ok().map(|home| LoginFile::in_home(&home).path().to_owned());
    for path in std::iter::once(bootstrap).chain(saved) {
        let Some(login) = LoginFile::at(&path).read()? else { continue };
        if url.is_none_or(|url| *url == login.url) {
            return Ok(Some(login));
        }
    }
    Ok(None)
}

/// The folder of foot's own files: `FOOT_HOME`, or `~/.foot`.
///
/// # Errors
///
/// When neither `FOOT_HOME` nor `HOME` is set.
pub(crate) fn home(env: &dyn Environment) -> Result<PathBuf, Error> {
    if let Some(home) = env.variable("FOOT_HOME") {
        return Ok(PathBuf::from(home));
    }
    user_home(env).map(|home| home.join(".foot")).ok_or(Error::NoHome)
}

/// The user's home folder.
#[must_use]
pub(crate) fn user_home(env: &dyn Environment) -> Option<PathBuf> {
    env.variable("HOME").map(|home| Path::new(&home).to_owned())
}

#[cfg(test)]
mod tests;
