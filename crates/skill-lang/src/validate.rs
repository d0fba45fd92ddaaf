//! Checking folders of skills, for `foot skills validate`, pushes and imports.

use std::collections::{BTreeMap, HashMap};

use api_types::ids::SkillName;
use serde::{Deserialize, Serialize};

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::load::{Input, Loaded, load};
use crate::name;

/// Name of the file that makes a folder a skill.
pub const SKILL_FILE: &str = "SKILL.md";

/// What was found out about one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileReport {
    /// The file, as the caller named it.
    pub path: String,
    /// The skill's name; the folder's where that can't be a name.
    pub name: String,
    /// Whether the skill can be activated.
    pub valid: bool,
    /// Problems, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

impl FileReport {
    /// The report of a file that was loaded.
    #[must_use]
    pub fn new(path: &str, loaded: Loaded) -> Self {
        Self {
            path: path.to_owned(),
            valid: loaded.is_valid(),
            name: loaded.name.map_or(loaded.folder, String::from),
            diagnostics: loaded.diagnostics,
        }
    }

    fn add(&mut self, diagnostic: Diagnostic) {
        self.valid &= !diagnostic.is_error();
        self.diagnostics.push(diagnostic);
    }
}

/// Checks a skill's folder. `path` is the folder's as messages are to name it, its last part
/// the folder's name; `files` are its files by their path inside it.
#[must_use]
pub fn validate_folder<B: AsRef<[u8]>>(path: &str, files: &BTreeMap<String, B>) -> FileReport {
    let path = path.trim_end_matches('/');
    let folder = path.rsplit('/').next().unwrap_or(path);
    let exists = |file: &str| files.contains_key(file);
    if let Some(bytes) = files.get(SKILL_FILE) {
        let file = format!("{path}/{SKILL_FILE}");
        let input = Input { path: &file, folder, bytes: bytes.as_ref(), files: Some(&exists) };
        return FileReport::new(&file, load(input));
    }
    let other = files.keys().find(|file| file.eq_ignore_ascii_case(SKILL_FILE));
    let (file, message) = match other {
        Some(other) => (other.as_str(), format!("the file must be called `{SKILL_FILE}`")),
        None => (SKILL_FILE, format!("the folder has no `{SKILL_FILE}`")),
    };
    let path = format!("{path}/{file}");
    let diagnostic = problem(Code::FileNotFound, Severity::Error, &path, message);
    FileReport { path, name: folder.to_owned(), valid: false, diagnostics: vec![diagnostic] }
}

/// Reports folders of one parent that stand for one name, or for names of one look, on both.
pub fn report_conflicts(reports: &mut [FileReport]) {
    let folders: Vec<(String, String, Option<SkillName>)> = reports
        .iter()
        .map(|report| {
            let (parent, folder) = parent_and_folder(&report.path);
            let name = name::from_folder(folder).ok().map(|mapped| mapped.name);
            (parent.to_owned(), folder.to_owned(), name)
        })
        .collect();
    let mut parents: HashMap<&str, Vec<(usize, &str, &SkillName)>> = HashMap::new();
    for (index, (parent, folder, name)) in folders.iter().enumerate() {
        if let Some(name) = name {
            parents.entry(parent).or_default().push((index, folder, name));
        }
    }
    for siblings in parents.values() {
        let names: Vec<(&str, &SkillName)> =
            siblings.iter().map(|(_, folder, name)| (*folder, *name)).collect();
        for Conflict { of, severity, message, .. } in conflicts(&names) {
            let code = code_of(severity);
            let report = &mut reports[siblings[of].0];
            let path = report.path.clone();
            report.add(problem(code, severity, &path, message));
        }
    }
}

fn code_of(severity: Severity) -> Code {
    match severity {
        Severity::Error => Code::NameConflict,
        Severity::Warning => Code::ConfusableName,
    }
}

/// Two folders that meet. Each pair is reported twice, once on each side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Index of the folder that the message is for.
    pub of: usize,
    /// Index of the other one.
    pub with: usize,
    /// An error for equal names, a warning for names of one look.
    pub severity: Severity,
    /// What is wrong, and what to do.
    pub message: String,
}

