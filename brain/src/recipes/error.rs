//! Why a recipe can't be used.

use api_types::error::ErrorCode;
use api_types::ids::RecipeName;
use api_types::skills::SkillScope;
use skill_lang::diagnostic::Diagnostic;

use crate::ctx::Stopped;
use crate::{mirror, port, skills};

/// Why a recipe can't be used, in words for the one who asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No layer has one.
    #[error("there is no recipe `{name}` here{}; `foot recipes list` shows all", did_you_mean(.suggestion.as_ref()))]
    Unknown {
        /// The name asked for.
        name: RecipeName,
        /// A name that exists and is spelled much alike.
        suggestion: Option<RecipeName>,
    },
    /// The one that counts has errors.
    #[error("the recipe `{name}` of the {} layer has errors and can't be used: {}", .layer.cli_name(), problems(.diagnostics))]
    Invalid {
        /// The name asked for.
        name: RecipeName,
        /// The layer of the broken file.
        layer: SkillScope,
        /// All that is wrong, errors and warnings.
        diagnostics: Vec<Diagnostic>,
    },
    /// A skill that it activates from the start can't be used.
    #[error("the recipe `{recipe}` activates a skill that can't be used: {source}")]
    Skill {
        /// The recipe.
        recipe: RecipeName,
        /// Why.
        source: skills::Error,
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
            Self::Unknown { .. } => ErrorCode::NotFound,
            Self::Invalid { .. } => ErrorCode::InvalidArgument,
            Self::Skill { source, .. } => match source.code() {
                // The recipe was found; what it names was not.
                ErrorCode::NotFound => ErrorCode::InvalidArgument,
                code => code,
            },
            Self::Store(error) => error.code(),
            Self::Stopped(stopped) => stopped.code(),
        }
    }

    /// The machine's word for it.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "unknown_recipe",
            Self::Invalid { .. } => "recipe_invalid",
            Self::Skill { source, .. } => source.reason(),
            Self::Store(_) => "store_failed",
            Self::Stopped(_) => "request_stopped",
        }
    }
}

fn did_you_mean(suggestion: Option<&RecipeName>) -> String {
    suggestion.map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

fn problems(diagnostics: &[Diagnostic]) -> String {
    let mut errors = diagnostics.iter().filter(|problem| problem.is_error());
    let Some(first) = errors.next() else { return "its file can't be read".to_owned() };
    match errors.count() {
        0 => first.to_string(),
        more => format!("{first} (and {more} more)"),
    }
}
