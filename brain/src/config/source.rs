//! Where values come from, and which one wins.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::Error;
use super::keys::{KEYS, Key};

/// Largest configuration file, in bytes.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// The environment, or a map in tests.
pub trait Environment {
    /// The variable, if it is set and not empty.
    fn get(&self, name: &str) -> Option<String>;
}

/// The process's environment.
#[derive(Clone, Copy, Debug)]
pub struct ProcessEnvironment;

impl Environment for ProcessEnvironment {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
    fn get(&self, name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|value| !value.is_empty())
    }
}

impl Environment for BTreeMap<&str, &str> {
    fn get(&self, name: &str) -> Option<String> {
        BTreeMap::get(self, name).map(|value| (*value).to_owned())
    }
}

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Nobody gave one.
    Default,
    /// The file.
    File(PathBuf),
    /// A variable.
    Env(&'static str),
    /// The command line.
    Flag,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "file {}", path.display()),
            Self::Env(name) => write!(f, "environment {name}"),
            Self::Flag => f.write_str("flag"),
        }
    }
}

/// The winning value of each key, with its source.
#[derive(Clone, Debug)]
pub struct Values(BTreeMap<&'static str, (String, Source)>);

impl Values {
    /// Reads file, environment and flags.
    ///
    /// # Errors
    /// The file can't be read or has an unknown key.
    pub fn collect(
        file: Option<&Path>,
        environment: &dyn Environment,
        flags: &[(&'static str, Option<String>)],
    ) -> Result<Self, Error> {
        let mut values: BTreeMap<_, _> =
            KEYS.iter().map(|key| (key.name, (key.default.to_owned(), Source::Default))).collect();
        if let Some(path) = file {
            for (key, value) in read_file(path)? {
                values.insert(key.name, (value, Source::File(path.to_owned())));
            }
        }
        for key in KEYS {
            if let Some(value) = environment.get(key.env) {
                values.insert(key.name, (value, Source::Env(key.env)));
            }
        }
        for (name, value) in flags {
            if let Some(value) = value {
                values.insert(name, (value.clone(), Source::Flag));
            }
        }
        Ok(Self(values))
    }

    /// All keys with what to print and where it came from; secrets masked.
    pub fn printable(&self) -> impl Iterator<Item = (&'static Key, String, &Source)> {
        KEYS.iter().map(|key| {
            let (value, source) = &self.0[key.name];
            let masked = key.secret && !value.is_empty();
            (key, if masked { "…".to_owned() } else { value.clone() }, source)
        })
    }

    pub(super) fn text(&self, key: &'static str) -> &str {
        &self.0[key].0
    }

    pub(super) fn optional(&self, key: &'static str) -> Option<&str> {
        Some(self.text(key).trim()).filter(|value| !value.is_empty())
    }

    pub(super) fn parse<T: FromStr>(&self, key: &'static str, wanted: &str) -> Result<T, Error> {
        self.text(key).parse().map_err(|_| self.refuse(key, &format!("write {wanted}")))
    }

    pub(super) fn refuse(&self, key: &'static str, problem: &str) -> Error {
        let (value, source) = &self.0[key];
        let secret = KEYS.iter().any(|k| k.name == key && k.secret);
        let value = if secret { "…".to_owned() } else { value.clone() };
        Error::Value { key, value, origin: source.clone(), problem: problem.to_owned() }
    }
}

fn read_file(path: &Path) -> Result<Vec<(&'static Key, String)>, Error> {
    let fail = |source| Error::File { path: path.to_owned(), source };
    let size = std::fs::metadata(path).map_err(fail)?.len();
    if size > FILE_BYTES_MAX {
        let message =
            format!("the file has {size} bytes, more than the {FILE_BYTES_MAX} that are read");
        return Err(Error::Syntax { path: path.to_owned(), message });
    }
    let text = std::fs::read_to_string(path).map_err(fail)?;
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| Error::Syntax {
        path: path.to_owned(),
        message: error.to_string(),
    })?;
    let mut found = Vec::new();
    flatten("", &table, &mut found);
    found.into_iter().map(|(name, value)| Ok((known(path, &name)?, value))).collect()
}

/// Tables become dotted names.
fn flatten(prefix: &str, table: &toml::Table, found: &mut Vec<(String, String)>) {
    for (name, value) in table {
        let name = format!("{prefix}{name}");
        match value {
            toml::Value::Table(inner) => flatten(&format!("{name}."), inner, found),
            toml::Value::String(text) => found.push((name, text.clone())),
            other => found.push((name, other.to_string())),
        }
    }
}

fn known(path: &Path, name: &str) -> Result<&'static Key, Error> {
    KEYS.iter().find(|key| key.name == name).ok_or_else(|| Error::UnknownKey {
        path: path.to_owned(),
        key: name.to_owned(),
        near: crate::near::nearest(name, KEYS.iter().map(|key| key.name)),
    })
}
