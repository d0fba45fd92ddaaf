//! Collecting the problems of one file.

use std::ops::Range;

use crate::diagnostic::{Code, Diagnostic, Fix, Severity};
use crate::limits::DIAGNOSTICS_MAX;
use crate::text::Position;

pub(crate) struct Report<'a> {
    path: &'a str,
    text: &'a str,
    diagnostics: Vec<Diagnostic>,
    warnings: usize,
    errors: usize,
}

impl<'a> Report<'a> {
    pub(crate) fn new(path: &'a str, text: &'a str) -> Self {
        Self { path, text, diagnostics: Vec::new(), warnings: 0, errors: 0 }
    }

    pub(crate) fn set_text(&mut self, text: &'a str) {
        self.text = text;
    }

    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// A warning at a byte of the file.
    pub(crate) fn warn(&mut self, code: Code, at: usize, message: impl Into<String>) {
        self.push(Severity::Warning, code, at, message.into(), None);
    }

    /// A warning with its repair.
    pub(crate) fn warn_fix(
        &mut self,
        code: Code,
        at: usize,
        message: impl Into<String>,
        (range, text): (Range<usize>, String),
    ) {
        self.push(Severity::Warning, code, at, message.into(), Some((range, text)));
    }

    /// An error at a byte of the file.
    pub(crate) fn error(&mut self, code: Code, at: usize, message: impl Into<String>) {
        self.push(Severity::Error, code, at, message.into(), None);
    }

    /// An error with its repair.
    pub(crate) fn error_fix(
        &mut self,
        code: Code,
        at: usize,
        message: impl Into<String>,
        (range, text): (Range<usize>, String),
    ) {
        self.push(Severity::Error, code, at, message.into(), Some((range, text)));
    }

    /// An error of a file that has no text.
    pub(crate) fn at(&mut self, code: Code, position: Position, message: String) {
        self.errors += 1;
        self.diagnostics.push(Diagnostic {
            code,
            severity: Severity::Error,
            message,
            path: self.path.to_owned(),
            line: position.line,
            column: position.column,
            fix: None,
        });
    }

    fn push(
        &mut self,
        severity: Severity,
        code: Code,
        at: usize,
        message: String,
        fix: Option<(Range<usize>, String)>,
    ) {
        let seen = match severity {
            Severity::Warning => &mut self.warnings,
            Severity::Error => &mut self.errors,
        };
        *seen += 1;
        if *seen > DIAGNOSTICS_MAX {
            return;
        }
        let Position { line, column } = Position::of(self.text, at);
        let fix = fix.map(|(range, text)| Fix::replace(self.text, range, text));
        let path = self.path.to_owned();
        self.diagnostics.push(Diagnostic { code, severity, message, path, line, column, fix });
    }

    /// The problems in the order of the file, errors first where they share a place.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        self.diagnostics.sort_by_key(|d| (d.line, d.column, std::cmp::Reverse(d.severity)));
        let hidden = self.warnings.saturating_sub(DIAGNOSTICS_MAX)
            + self.errors.saturating_sub(DIAGNOSTICS_MAX);
        if hidden > 0 {
            self.warnings = 0;
            let message = format!("{hidden} more problems are not listed");
            self.push(Severity::Warning, Code::MoreProblems, self.text.len(), message, None);
        }
        self.diagnostics
    }
}
