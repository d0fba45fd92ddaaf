//! Reading a recipe.

mod block;
mod fields;
mod guards;
mod json;
mod root;
mod skills;
mod templates;

use api_types::ids::RecipeName;

use super::{RECIPE_BYTES_MAX, Recipe};
use crate::diagnostic::{Code, Diagnostic};
use crate::limits::{YAML_ALIASES_MAX, YAML_DEPTH_MAX, YAML_NODES_MAX};
use crate::load::Report;
use crate::text::Position;
use crate::yaml::{self, Failure, FailureKind, Node};

/// A document to load.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The document's path, as diagnostics are to name it.
    pub path: &'a str,
    /// Its path below `_vance/recipes/` without `.yaml`.
    pub stem: &'a str,
    /// The document.
    pub bytes: &'a [u8],
}

/// What a document says.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The recipe; `None` if the document has errors.
    pub recipe: Option<Recipe>,
    /// Problems, in the order of the document.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a recipe. Never fails: what it cannot make sense of becomes a diagnostic with a place.
#[must_use]
pub fn load(input: Input<'_>) -> Loaded {
    let mut report = Report::new(input.path, "");
    let recipe = read(&mut report, &input);
    let recipe = recipe.filter(|_| !report.has_errors());
    Loaded { recipe, diagnostics: report.finish() }
}

fn read<'a>(report: &mut Report<'a>, input: &Input<'a>) -> Option<Recipe> {
    let text = decode(report, input.bytes)?;
    report.set_text(text);
    let root = tree(report)?;
    let name = name(report, input.stem);
    root::read(report, &root, name?)
}

/// Trimmed, in lower case, with `-` for blanks.
fn name(report: &mut Report<'_>, stem: &str) -> Option<RecipeName> {
    let name = stem.to_lowercase().split_whitespace().collect::<Vec<_>>().join("-");
    match name.parse() {
        Ok(name) => Some(name),
        Err(problem) => {
            report.error(
                Code::InvalidName,
                0,
                format!("`{stem}` can't be the name of a recipe: {problem}"),
            );
            None
        }
    }
}

fn decode<'a>(report: &mut Report<'_>, bytes: &'a [u8]) -> Option<&'a str> {
    if bytes.len() > RECIPE_BYTES_MAX {
        let message =
            format!("the recipe has {} bytes, at most {RECIPE_BYTES_MAX} are read", bytes.len());
        report.at(Code::FileTooLarge, Position::START, message);
        return None;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) => {
            let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let message = "the recipe is not UTF-8; save it as UTF-8".to_owned();
            report.at(Code::NotUtf8, Position::of(&valid, valid.len()), message);
            None
        }
    }
}

fn tree<'a>(report: &mut Report<'a>) -> Option<Node<'a>> {
    let text = report.text();
    if let Some(at) = text.find('\0') {
        report.error(Code::ControlCharacter, at, "the recipe contains a NUL character; remove it");
        return None;
    }
    let start = text.len() - text.trim_start_matches(crate::text::BYTE_ORDER_MARK).len();
    let tree = match yaml::parse(text, start..text.len(), &[]) {
        Ok(tree) => tree,
        Err(failure) => {
            refuse(report, &failure);
            return None;
        }
    };
    for duplicate in &tree.duplicates {
        let line = Position::of(text, duplicate.first).line;
        let message = format!(
            "`{}` stands here a second time, first in line {line}; remove one",
            duplicate.key
        );
        report.error(Code::DuplicateKey, duplicate.span.start, message);
    }
    let root = tree.root.filter(|root| root.entries().is_some());
    if root.is_none() {
        let message =
            "the recipe is not a list of keys with values; write `description: …` and `engine: …`";
        report.error(Code::HeadNotAMap, 0, message);
    }
    root
}

fn refuse(report: &mut Report<'_>, failure: &Failure) {
    let (code, message) = match &failure.kind {
        FailureKind::Syntax(problem) => {
            (Code::InvalidYaml, format!("the recipe is not valid YAML: {problem}"))
        }
        FailureKind::TooDeep => (
            Code::YamlTooDeep,
            format!("values are nested more than {YAML_DEPTH_MAX} levels deep; flatten them"),
        ),
        FailureKind::TooManyNodes => (
            Code::YamlTooManyNodes,
            format!("the recipe has more than {YAML_NODES_MAX} values, aliases expanded"),
        ),
        FailureKind::TooManyAliases => (
            Code::YamlTooManyAliases,
            format!(
                "the recipe has more than {YAML_ALIASES_MAX} aliases (`*name`); write them out"
            ),
        ),
    };
    report.error(code, failure.at, message);
}
