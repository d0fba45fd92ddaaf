//! `foot skills show`

use std::fmt::Write;

use api_types::skills::{
    ExplainSkillResponse, ShownSkillDto, SkillCandidateDto, SkillReferenceDocLoadMode,
    SkillTriggerDto, SkillTriggerType, SkillVerdict,
};

use super::{NameAtLayer, diagnostic_line, state};
use crate::client::Api;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::{Format, Output, one_line, printable, table};

/// `foot skills show`
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The skill; `@user`, `@local`, `@project`, `@tenant` or `@bundled` names the copy
    #[arg(value_name = "NAME[@LAYER]")]
    name: NameAtLayer,
    /// All copies, and why which one counts
    #[arg(long)]
    why: bool,
}

pub(super) async fn run(arguments: &Arguments, api: &Api, out: &mut Output) -> Result<Exit> {
    let NameAtLayer { name, layer } = &arguments.name;
    let explained = api.explain_skill(&api.settings().project, name, *layer).await?;
    if explained.shown.is_none() && !arguments.why {
        return Err(absent(&arguments.name, &explained));
    }
    match (out.format, arguments.why) {
        (Format::Json | Format::StreamJson, true) => out.value(&explained)?,
        (Format::Json | Format::StreamJson, false) => out.value(&explained.shown)?,
        (Format::Text | Format::Sarif, true) => out.text(&why(&explained))?,
        (Format::Text | Format::Sarif, false) => {
            if let Some(shown) = &explained.shown {
                out.text(&printable(&text(shown)))?;
            }
        }
    }
    Ok(if explained.shown.is_some() { Exit::Done } else { Exit::Failed })
}

pub(super) fn absent(asked: &NameAtLayer, explained: &ExplainSkillResponse) -> Error {
    let layers: Vec<_> =
        explained.candidates.iter().map(|copy| copy.skill.source.cli_name()).collect();
    let elsewhere = if layers.is_empty() {
        "; `foot skills list` shows what there is".to_owned()
    } else {
        format!("; there are copies in: {}", layers.join(", "))
    };
    Error::failed(format!("no skill {asked} here{elsewhere}"))
}

/// A head of facts, then the file.
fn text(shown: &ShownSkillDto) -> String {
    let skill = &shown.summary;
    let mut text = String::new();
    let mut fact = |label: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(text, "{label:<12}{value}");
        }
    };
    fact("name", skill.name.as_str());
    fact("title", &one_line(&skill.title));
    fact("layer", skill.source.cli_name());
    fact("version", &one_line(&skill.version));
    fact("state", state(skill));
    fact("tags", &one_line(&skill.tags.join(", ")));
    fact("arguments", &one_line(skill.argument_hint.as_deref().unwrap_or_default()));
    fact("tools", &one_line(&shown.tools.join(", ")));
    for trigger in &shown.triggers {
        fact("trigger", &trigger_line(trigger));
    }
    for doc in &shown.reference_docs {
        let mode = match doc.load_mode {
            SkillReferenceDocLoadMode::Inline => "inline",
            SkillReferenceDocLoadMode::OnDemand => "on demand",
        };
        fact("reference", &format!("{} ({}, {mode})", one_line(&doc.title), one_line(&doc.file)));
    }
    for file in &shown.files {
        fact("file", &format!("{} ({} bytes)", one_line(&file.path), file.size));
    }
    for diagnostic in &skill.diagnostics {
        fact("problem", &one_line(&diagnostic_line(diagnostic)));
    }
    text.push('\n');
    text.push_str(&shown.text);
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn trigger_line(trigger: &SkillTriggerDto) -> String {
    match trigger.r#type {
        SkillTriggerType::Pattern => {
            format!("pattern {}", one_line(trigger.pattern.as_deref().unwrap_or_default()))
        }
        SkillTriggerType::Keywords => {
            format!("keywords {}", one_line(&trigger.keywords.join(", ")))
        }
    }
}

/// All copies with their verdicts.
fn why(explained: &ExplainSkillResponse) -> String {
    if explained.candidates.is_empty() {
        return format!("no layer has a skill {}\n", explained.name);
    }
    let row = |copy: &SkillCandidateDto| {
        let revision = copy.revision.map_or_else(|| "-".to_owned(), |r| r.to_string());
        let layer = copy.skill.source.cli_name().to_owned();
        vec![
            layer,
            verdict(copy.verdict).to_owned(),
            revision,
            copy.folder.clone(),
            copy.reason.clone(),
        ]
    };
    let rows: Vec<_> = explained.candidates.iter().map(row).collect();
    table(&["LAYER", "VERDICT", "REVISION", "FOLDER", "REASON"], &rows)
}

fn verdict(verdict: SkillVerdict) -> &'static str {
    match verdict {
        SkillVerdict::Wins => "wins",
        SkillVerdict::WinsDisabled => "wins, switched off",
        SkillVerdict::WinsInvalid => "wins, has errors",
        SkillVerdict::Shadowed => "shadowed",
        SkillVerdict::HiddenByDisabled => "hidden",
        SkillVerdict::ShadowedByInvalid => "shadowed",
        SkillVerdict::Overruled => "overruled",
    }
}

#[cfg(test)]
mod tests {
    use api_types::ids::Revision;
    use api_types::skills::{SkillFileDto, SkillReferenceDocDto, SkillState};

    use super::super::tests::summary;
    use super::*;

    fn shown() -> ShownSkillDto {
        let mut summary = summary("code-review", "project", SkillState::Valid);
        summary.diagnostics.clear();
        ShownSkillDto {
            summary,
            text: "---\nname: code-review\n---\nReview.".to_owned(),
            triggers: vec![SkillTriggerDto {
                r#type: SkillTriggerType::Keywords,
                pattern: None,
                keywords: vec!["review".to_owned(), "diff".to_owned()],
            }],
            reference_docs: vec![SkillReferenceDocDto {
                title: "Checklist".to_owned(),
                file: "references/checklist.md".to_owned(),
                summary: None,
                load_mode: SkillReferenceDocLoadMode::OnDemand,
            }],
            tools: vec!["doc_read".to_owned()],
            files: vec![SkillFileDto { path: "SKILL.md".to_owned(), size: 33 }],
        }
    }

    #[test]
    fn a_skill_is_shown_with_its_facts_and_its_text() {
        insta::assert_snapshot!(text(&shown()), @r"
        name        code-review
        title       Code Review
        layer       project
        version     1.0.0
        state       valid
        tags        a, b
        tools       doc_read
        trigger     keywords review, diff
        reference   Checklist (references/checklist.md, on demand)
        file        SKILL.md (33 bytes)

        ---
        name: code-review
        ---
        Review.
        ");
    }

    #[test]
    fn why_names_every_copy_and_its_reason() {
        let copy = |layer: &str, verdict, reason: &str, revision| SkillCandidateDto {
            skill: summary("code-review", layer, SkillState::Valid),
            verdict,
            reason: reason.to_owned(),
            revision,
            folder: "_vance/skills/code-review".to_owned(),
        };
        let explained = ExplainSkillResponse {
            name: "code-review".parse().unwrap(),
            shown: Some(shown()),
            candidates: vec![
                copy("project", SkillVerdict::Wins, "the nearest copy", Some(Revision(12))),
                copy("bundled", SkillVerdict::Shadowed, "project has a nearer copy", None),
            ],
        };
        insta::assert_snapshot!(why(&explained), @r"
        LAYER    VERDICT   REVISION  FOLDER                     REASON
        project  wins      12        _vance/skills/code-review  the nearest copy
        bundled  shadowed  -         _vance/skills/code-review  project has a nearer copy
        ");
    }
}
