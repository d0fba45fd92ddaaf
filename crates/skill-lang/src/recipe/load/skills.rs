//! Skills a recipe starts with, and those it allows.

use api_types::ids::SkillName;

use super::fields::Fields;
use crate::diagnostic::Code;
use crate::load::Report;

/// Default skills, each of which has to be allowed.
pub(super) fn defaults(
    report: &mut Report<'_>,
    fields: &Fields<'_, '_>,
    allowed: Option<&[SkillName]>,
) -> Vec<SkillName> {
    let mut names = Vec::new();
    for (name, at) in list(report, fields, "defaultActiveSkills") {
        if allowed.is_some_and(|allowed| !allowed.contains(&name)) {
            let message = format!(
                "`{name}` is active by default, but not among `allowedSkills`; add it there"
            );
            report.error(Code::SkillNotAllowed, at, message);
        }
        names.push(name);
    }
    names
}

/// Allowed skills; a missing list allows all, an empty one none.
pub(super) fn allowed(report: &mut Report<'_>, fields: &Fields<'_, '_>) -> Option<Vec<SkillName>> {
    fields.get("allowedSkills")?;
    Some(list(report, fields, "allowedSkills").into_iter().map(|(name, _)| name).collect())
}

fn list(report: &mut Report<'_>, fields: &Fields<'_, '_>, key: &str) -> Vec<(SkillName, usize)> {
    let mut names: Vec<(SkillName, usize)> = Vec::new();
    for (text, at) in fields.nodes(report, key) {
        match text.parse::<SkillName>() {
            Ok(name) if names.iter().any(|(known, _)| *known == name) => {}
            Ok(name) => names.push((name, at)),
            Err(problem) => {
                report.error(
                    Code::InvalidName,
                    at,
                    format!("`{text}` can't be the name of a skill: {problem}"),
                );
            }
        }
    }
    names
}
