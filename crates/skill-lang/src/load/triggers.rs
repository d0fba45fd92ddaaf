//! Conditions of activation.

use super::Report;
use super::head::{Fields, unknown};
use super::lists::{Split, texts};
use super::text::{Entry, Hash, text};
use crate::diagnostic::Code;
use crate::keys::{Key, closest};
use crate::limits::{
    KEYWORDS_MAX, PATTERN_BACKTRACKS_MAX, PATTERN_CHARS_MAX, PATTERN_COMPILED_BYTES_MAX,
    TRIGGERS_MAX,
};
use crate::skill::{Engine, Match, Trigger};
use crate::yaml::{Node, Value};

const KEYS: [&str; 5] = ["type", "pattern", "keywords", "match", "examples"];

pub(super) fn read(report: &mut Report<'_>, fields: &Fields<'_, '_>) -> Vec<Trigger> {
    let Some(entry) = fields.get(Key::Triggers) else { return Vec::new() };
    let items = match &entry.value.value {
        _ if entry.value.is_null() => return Vec::new(),
        Value::List(items) => items,
        _ => {
            let message = "`triggers` should be a list of maps with `type: KEYWORDS` or `type: \
                           PATTERN`";
            report.error(Code::InvalidTrigger, entry.at(), message);
            return Vec::new();
        }
    };
    if let Some(extra) = items.get(TRIGGERS_MAX) {
        let message = format!("a skill has at most {TRIGGERS_MAX} triggers; the rest is ignored");
        report.warn(Code::TooMany, extra.span.start, message);
    }
    items.iter().take(TRIGGERS_MAX).filter_map(|item| trigger(report, item)).collect()
}

/// The parts of a trigger, not yet checked against its type.
#[derive(Default)]
struct Parts {
    kind: Option<String>,
    pattern: Option<(usize, String)>,
    keywords: Option<(usize, Vec<String>)>,
    matching: Match,
    examples: Vec<String>,
}

fn trigger(report: &mut Report<'_>, item: &Node<'_>) -> Option<Trigger> {
    let at = item.span.start;
    let Some(entries) = item.entries() else {
        let message = "a trigger should be a map: `- type: KEYWORDS` with `keywords: [one, two]`, \
                       or `- type: PATTERN` with `pattern: …`";
        report.error(Code::InvalidTrigger, at, message);
        return None;
    };
    let mut parts = Parts::default();
    for (key, value) in entries {
        let name = key.text().unwrap_or_default();
        let entry = Entry { what: &format!("triggers[].{name}"), key, value };
        match name {
            "type" => parts.kind = text(report, entry, Hash::Comment),
            "pattern" => {
                parts.pattern = text(report, entry, Hash::Text).map(|text| (entry.at(), text));
            }
            "keywords" => {
                parts.keywords = Some((entry.at(), texts(report, entry, Split::Commas)));
            }
            "match" => parts.matching = matching(report, entry),
            "examples" => parts.examples = texts(report, entry, Split::Whole),
            _ => unknown(report, key, name, closest(name, KEYS.into_iter())),
        }
    }
    complete(report, at, parts)
}

fn complete(report: &mut Report<'_>, at: usize, parts: Parts) -> Option<Trigger> {
    match parts.kind.as_deref().map(str::to_uppercase).as_deref() {
        Some("PATTERN") => {
            let Some((at, pattern)) = parts.pattern else {
                let message = "a `PATTERN` trigger needs `pattern`, a regular expression";
                report.error(Code::InvalidTrigger, at, message);
                return None;
            };
            let engine = check_pattern(report, at, &pattern)?;
            Some(Trigger::Pattern { pattern, engine, examples: parts.examples })
        }
        Some("KEYWORDS") => {
            let (at, keywords) = parts.keywords.unwrap_or((at, Vec::new()));
            if keywords.is_empty() {
                let message = "a `KEYWORDS` trigger needs `keywords`, a list of words";
                report.error(Code::InvalidTrigger, at, message);
                return None;
            }
            let keywords = check_keywords(report, at, keywords);
            Some(Trigger::Keywords { keywords, matching: parts.matching, examples: parts.examples })
        }
        Some(other) => {
            let message = format!("a trigger's `type` is `KEYWORDS` or `PATTERN`, not {other:?}");
            report.error(Code::InvalidTrigger, at, message);
            None
        }
        None => {
            let message = "a trigger needs `type: KEYWORDS` or `type: PATTERN`";
            report.error(Code::InvalidTrigger, at, message);
            None
        }
    }
}

