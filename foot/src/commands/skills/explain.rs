//! `foot skills explain TEXT`

use api_types::skills::{
    SkillMatchDto, SkillMatchesResponse, SkillTriggerType, TriggerExplanationDto,
};

use crate::client::Api;
use crate::error::Result;
use crate::exit::Exit;
use crate::output::{Format, Output, one_line};

/// What to explain.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// What a user might write
    text: String,
}

pub(super) async fn run(arguments: &Arguments, api: &Api, out: &mut Output) -> Result<Exit> {
    let found = api.skill_matches(&api.settings().project, &arguments.text).await?;
    match out.format {
        Format::Json => out.value(&found)?,
        Format::StreamJson => {
            for skill in &found.skills {
                out.value(skill)?;
            }
        }
        Format::Text | Format::Sarif => out.text(&text(&found))?,
    }
    Ok(Exit::Done)
}

fn text(found: &SkillMatchesResponse) -> String {
    found.skills.iter().map(skill).collect()
}

fn skill(skill: &SkillMatchDto) -> String {
    let layer = skill.source.cli_name();
    if let Some(why) = &skill.skipped {
        return format!("{} ({layer}): skipped, {why}\n", skill.name);
    }
    let fires = if skill.fires { "fires" } else { "does not fire" };
    let triggers: String = skill.triggers.iter().map(trigger).collect();
    format!("{} ({layer}): {fires}\n{triggers}", skill.name)
}

fn trigger(trigger: &TriggerExplanationDto) -> String {
    let words =
        |list: &[String]| list.iter().map(|word| one_line(word)).collect::<Vec<_>>().join(", ");
    let mut parts = Vec::new();
    match trigger.r#type {
        SkillTriggerType::Keywords => {
            let needed = trigger.needed.unwrap_or_default();
            parts.push(format!("KEYWORDS, {} found of {needed} needed", trigger.found.len()));
            for (what, list) in [
                ("found", &trigger.found),
                ("missed", &trigger.missed),
                ("ignored", &trigger.ignored),
            ] {
                if !list.is_empty() {
                    parts.push(format!("{what}: {}", words(list)));
                }
            }
        }
        SkillTriggerType::Pattern => match trigger.found.first() {
            Some(piece) => parts.push(format!("PATTERN, matched {:?}", one_line(piece))),
            None => parts.push("PATTERN, no match".to_owned()),
        },
    }
    parts.extend(trigger.problem.as_ref().map(|problem| format!("stopped: {}", one_line(problem))));
    format!("  {}\n", parts.join("; "))
}

#[cfg(test)]
mod tests {
    use api_types::skills::SkillScope;

    use super::*;

    #[test]
    fn each_trigger_says_what_decided() {
        let keywords = TriggerExplanationDto {
            r#type: SkillTriggerType::Keywords,
            fires: false,
            found: vec!["review".to_owned()],
            missed: vec!["pull request".to_owned(), "diff".to_owned()],
            ignored: vec!["!".to_owned()],
            needed: Some(2),
            problem: None,
        };
        let fires = SkillMatchDto {
            name: "code-review".parse().unwrap(),
            source: SkillScope::Resource,
            fires: false,
            skipped: None,
            triggers: vec![keywords],
        };
        let skipped = SkillMatchDto {
            name: "quiet".parse().unwrap(),
            source: SkillScope::User,
            skipped: Some("it has no triggers".to_owned()),
            triggers: Vec::new(),
            ..fires.clone()
        };
        let shown = text(&SkillMatchesResponse { skills: vec![fires, skipped] });
        assert_eq!(
            shown,
            "code-review (bundled): does not fire\n  KEYWORDS, 1 found of 2 needed; found: review; \
             missed: pull request, diff; ignored: !\nquiet (user): skipped, it has no triggers\n"
        );
    }
}
