//! Reading a `SKILL.md`: lenient about form, strict in saying what is wrong with it.
//!
//! [`load`] never fails and never panics. What it can't make sense of becomes a diagnostic with
//! a place; whether the skill can be used is its [`State`].

mod arguments;
mod body;
mod commands;
mod files;
mod head;
mod lists;
mod prose;
mod report;
mod run;
mod syntax;
mod text;
mod triggers;

use std::ops::Range;

use api_types::ids::SkillName;
use serde::{Deserialize, Serialize};

pub(crate) use self::report::Report;
pub(crate) use self::syntax::readable_head;
use crate::diagnostic::{Code, Diagnostic};
use crate::name::{self, Mapped};
use crate::skill::{Head, Skill};

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It can be activated, perhaps with warnings.
    Valid,
    /// It has errors: listed, shadows outer copies, can't be activated.
    Invalid,
    /// There is no head to read. Treated like `Invalid`; the description is empty.
    Unreadable,
}

/// A file to load.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The file's path, as diagnostics are to name it.
    pub path: &'a str,
    /// Name of the folder that it is in; the skill's name is made from it.
    pub folder: &'a str,
    /// The file.
    pub bytes: &'a [u8],
    /// Whether a file is in the skill's folder, by its path in there. `None`: not known here,
    /// so absent files are not reported.
    pub files: Option<&'a dyn Fn(&str) -> bool>,
}

/// What a file says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loaded {
    /// Whether the skill can be used.
    pub state: State,
    /// Name of its folder.
    pub folder: String,
    /// The skill's name; `None` when the folder's name can't be made into one.
    pub name: Option<SkillName>,
    /// What was understood, with defaults for the rest.
    pub head: Head,
    /// Bytes of the file below the closing fence; empty when the file is unreadable.
    pub body: Range<usize>,
    /// Problems, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

impl Loaded {
    /// Whether the skill can be activated.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.state == State::Valid
    }

    /// Problems that keep it from being activated.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|problem| problem.is_error())
    }

    /// The body in the bytes that were loaded; empty if they are others.
    #[must_use]
    pub fn body_of<'b>(&self, bytes: &'b [u8]) -> &'b str {
        let body = bytes.get(self.body.clone()).unwrap_or_default();
        std::str::from_utf8(body).unwrap_or_default()
    }

    /// The skill in full, if it can be activated.
    #[must_use]
    pub fn into_skill(self, bytes: &[u8]) -> Option<Skill> {
        if !self.is_valid() {
            return None;
        }
        let body = self.body_of(bytes).to_owned();
        Some(Skill { name: self.name?, folder: self.folder, head: self.head, body })
    }
}

/// Loads a file.
#[must_use]
pub fn load(input: Input<'_>) -> Loaded {
    let mapped = name::from_folder(input.folder);
    let title = title_of(mapped.as_ref().map_or(input.folder, |mapped| mapped.name.as_str()));
    let mut report = Report::new(input.path, "");
    let read = match syntax::decode(input.bytes) {
        Err(problem) => {
            report.at(problem.code, problem.position, problem.message);
            None
        }
        Ok(text) => {
            report.set_text(text);
            syntax::read(&mut report).map(|source| {
                let found = head::read(&mut report, &source, &input, title.clone(), &mapped);
                (found, source.parts.body)
            })
        }
    };
    check_name(&mut report, &mapped, input.folder);
    let state = match &read {
        None => State::Unreadable,
        Some(_) if report.has_errors() => State::Invalid,
        Some(_) => State::Valid,
    };
    let (head, body) = read.unwrap_or_else(|| (Head::empty(title), 0..0));
    Loaded {
        state,
        folder: input.folder.to_owned(),
        name: mapped.ok().map(|mapped| mapped.name),
        head,
        body,
        diagnostics: report.finish(),
    }
}

fn check_name(
    report: &mut Report<'_>,
    mapped: &Result<Mapped, api_types::ids::InvalidSkillName>,
    folder: &str,
) {
    match mapped {
        Err(error) => report.error(
            Code::InvalidName,
            0,
            format!("the folder is the skill's name, and {error}; rename the folder"),
        ),
        Ok(mapped) => {
            if mapped.changed {
                report.warn(
                    Code::FolderRenamed,
                    0,
                    format!("the folder {folder:?} is listed as `{}`; rename it", mapped.name),
                );
            }
            if let Some(warning) = name::confusable(&mapped.name) {
                report.warn(Code::ConfusableName, 0, warning);
            }
        }
    }
}

/// `code-review` → `Code Review`.
fn title_of(name: &str) -> String {
    let words = name.split(['-', '_', ' ']).filter(|word| !word.is_empty()).map(|word| {
        let mut rest = word.chars();
        let first = rest.next().map(char::to_uppercase);
        first.into_iter().flatten().chain(rest).collect::<String>()
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
