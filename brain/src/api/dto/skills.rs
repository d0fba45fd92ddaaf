//! Skills, from the resolver's nouns to wire types.

use std::sync::Arc;

use api_types::ids::SkillName;
use api_types::skills::{
    DiagnosticDto, EffectiveSkillsResponse, ExplainSkillResponse, SeverityDto, ShownSkillDto,
    SkillCandidateDto, SkillFileDto, SkillReferenceDocDto, SkillReferenceDocLoadMode, SkillScope,
    SkillState, SkillSummaryDto, SkillTriggerDto, SkillTriggerType,
};
use skill_lang::diagnostic::{Diagnostic, Severity};
use skill_lang::skill::{LoadMode, ReferenceDoc, Trigger};

use crate::skills::cascade::Ranked;
use crate::skills::catalogue::Entry;
use crate::skills::{Shown, Summary};

/// The winner of each name.
pub(in crate::api) fn effective(skills: &[Summary]) -> EffectiveSkillsResponse {
    let one = |skill: &Summary| summary(&skill.name, skill.scope, skill.state, &skill.entry);
    EffectiveSkillsResponse { skills: skills.iter().map(one).collect() }
}

/// How a name resolves, with the copy that is shown.
pub(in crate::api) fn explain(name: SkillName, shown: Shown) -> ExplainSkillResponse {
    let candidates = shown.resolution.candidates().iter();
    ExplainSkillResponse {
        candidates: candidates.map(|ranked| candidate(&name, ranked)).collect(),
        shown: Some(full(&name, &shown.copy, shown.text)),
        name,
    }
}

fn candidate(name: &SkillName, ranked: &Ranked<Arc<Entry>>) -> SkillCandidateDto {
    let entry = &ranked.copy.content;
    let stored = ranked.scope() != SkillScope::Resource;
    let folder = entry.folder().path_of("");
    SkillCandidateDto {
        skill: summary(name, ranked.scope(), ranked.copy.state, entry),
        verdict: ranked.verdict,
        reason: ranked.reason(),
        revision: stored.then(|| entry.revision()),
        folder: folder.trim_end_matches('/').to_owned(),
    }
}

fn full(name: &SkillName, ranked: &Ranked<Arc<Entry>>, text: String) -> ShownSkillDto {
    let entry = &ranked.copy.content;
    let head = entry.head();
    let files = entry.folder().files().iter();
    ShownSkillDto {
        summary: summary(name, ranked.scope(), ranked.copy.state, entry),
        text,
        triggers: head.triggers.iter().map(trigger).collect(),
        reference_docs: head.reference_docs.iter().map(reference).collect(),
        tools: head.tools.clone(),
        files: files
            .map(|(path, file)| SkillFileDto { path: path.to_string(), size: file.size })
            .collect(),
    }
}

fn summary(
    name: &SkillName,
    source: SkillScope,
    state: SkillState,
    entry: &Entry,
) -> SkillSummaryDto {
    let head = entry.head();
    SkillSummaryDto {
        name: name.clone(),
        title: head.title.clone(),
        description: head.description.clone(),
        version: head.version.clone(),
        tags: head.tags.clone(),
        source,
        state,
        enabled: state != SkillState::Disabled,
        argument_hint: head.argument_hint.clone(),
        diagnostics: entry.diagnostics().map(diagnostic).collect(),
    }
}

fn diagnostic(problem: &Diagnostic) -> DiagnosticDto {
    DiagnosticDto {
        code: problem.code.to_string(),
        severity: match problem.severity {
            Severity::Warning => SeverityDto::Warning,
            Severity::Error => SeverityDto::Error,
        },
        message: problem.message.clone(),
        path: problem.path.clone(),
        line: problem.line,
        column: problem.column,
        fix: problem.fix.as_ref().and_then(|fix| serde_json::to_value(fix).ok()),
    }
}

fn trigger(trigger: &Trigger) -> SkillTriggerDto {
    match trigger {
        Trigger::Pattern { pattern, .. } => SkillTriggerDto {
            r#type: SkillTriggerType::Pattern,
            pattern: Some(pattern.clone()),
            keywords: Vec::new(),
        },
        Trigger::Keywords { keywords, .. } => SkillTriggerDto {
            r#type: SkillTriggerType::Keywords,
            pattern: None,
            keywords: keywords.clone(),
        },
    }
}

fn reference(doc: &ReferenceDoc) -> SkillReferenceDocDto {
    SkillReferenceDocDto {
        title: doc.title.clone(),
        file: doc.file.clone(),
        summary: doc.summary.clone(),
        load_mode: match doc.load_mode {
            LoadMode::Inline => SkillReferenceDocLoadMode::Inline,
            LoadMode::OnDemand => SkillReferenceDocLoadMode::OnDemand,
        },
    }
}