fn matching(report: &mut Report<'_>, entry: Entry<'_, '_>) -> Match {
    let Some(written) = text(report, entry, Hash::Comment) else { return Match::Half };
    match written.to_lowercase().as_str() {
        "any" => Match::Any,
        "half" => Match::Half,
        "all" => Match::All,
        _ => {
            let message =
                format!("`match` is `any`, `half` or `all`, not {written:?}; read as `half`");
            report.warn(Code::UnknownValue, entry.at(), message);
            Match::Half
        }
    }
}

fn check_keywords(report: &mut Report<'_>, at: usize, mut keywords: Vec<String>) -> Vec<String> {
    if keywords.len() > KEYWORDS_MAX {
        let message = format!("a trigger has at most {KEYWORDS_MAX} keywords; the rest is ignored");
        report.warn(Code::TooMany, at, message);
        keywords.truncate(KEYWORDS_MAX);
    }
    for keyword in keywords.iter().filter(|keyword| !has_token(keyword)) {
        let message = format!(
            "the keyword {keyword:?} has no word of two or more letters or digits; it is ignored"
        );
        report.warn(Code::UselessKeyword, at, message);
    }
    if !keywords.iter().any(|keyword| has_token(keyword)) {
        report.warn(Code::IdleTrigger, at, "no keyword is usable; the trigger never fires");
    }
    keywords
}

/// Whether matching finds anything to look for: a run of two or more letters and digits.
fn has_token(keyword: &str) -> bool {
    keyword.split(|c: char| !c.is_alphanumeric()).any(|token| token.chars().nth(1).is_some())
}

/// The engine that a pattern needs; `None` when it is no pattern.
fn check_pattern(report: &mut Report<'_>, at: usize, pattern: &str) -> Option<Engine> {
    let length = pattern.chars().count();
    if length > PATTERN_CHARS_MAX {
        let message =
            format!("the pattern has {length} characters, at most {PATTERN_CHARS_MAX} are allowed");
        report.error(Code::InvalidPattern, at, message);
        return None;
    }
    let linear = regex::RegexBuilder::new(pattern)
        .case_insensitive(true)
        .size_limit(PATTERN_COMPILED_BYTES_MAX)
        .build();
    let problem = match linear {
        Ok(_) => return Some(Engine::Linear),
        Err(regex::Error::CompiledTooBig(_)) => {
            let message = "the pattern is too large when compiled; make its repetitions smaller";
            report.error(Code::InvalidPattern, at, message);
            return None;
        }
        Err(problem) => problem,
    };
    let backtracking = fancy_regex::RegexBuilder::new(pattern)
        .case_insensitive(true)
        .backtrack_limit(PATTERN_BACKTRACKS_MAX)
        .delegate_size_limit(PATTERN_COMPILED_BYTES_MAX)
        .build();
    if backtracking.is_ok() {
        let message = "look-around and back-references run on a slower engine with a limit of \
                       steps; write the pattern without them if you can";
        report.warn(Code::SlowPattern, at, message);
        return Some(Engine::Backtracking);
    }
    let problem = problem.to_string();
    let reason = problem.lines().rev().find_map(|line| line.strip_prefix("error: "));
    let message =
        format!("the pattern is not a regular expression: {}", reason.unwrap_or(&problem));
    report.error(Code::InvalidPattern, at, message);
    None
}
