//! The texts that people read: name, title, description, version.

use super::Report;
use super::head::Fields;
use super::text::{Entry, Hash, text};
use crate::diagnostic::Code;
use crate::keys::Key;
use crate::limits::DESCRIPTION_CHARS_MAX;
use crate::name::{self, Mapped};
use crate::skill::Dialect;
use crate::yaml::quote_scalar;

pub(super) fn description(report: &mut Report<'_>, fields: &Fields<'_, '_>) -> String {
    let Some(entry) = fields.get(Key::Description) else {
        let message = "a skill needs `description:`, one or two sentences on what it does and when \
                       to use it";
        report.error(Code::MissingDescription, fields.fence, message);
        return String::new();
    };
    let Some(description) = text(report, entry, Hash::Text) else {
        let message = "`description` is empty; say what the skill does and when to use it";
        report.error(Code::MissingDescription, entry.at(), message);
        return String::new();
    };
    let length = description.chars().count();
    if length > DESCRIPTION_CHARS_MAX {
        let message = format!(
            "the description has {length} characters, more than {DESCRIPTION_CHARS_MAX}; listings \
             cut it, so move detail to the body"
        );
        report.warn(Code::DescriptionTooLong, entry.at(), message);
    }
    description
}

pub(super) fn title(
    report: &mut Report<'_>,
    fields: &Fields<'_, '_>,
    dialect: Dialect,
    derived: String,
) -> String {
    if let Some(title) = fields.text(report, Key::Title) {
        return title;
    }
    if dialect == Dialect::Native {
        let message = format!("`title` is missing; the skill is shown as {derived:?}");
        let line = format!("title: {}", quote_scalar(&derived));
        fields.missing(report, Code::MissingTitle, &message, &line);
    }
    derived
}

pub(super) fn version(
    report: &mut Report<'_>,
    fields: &Fields<'_, '_>,
    dialect: Dialect,
) -> String {
    let entry = fields.get(Key::Version);
    let version = entry.and_then(|entry| text(report, entry, Hash::Comment));
    match (entry, version) {
        (Some(entry), Some(version)) => {
            if !is_semantic(&version) {
                let message = format!(
                    "version {version:?} is kept as written, but is not of the form `1.2.3`"
                );
                report.warn(Code::InvalidVersion, entry.at(), message);
            }
            version
        }
        _ => {
            if dialect == Dialect::Native {
                let default = crate::skill::VERSION_DEFAULT;
                let message = format!("`version` is missing; `{default}` is assumed");
                report.warn(Code::MissingVersion, fields.fence, message);
            }
            crate::skill::VERSION_DEFAULT.to_owned()
        }
    }
}

/// The folder is the name. A `name` beside it has to agree.
pub(super) fn name(
    report: &mut Report<'_>,
    fields: &Fields<'_, '_>,
    dialect: Dialect,
    folder: &Result<Mapped, api_types::ids::InvalidSkillName>,
) {
    let entry = fields.get(Key::Name);
    let written = entry.and_then(|entry| text(report, entry, Hash::Comment));
    let Ok(Mapped { name: folder, .. }) = folder else { return };
    match (entry, written) {
        (Some(entry), Some(written)) if written != folder.as_str() => {
            mismatch(report, entry, &written, folder.as_str());
        }
        (Some(_), Some(_)) => {}
        _ if dialect == Dialect::Portable => {
            let message = format!("`name` is missing; the folder's name `{folder}` is the skill's");
            let line = format!("name: {}", quote_scalar(folder.as_str()));
            fields.missing(report, Code::MissingName, &message, &line);
        }
        _ => {}
    }
}

fn mismatch(report: &mut Report<'_>, entry: Entry<'_, '_>, written: &str, folder: &str) {
    let same = name::from_folder(written).is_ok_and(|mapped| mapped.name.as_str() == folder);
    let message = if same {
        format!("`name` should be written `{folder}`, as the folder")
    } else {
        format!("`name` is {written:?}, but the folder's name `{folder}` is the skill's")
    };
    entry.propose(report, Code::NameMismatch, &message, quote_scalar(folder));
}

/// <https://semver.org>: three numbers, then perhaps a pre-release and a build.
fn is_semantic(version: &str) -> bool {
    let (rest, build) = version.split_once('+').map_or((version, None), |(r, b)| (r, Some(b)));
    let (core, pre) = rest.split_once('-').map_or((rest, None), |(c, p)| (c, Some(p)));
    let number = |part: &str| {
        let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        digits && (part == "0" || !part.starts_with('0'))
    };
    let label = |text: &str| {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '-';
        text.split('.').all(|part| !part.is_empty() && part.chars().all(word))
    };
    core.split('.').count() == 3
        && core.split('.').all(number)
        && pre.is_none_or(label)
        && build.is_none_or(label)
}
