//! Why a skill can't be used.

use api_types::error::ErrorCode;
use api_types::ids::{Revision, SkillName};
use api_types::skills::SkillScope;
use skill_lang::diagnostic::Diagnostic;

use crate::ctx::Stopped;
use crate::{mirror, port};

/// Why a skill can't be used, in words for the one who asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No layer has a copy.
    #[error("there is no skill `{name}` here{}; `/skill list` shows all", did_you_mean(.suggestion.as_ref()))]
    Unknown {
        /// The name asked for.
        name: SkillName,
        /// A name that exists and is spelled much alike.
        suggestion: Option<SkillName>,
    },
    /// The layer asked for has no copy.
    #[error("the {} layer has no copy of the skill `{name}`; it is in: {}", .layer.cli_name(), layers(.found_in))]
    NoCopy {
        /// The name asked for.
        name: SkillName,
        /// The layer asked for.
        layer: SkillScope,
        /// Layers that have one.
        found_in: Vec<SkillScope>,
    },
    /// The copy that counts is switched off.
    #[error("the skill `{name}` is switched off in the {} layer; set `enabled: true` in {path}, or delete that copy", .layer.cli_name())]
    Disabled {
        /// The name asked for.
        name: SkillName,
        /// Where it is switched off.
        layer: SkillScope,
        /// The file that says so.
        path: String,
    },
    /// The copy that counts has errors.
    #[error("the skill `{name}` of the {} layer has errors and can't be used: {}", .layer.cli_name(), problems(.diagnostics))]
    Invalid {
        /// The name asked for.
        name: SkillName,
        /// The layer of the broken copy.
        layer: SkillScope,
        /// All that is wrong, errors and warnings.
        diagnostics: Vec<Diagnostic>,
    },
    /// A nearer copy is switched off, which hides the one asked for.
    #[error("the {} copy of the skill `{name}` is hidden by the switched-off {} copy; it can be shown, not activated", .layer.cli_name(), .by.cli_name())]
    Hidden {
        /// The name asked for.
        name: SkillName,
        /// The layer asked for.
        layer: SkillScope,
        /// The layer of the copy that is switched off.
        by: SkillScope,
    },
    /// An outer layer locks the name.
    #[error("the name `{name}` is locked for the {} copy (`skills.locked`); the {} copy can be shown, not activated", .by.cli_name(), .layer.cli_name())]
    Locked {
        /// The name asked for.
        name: SkillName,
        /// The layer asked for.
        layer: SkillScope,
        /// The layer whose copy counts.
        by: SkillScope,
    },
    /// No such file in the skill's folder.
    #[error("the skill `{name}` of the {} layer has no file `{path}`", .layer.cli_name())]
    NoFile {
        /// The skill.
        name: SkillName,
        /// The layer of the copy.
        layer: SkillScope,
        /// The file asked for.
        path: String,
    },
    /// The state that was pinned is no longer stored.
    #[error("revision {revision} of the skill `{name}` in the {} layer is no longer stored", .layer.cli_name())]
    Gone {
        /// The skill.
        name: SkillName,
        /// The layer of the copy.
        layer: SkillScope,
        /// The revision asked for.
        revision: Revision,
    },
    /// Its inline references are too large together.
    #[error(
        "the inline reference documents of the skill `{name}` ({path}) take more than {bytes_max} bytes together; set `loadMode: ON_DEMAND` for the large ones"
    )]
    TooLarge {
        /// The skill.
        name: SkillName,
        /// Its file.
        path: String,
        /// The limit, in bytes.
        bytes_max: u64,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] port::Error),
    /// The caller stopped waiting.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl From<mirror::Error> for Error {
    fn from(error: mirror::Error) -> Self {
        match error {
            mirror::Error::Store(error) => Self::Store(error),
            mirror::Error::Stopped(stopped) => Self::Stopped(stopped),
        }
    }
}

impl Error {
    /// Its place among the error codes.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Unknown { .. }
            | Self::NoCopy { .. }
            | Self::NoFile { .. }
            | Self::Gone { .. } => ErrorCode::NotFound,
            Self::Disabled { .. }
            | Self::Invalid { .. }
            | Self::Hidden { .. }
            | Self::TooLarge { .. } => ErrorCode::InvalidArgument,
            Self::Locked { .. } => ErrorCode::Forbidden,
            Self::Store(error) => error.code(),
            Self::Stopped(stopped) => stopped.code(),
        }
    }

    /// The machine's word for it.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Unknown { .. } | Self::NoCopy { .. } => "unknown_skill",
            Self::Disabled { .. } | Self::Hidden { .. } => "skill_disabled",
            Self::Invalid { .. } => "skill_invalid",
            Self::Locked { .. } => "skill_locked",
            Self::NoFile { .. } => "unknown_skill_file",
            Self::Gone { .. } => "skill_revision_gone",
            Self::TooLarge { .. } => "skill_too_large",
            Self::Store(_) => "store_failed",
            Self::Stopped(_) => "request_stopped",
        }
    }
}

fn did_you_mean(suggestion: Option<&SkillName>) -> String {
    suggestion.map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

fn layers(scopes: &[SkillScope]) -> String {
    scopes.iter().map(|scope| scope.cli_name()).collect::<Vec<_>>().join(", ")
}

/// The first error with its place, and how many more there are.
fn problems(diagnostics: &[Diagnostic]) -> String {
    let mut errors = diagnostics.iter().filter(|problem| problem.is_error());
    let Some(first) = errors.next() else { return "its file can't be read".to_owned() };
    match errors.count() {
        0 => first.to_string(),
        more => format!("{first} (and {more} more)"),
    }
}
