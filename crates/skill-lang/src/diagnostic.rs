//! Problems of a file, each with its place and, where one is known, its repair.

mod code;

use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use self::code::Code;
use crate::text::Position;

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The file loads, and should be looked at.
    Warning,
    /// The skill can't be activated.
    Error,
}

/// One problem of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Stable name of the rule.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, and what to do.
    pub message: String,
    /// The file, as the caller named it.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in code points, from 1.
    pub column: u32,
    /// A repair that can be applied without asking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
}

impl Diagnostic {
    /// Whether the problem keeps the skill from being activated.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Where it is.
    #[must_use]
    pub fn position(&self) -> Position {
        Position { line: self.line, column: self.column }
    }
}

/// `path:line:column: error[code]: message`, the form that editors and people can follow.
impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let severity = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let Self { code, message, path, line, column, .. } = self;
        write!(f, "{path}:{line}:{column}: {severity}[{code}]: {message}")
    }
}

/// A replacement of a part of the file's text. Places are those of the text it was made for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fix {
    /// Line of the first replaced character.
    pub line: u32,
    /// Column of the first replaced character.
    pub column: u32,
    /// Line of the end of the replaced part.
    pub end_line: u32,
    /// Column behind the last replaced character.
    pub end_column: u32,
    /// What to put there.
    pub text: String,
}

impl Fix {
    /// Replaces a range of bytes.
    #[must_use]
    pub fn replace(source: &str, range: Range<usize>, text: impl Into<String>) -> Self {
        let (start, end) = (Position::of(source, range.start), Position::of(source, range.end));
        Self {
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            text: text.into(),
        }
    }

    /// The bytes that it replaces; `None` when the text is not the one it was made for.
    #[must_use]
    pub fn range_in(&self, source: &str) -> Option<Range<usize>> {
        let start = Position { line: self.line, column: self.column }.offset_in(source)?;
        let end = Position { line: self.end_line, column: self.end_column }.offset_in(source)?;
        (start <= end).then_some(start..end)
    }
}

/// Applies one fix; `None` when the text is not the one it was made for.
#[must_use]
pub fn apply_fix(source: &str, fix: &Fix) -> Option<String> {
    let range = fix.range_in(source)?;
    let mut fixed = source.to_owned();
    fixed.replace_range(range, &fix.text);
    Some(fixed)
}

/// Applies all fixes of a file's problems that don't overlap; of those that do, the first one
/// in the text. Returns the text and how many were applied.
#[must_use]
pub fn apply_fixes(source: &str, diagnostics: &[Diagnostic]) -> (String, usize) {
    let mut edits: Vec<(Range<usize>, &str)> = diagnostics
        .iter()
        .filter_map(|problem| problem.fix.as_ref())
        .filter_map(|fix| Some((fix.range_in(source)?, fix.text.as_str())))
        .collect();
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let (mut fixed, mut done, mut applied) = (String::with_capacity(source.len()), 0, 0);
    for (range, text) in edits {
        if range.start < done {
            continue;
        }
        fixed.push_str(&source[done..range.start]);
        fixed.push_str(text);
        done = range.end;
        applied += 1;
    }
    fixed.push_str(&source[done..]);
    (fixed, applied)
}
