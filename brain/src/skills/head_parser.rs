//! What is stored beside a document when it is written, so that nobody parses it again.

use std::sync::Arc;

use api_types::ids::DocumentPath;
use skill_lang::load::{Input, Loaded, load};

use crate::documents::{HeadParser, ParsedHead};

/// Where skills lie in a project, without a trailing `/`.
pub const SKILLS: &str = "_vance/skills";
/// The file that makes a folder a skill.
pub const SKILL_FILE: &str = "SKILL.md";

/// Version of the parser of skills. Raise it with every change of what the loader says or of how
/// it is stored: rows of other versions are parsed anew by whoever reads them.
const SKILL_VERSION: u32 = 1;

/// Parses the heads of skills and recipes for the documents service.
#[derive(Clone, Copy, Debug, Default)]
pub struct SkillHeads;

impl HeadParser for SkillHeads {
    fn parse(&self, path: &DocumentPath, body: &[u8]) -> Option<ParsedHead> {
        parse(path, body)
    }
}

/// Splits the path of a file in a skill's folder into the folder and the path in there.
#[must_use]
pub fn split_skill_path(path: &DocumentPath) -> Option<(&str, &str)> {
    path.as_str().strip_prefix(SKILLS)?.strip_prefix('/')?.split_once('/')
}

/// Parses a document's body, where it is one that has a head.
#[must_use]
pub fn parse(path: &DocumentPath, body: &[u8]) -> Option<ParsedHead> {
    match split_skill_path(path) {
        Some((folder, SKILL_FILE)) => {
            let input = Input { path: path.as_str(), folder, bytes: body, files: None };
            stored(&load(input))
        }
        _ => None,
    }
}

fn stored(loaded: &Loaded) -> Option<ParsedHead> {
    let json = serde_json::value::to_raw_value(loaded).ok()?;
    Some(ParsedHead { version: SKILL_VERSION, json: Arc::from(json) })
}

/// Reads back what [`parse`] said of the `SKILL.md` in this folder; `None` if it has to be parsed
/// anew: another version, or the document was moved here.
pub(super) fn restore(head: &ParsedHead, folder: &str) -> Option<Loaded> {
    if head.version != SKILL_VERSION {
        return None;
    }
    let loaded: Loaded = serde_json::from_str(head.json.get()).ok()?;
    (loaded.folder == folder).then_some(loaded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_back_as_it_was_parsed() {
        let path: DocumentPath = "_vance/skills/a_b/SKILL.md".parse().unwrap();
        let body = b"---\ntitle: T\ndescription: D\nversion: 1.0.0\n---\nBody {{ x }}\n";
        let head = parse(&path, body).unwrap();
        let loaded = restore(&head, "a_b").unwrap();
        let input = Input { path: path.as_str(), folder: "a_b", bytes: body, files: None };
        assert_eq!(loaded, load(input));
        assert!(restore(&head, "elsewhere").is_none(), "moved: parsed anew");
    }

    #[test]
    fn only_the_skill_file_of_a_folder_has_a_head() {
        for other in ["_vance/skills/SKILL.md", "_vance/skills/a/b/SKILL.md", "docs/a/SKILL.md"] {
            assert!(parse(&other.parse().unwrap(), b"---\n---\n").is_none(), "{other}");
        }
    }
}
