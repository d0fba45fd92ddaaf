//! `foot skills list`

use api_types::skills::{SeverityDto, SkillState, SkillSummaryDto};

use super::state;
use crate::client::Api;
use crate::error::Result;
use crate::exit::Exit;
use crate::output::{Format, Output, cut, one_line, table};

/// Longest description of a line, in characters.
const DESCRIPTION_CHARS_MAX: usize = 100;

pub(super) async fn run(api: &Api, out: &mut Output) -> Result<Exit> {
    let project = &api.settings().project;
    let skills = api.effective_skills(project).await?;
    match out.format {
        Format::Json => out.value(&skills)?,
        Format::StreamJson => {
            for skill in &skills.skills {
                out.value(skill)?;
            }
        }
        Format::Text | Format::Sarif => {
            out.text(&text(&skills.skills))?;
            if skills.skills.is_empty() {
                out.note(&format!("no skills can be seen from project {project}"));
            }
        }
    }
    Ok(Exit::Done)
}

/// A table. What keeps a skill from being used stands where its description would be.
fn text(skills: &[SkillSummaryDto]) -> String {
    if skills.is_empty() {
        return String::new();
    }
    let row = |skill: &SkillSummaryDto| {
        let layer = skill.source.cli_name().to_owned();
        let version = one_line(&skill.version);
        let state = state(skill).to_owned();
        vec![
            skill.name.to_string(),
            layer,
            version,
            state,
            cut(&about(skill), DESCRIPTION_CHARS_MAX),
        ]
    };
    let rows: Vec<_> = skills.iter().map(row).collect();
    table(&["NAME", "LAYER", "VERSION", "STATE", "DESCRIPTION"], &rows)
}

fn about(skill: &SkillSummaryDto) -> String {
    let error = skill.diagnostics.iter().find(|problem| problem.severity == SeverityDto::Error);
    match error {
        Some(error) if skill.state == SkillState::Invalid => {
            format!("line {}: {}", error.line, error.message)
        }
        _ => skill.description.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::summary;
    use super::*;

    #[test]
    fn each_skill_is_a_line() {
        let mut broken = summary("broken", "tenant", SkillState::Invalid);
        broken.diagnostics[0].message = "no `description`".to_owned();
        let skills = [
            summary("code-review", "bundled", SkillState::Valid),
            broken,
            summary("off", "user", SkillState::Disabled),
        ];
        insta::assert_snapshot!(text(&skills), @r"
        NAME         LAYER    VERSION  STATE     DESCRIPTION
        code-review  bundled  1.0.0    valid     What code-review does, in two lines.
        broken       tenant   1.0.0    invalid   line 3: no `description`
        off          user     1.0.0    disabled  What off does, in two lines.
        ");
        assert_eq!(text(&[]), "");
    }
}