/// Finds folders of one layer that stand for one name, or for names of one look.
#[must_use]
pub fn conflicts(folders: &[(&str, &SkillName)]) -> Vec<Conflict> {
    let mut looks: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, (_, name)) in folders.iter().enumerate() {
        looks.entry(name::look(name)).or_default().push(index);
    }
    let mut found = Vec::new();
    for group in looks.into_values().filter(|group| group.len() > 1) {
        // Every further folder meets the first one; all pairs would say no more.
        for other in &group[1..] {
            let first = group[0];
            found.push(conflict(folders, first, *other));
            found.push(conflict(folders, *other, first));
        }
    }
    found.sort_by_key(|conflict| (conflict.of, conflict.with));
    found
}

fn conflict(folders: &[(&str, &SkillName)], of: usize, with: usize) -> Conflict {
    let ((_, name), (other_folder, other)) = (folders[of], folders[with]);
    let (severity, message) = if name == other {
        let message = format!(
            "the folder {other_folder:?} stands for the name `{name}` too; rename one of them"
        );
        (Severity::Error, message)
    } else {
        let message = format!("`{name}` and `{other}` look alike; rename one of them");
        (Severity::Warning, message)
    };
    Conflict { of, with, severity, message }
}

fn problem(code: Code, severity: Severity, path: &str, message: String) -> Diagnostic {
    Diagnostic { code, severity, message, path: path.to_owned(), line: 1, column: 1, fix: None }
}

/// `a/b/SKILL.md` → `a`, `b`.
fn parent_and_folder(path: &str) -> (&str, &str) {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    folder.rsplit_once('/').unwrap_or(("", folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(path: &str, text: &str) -> FileReport {
        validate_folder(path, &BTreeMap::from([(SKILL_FILE.to_owned(), text)]))
    }

    #[test]
    fn a_folder_without_the_file_is_reported() {
        let report = validate_folder("skills/a", &BTreeMap::from([("skill.md".to_owned(), "")]));
        assert_eq!((report.path.as_str(), report.valid), ("skills/a/skill.md", false));
        assert!(report.diagnostics[0].message.contains("must be called `SKILL.md`"));
        let report = validate_folder("skills/a", &BTreeMap::<String, &str>::new());
        assert!(report.diagnostics[0].message.contains("has no `SKILL.md`"));
    }

    #[test]
    fn files_are_looked_up_in_the_folder() {
        let text = "---\ntitle: A\ndescription: d\nversion: 1.0.0\nreferenceDocs:\n\
                    - {title: a, file: ./references/a.md}\n- {title: b, file: b.md}\n---\n";
        let files =
            BTreeMap::from([(SKILL_FILE.to_owned(), text), ("references/a.md".to_owned(), "")]);
        let report = validate_folder("s/a/", &files);
        assert_eq!(report.path, "s/a/SKILL.md");
        let shown: Vec<String> = report.diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            [
                "s/a/SKILL.md:7:20: error[file-not-found]: the file `b.md` is not in the skill's folder"
            ]
        );
    }

    #[test]
    fn folders_that_meet_are_reported_on_both() {
        let text = "---\nname: a-b\ndescription: d\n---\n";
        let mut reports = vec![
            folder("skills/a-b", text),
            folder("skills/A_b", text),
            folder("other/a-b", text),
            folder("skills/cope", text),
            folder("skills/соре", text),
        ];
        report_conflicts(&mut reports);
        let has = |index: usize, code: Code| {
            reports[index].diagnostics.iter().any(|problem| problem.code == code)
        };
        assert_eq!([0, 1, 2].map(|i| has(i, Code::NameConflict)), [true, true, false]);
        assert_eq!([0, 1, 2].map(|i| reports[i].valid), [false, false, true]);
        assert_eq!(
            [3, 4].map(|i| (has(i, Code::ConfusableName), reports[i].valid)),
            [(true, true); 2]
        );
    }

    #[test]
    fn the_report_has_the_form_that_scripts_read() {
        let report = folder("s/x", "---\nname: x\ndescription: a: b\n---\n");
        assert_eq!(
            serde_json::to_value(report).unwrap(),
            serde_json::json!({
                "path": "s/x/SKILL.md", "name": "x", "valid": true,
                "diagnostics": [{
                    "code": "unquoted-value", "severity": "warning",
                    "message": "a colon inside the value is read as a key by YAML; read as plain \
                                text, put it in quotes",
                    "path": "s/x/SKILL.md", "line": 3, "column": 15,
                    "fix": {"line": 3, "column": 14, "endLine": 3, "endColumn": 18,
                            "text": "\"a: b\""},
                }],
            })
        );
    }
}
