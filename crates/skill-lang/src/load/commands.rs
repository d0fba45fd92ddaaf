//! Engine commands that activation and its end run.

use super::Report;
use super::head::Fields;
use super::lists::{Split, texts};
use crate::diagnostic::Code;
use crate::keys::Key;

/// Commands as written, without the slashes that a chat line would have.
pub(super) fn read(report: &mut Report<'_>, fields: &Fields<'_, '_>, key: Key) -> Vec<String> {
    let Some(entry) = fields.get(key) else { return Vec::new() };
    let mut commands = texts(report, entry, Split::Whole);
    commands.retain(|command| {
        let verb = command.trim_start_matches('/').split_whitespace().next();
        let message = match verb {
            None => format!("a command of `{}` has no verb; it is ignored", entry.what),
            Some("skill") => format!(
                "`{}` can't run `skill …`: a skill does not activate skills; it is ignored",
                entry.what
            ),
            Some(_) => return true,
        };
        report.warn(Code::InvalidCommand, entry.at(), message);
        false
    });
    commands
}
