//! A skill in full, at one revision.

use std::sync::Arc;

use super::head_parser::SKILLS;
use api_types::ids::{ProjectId, Revision, SkillName};
use api_types::skills::SkillScope;
use skill_lang::skill::{Head, LoadMode, ReferenceDoc};

/// An INLINE reference document with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlineDoc {
    /// Its title.
    pub title: String,
    /// Its text. Bytes that are not UTF-8 are replaced by U+FFFD.
    pub content: Arc<str>,
}

/// A skill in full: all parts as they were at one revision of its layer.
#[derive(Clone, Debug)]
pub struct LoadedSkill {
    /// The skill.
    pub name: SkillName,
    /// The layer of the copy.
    pub scope: SkillScope,
    /// The project that holds the layer; `None` for bundled ones.
    pub project: Option<ProjectId>,
    /// Name of its folder below `_vance/skills/`.
    pub folder: String,
    /// Read it again at this revision, and it is the same.
    pub revision: Revision,
    /// What stands above its body.
    pub head: Arc<Head>,
    /// Its body, byte for byte.
    pub body: Arc<str>,
    /// INLINE references, in the order of their declaration.
    pub inline_docs: Vec<InlineDoc>,
}

impl LoadedSkill {
    /// Whether the rest of the line that activates it is its own.
    #[must_use]
    pub fn consumes_args(&self) -> bool {
        self.head.arguments.consume()
    }

    /// Its folder's path in its project.
    #[must_use]
    pub fn folder_path(&self) -> String {
        format!("{SKILLS}/{}", self.folder)
    }

    /// References that wait to be asked for, in the order of their declaration.
    pub fn on_demand(&self) -> impl Iterator<Item = &ReferenceDoc> {
        self.head.reference_docs.iter().filter(|doc| doc.load_mode == LoadMode::OnDemand)
    }

    pub(super) fn bytes(&self) -> usize {
        let docs = self.inline_docs.iter().map(|doc| doc.title.len() + doc.content.len() + 64);
        2_048 + self.body.len() + docs.sum::<usize>()
    }
}
