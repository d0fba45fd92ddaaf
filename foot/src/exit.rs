//! Exit codes: contract of the command line.

use std::process::ExitCode;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Exit {
    /// All is well.
    Done,
    /// Something failed.
    Failed,
    /// The command line is wrong.
    Usage,
    /// Not authenticated, or not allowed.
    Denied,
    /// The brain can't be reached.
    Unreachable,
    /// The model failed.
    Model,
    /// The input is invalid.
    Invalid,
    /// Interrupted by the user.
    Interrupted,
}

impl Exit {
    /// The number that the shell sees.
    #[must_use]
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Denied => 3,
            Self::Unreachable => 4,
            Self::Model => 5,
            Self::Invalid => 6,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
