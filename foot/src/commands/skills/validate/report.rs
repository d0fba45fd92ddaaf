//! What was found, for people and for scripts.

use std::fmt::Write;

use skill_lang::diagnostic::{Code, Diagnostic, Severity};
use skill_lang::validate::FileReport;

use super::Checked;
use crate::output::printable;

/// Longest part of a source line that is shown, in characters.
const SOURCE_CHARS_MAX: usize = 100;

pub(super) fn json(checked: &[Checked]) -> serde_json::Value {
    let files: Vec<&FileReport> = checked.iter().map(|checked| &checked.report).collect();
    serde_json::json!({ "files": files })
}

/// A file that can't be opened.
pub(super) fn unreadable(path: &str, folder: &str, error: &std::io::Error) -> FileReport {
    let diagnostic = Diagnostic {
        code: Code::FileNotFound,
        severity: Severity::Error,
        message: format!("the file can't be read: {error}"),
        path: path.to_owned(),
        line: 1,
        column: 1,
        fix: None,
    };
    FileReport {
        path: path.to_owned(),
        name: folder.to_owned(),
        valid: false,
        diagnostics: vec![diagnostic],
    }
}

/// Each problem with its line and a mark below it, then the sum.
pub(super) fn text(checked: &[Checked]) -> String {
    let mut text = String::new();
    for file in checked {
        let source = String::from_utf8_lossy(&file.bytes);
        let mut lines: Option<Vec<&str>> = None;
        for diagnostic in &file.report.diagnostics {
            let lines = lines.get_or_insert_with(|| source.lines().collect());
            let index = usize::try_from(diagnostic.line).unwrap_or(1).saturating_sub(1);
            problem(&mut text, diagnostic, lines.get(index).copied());
        }
    }
    if !checked.is_empty() {
        text.push_str(&sum(checked));
    }
    text
}

fn sum(checked: &[Checked]) -> String {
    let total = checked.len();
    let invalid = checked.iter().filter(|file| !file.report.valid).count();
    let warned = checked
        .iter()
        .filter(|file| file.report.valid && !file.report.diagnostics.is_empty())
        .count();
    let noun = if total == 1 { "skill" } else { "skills" };
    format!(
        "{total} {noun}: {} valid, {warned} of them with warnings; {invalid} invalid\n",
        total - invalid
    )
}

fn problem(text: &mut String, diagnostic: &Diagnostic, source: Option<&str>) {
    let severity = match diagnostic.severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let Diagnostic { code, message, path, line, column, fix, .. } = diagnostic;
    let margin = " ".repeat(line.to_string().len());
    let _ = writeln!(text, "{severity}[{code}]: {}", printable(message));
    let _ = writeln!(text, "{margin}--> {}:{line}:{column}", printable(path));
    if let Some(source) = source {
        let (shown, before) = window(source, *column);
        let end = fix.as_ref().filter(|fix| fix.line == *line && fix.end_line == *line);
        let width = end.map_or(1, |fix| fix.end_column.saturating_sub(*column).max(1));
        let room = shown.chars().count().saturating_sub(before).max(1);
        let marks = "^".repeat(usize::try_from(width).unwrap_or(1).min(room));
        let _ = writeln!(text, "{margin} |");
        let _ = writeln!(text, "{line} | {}", shown.trim_end());
        let _ = writeln!(text, "{margin} | {}{marks}", " ".repeat(before));
    }
    if fix.is_some() {
        let _ = writeln!(text, "{margin} = `--fix` can repair this");
    }
    text.push('\n');
}

/// The part of a line around a column, and how many characters stand before it there.
fn window(source: &str, column: u32) -> (String, usize) {
    // Each character takes one place, so that the mark stands where it belongs.
    let line: Vec<char> = source.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let at = usize::try_from(column).unwrap_or(1).saturating_sub(1).min(line.len());
    if line.len() <= SOURCE_CHARS_MAX {
        return (printable(&line.iter().collect::<String>()), at);
    }
    let start = at.saturating_sub(SOURCE_CHARS_MAX / 2).min(line.len() - SOURCE_CHARS_MAX);
    let part: String = line[start..start + SOURCE_CHARS_MAX].iter().collect();
    let (lead, before) = if start > 0 { ("…", at - start + 1) } else { ("", at) };
    let trail = if start + SOURCE_CHARS_MAX < line.len() { "…" } else { "" };
    (format!("{lead}{}{trail}", printable(&part)), before)
}
