//! SARIF 2.1.0, which code hosts and editors read.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Value, json};
use skill_lang::diagnostic::{Diagnostic, Fix, Severity};

use super::Checked;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub(super) fn log(checked: &[Checked]) -> Value {
    let problems = || checked.iter().flat_map(|file| &file.report.diagnostics);
    let codes: BTreeSet<String> = problems().map(|problem| problem.code.to_string()).collect();
    let rules: Vec<Value> = codes.iter().map(|code| json!({ "id": code })).collect();
    let results: Vec<Value> = problems().map(result).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "foot",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn result(problem: &Diagnostic) -> Value {
    let level = match problem.severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let artifact = json!({ "uri": uri(&problem.path) });
    let mut result = json!({
        "ruleId": problem.code.to_string(),
        "level": level,
        "message": { "text": problem.message },
        "locations": [{ "physicalLocation": {
            "artifactLocation": artifact,
            "region": { "startLine": problem.line, "startColumn": problem.column },
        } }],
    });
    if let Some(fix) = &problem.fix {
        result["fixes"] = json!([{ "artifactChanges": [{
            "artifactLocation": artifact,
            "replacements": [replacement(fix)],
        }] }]);
    }
    result
}

fn replacement(fix: &Fix) -> Value {
    json!({
        "deletedRegion": {
            "startLine": fix.line,
            "startColumn": fix.column,
            "endLine": fix.end_line,
            "endColumn": fix.end_column,
        },
        "insertedContent": { "text": fix.text },
    })
}

/// A path as a URI reference: all but unreserved characters and `/` are escaped.
fn uri(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    if path.starts_with('/') { format!("file://{text}") } else { text }
}
