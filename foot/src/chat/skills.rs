//! `/skill` in a chat.

use api_types::frames::{ClientFrame, ProcessSkillRequest, SKILL_ARGS_BYTES_MAX, SkillCommand};
use api_types::ids::SkillName;
use api_types::skills::{ActiveSkillRefDto, SkillState, SkillSummaryDto};
use skill_lang::invocation::Invocation;

use super::{Chat, Done};
use crate::client::{Api, idempotency_key};
use crate::error::Result;
use crate::output::{cut, one_line, table};

/// Longest description of a line, in characters.
const DESCRIPTION_CHARS_MAX: usize = 70;

/// `Skill: a, b`; empty when none is active.
pub(super) fn badge(active: &[ActiveSkillRefDto]) -> String {
    if active.is_empty() {
        return String::new();
    }
    let name = |skill: &ActiveSkillRefDto| {
        let once = if skill.one_shot { " (once)" } else { "" };
        format!("{}{once}", skill.name)
    };
    let names: Vec<String> = active.iter().map(name).collect();
    format!("Skill: {}", names.join(", "))
}

/// Names for completion, with what they are for.
pub(super) fn names(skills: &[SkillSummaryDto]) -> Vec<(String, String)> {
    let usable = skills.iter().filter(|skill| skill.state == SkillState::Valid);
    usable
        .map(|skill| (skill.name.to_string(), cut(&skill.description, DESCRIPTION_CHARS_MAX)))
        .collect()
}

/// What can be seen, active ones marked with their place in the order.
fn listing(skills: &[SkillSummaryDto], active: &[ActiveSkillRefDto]) -> String {
    let row = |skill: &SkillSummaryDto| {
        let place = active.iter().position(|active| active.name == skill.name);
        let mark = place.map_or_else(String::new, |place| format!("● {}", place + 1));
        let state = match skill.state {
            SkillState::Valid => "",
            SkillState::Disabled => "disabled",
            SkillState::Invalid => "invalid",
        };
        let hint = one_line(skill.argument_hint.as_deref().unwrap_or_default());
        let name =
            if hint.is_empty() { skill.name.to_string() } else { format!("{} {hint}", skill.name) };
        let layer = skill.source.cli_name().to_owned();
        let about = if state.is_empty() {
            cut(&skill.description, DESCRIPTION_CHARS_MAX)
        } else {
            state.to_owned()
        };
        vec![mark, name, layer, about]
    };
    let rows: Vec<_> = skills.iter().map(row).collect();
    table(&["ACTIVE", "NAME", "LAYER", "DESCRIPTION"], &rows)
}

impl Chat<'_> {
    /// All names, for completion.
    pub(super) fn ask_for_names(&mut self) {
        let request = self.request(SkillCommand::List);
        self.asked_for_names = Some(self.link.request(ClientFrame::ProcessSkill(request)));
    }

    fn request(&self, command: SkillCommand) -> ProcessSkillRequest {
        ProcessSkillRequest {
            process_name: self.session.chat_process_name.clone(),
            command,
            skill_name: None,
            one_shot: false,
            args: None,
            idempotency_key: None,
        }
    }

    pub(super) async fn activate(&mut self, invocation: Invocation<'_>) -> Result<Done> {
        if invocation.rest.len() > SKILL_ARGS_BYTES_MAX {
            let text = format!(
                "{} bytes of arguments, at most {SKILL_ARGS_BYTES_MAX}",
                invocation.rest.len()
            );
            self.screen.note(&text)?;
            return Ok(Done::GoOn);
        }
        // A layer is the brain's to judge.
        let plain = invocation.name.split('@').next().unwrap_or_default();
        if let Err(error) = plain.parse::<SkillName>() {
            self.screen.note(&error.to_string())?;
            return Ok(Done::GoOn);
        }
        let mut request = self.request(SkillCommand::Activate);
        request.skill_name = Some(invocation.name.to_owned());
        request.one_shot = invocation.once;
        request.args = invocation.args().map(str::to_owned);
        request.idempotency_key = Some(idempotency_key());
        self.ask_and_follow(ClientFrame::ProcessSkill(request)).await
    }

    pub(super) async fn clear(&mut self, name: Option<&str>) -> Result<Done> {
        let command = if name.is_some() { SkillCommand::Clear } else { SkillCommand::ClearAll };
        let mut request = self.request(command);
        request.skill_name = name.map(str::to_owned);
        request.idempotency_key = Some(idempotency_key());
        self.ask_and_follow(ClientFrame::ProcessSkill(request)).await
    }

    /// Asked over REST: it touches no process.
    pub(super) async fn list_skills(&mut self) -> Result<()> {
        match self.listed().await {
            Ok(text) => Ok(self.screen.lines(&text)?),
            Err(error) => Ok(self.screen.note(&error.to_string())?),
        }
    }

    async fn listed(&mut self) -> Result<String> {
        let api = Api::new(self.settings.clone())?;
        let skills = api.effective_skills(&self.session.project_id).await?.skills;
        let active = api.active_skills(&self.session.session_id).await?.skills;
        self.names.set(names(&skills));
        self.active.clone_from(&active);
        Ok(if skills.is_empty() {
            "no skills can be seen here\n".to_owned()
        } else {
            listing(&skills, &active)
        })
    }
}
