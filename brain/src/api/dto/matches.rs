//! What the triggers of skills make of a text.

use api_types::skills::{
    SkillMatchDto, SkillMatchesResponse, SkillState, SkillTriggerType, TriggerExplanationDto,
};
use skill_lang::skill::Run;
use skill_lang::triggers::{Explanation, Finding, Input};

use crate::skills::Summary;

/// All skills, those that fire first.
#[must_use]
pub(crate) fn of(skills: &[Summary], text: &str) -> SkillMatchesResponse {
    let input = Input::new(text);
    let mut skills: Vec<SkillMatchDto> = skills.iter().map(|skill| one(skill, &input)).collect();
    skills.sort_by(|a, b| b.fires.cmp(&a.fires).then_with(|| a.name.cmp(&b.name)));
    SkillMatchesResponse { skills }
}

fn one(skill: &Summary, input: &Input<'_>) -> SkillMatchDto {
    let head = &skill.entry.loaded().head;
    let skipped = match skill.state {
        SkillState::Disabled => Some("it is switched off"),
        SkillState::Invalid => Some("it has errors"),
        SkillState::Valid if head.triggers.is_empty() => Some("it has no triggers"),
        SkillState::Valid if matches!(head.run, Run::Spawn { .. }) => {
            Some("it runs in a worker of its own; triggers start none")
        }
        SkillState::Valid => None,
    };
    let triggers: Vec<_> = match skipped {
        Some(_) => Vec::new(),
        None => head.triggers.iter().map(|trigger| explanation(input.explain(trigger))).collect(),
    };
    SkillMatchDto {
        name: skill.name.clone(),
        source: skill.scope,
        fires: triggers.iter().any(|trigger| trigger.fires),
        skipped: skipped.map(str::to_owned),
        triggers,
    }
}

fn explanation(explanation: Explanation) -> TriggerExplanationDto {
    let fires = explanation.fires;
    match explanation.finding {
        Finding::Keywords { found, missed, ignored, needed } => TriggerExplanationDto {
            r#type: SkillTriggerType::Keywords,
            fires,
            found,
            missed,
            ignored,
            needed: u32::try_from(needed).ok(),
            problem: None,
        },
        Finding::Pattern { found, problem } => TriggerExplanationDto {
            r#type: SkillTriggerType::Pattern,
            fires,
            found: found.into_iter().collect(),
            missed: Vec::new(),
            ignored: Vec::new(),
            needed: None,
            problem,
        },
    }
}
