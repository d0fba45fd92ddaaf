//! Paths of documents.

use std::str::FromStr;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::{UnicodeNormalization, is_nfc};

use super::string_newtype;

/// Longest path of a document, in bytes.
pub const DOCUMENT_PATH_BYTES_MAX: usize = 1_024;

/// A text that can't be a document's path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("document path {text:?}: {problem}")]
pub struct InvalidDocumentPath {
    text: String,
    problem: &'static str,
}

/// A document's path inside its project: `/`-separated, NFC, relative, no `.` or `..` segment.
///
/// One leading `/` is dropped, so that what people copy from an address bar works.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export, type = "string"))]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct DocumentPath(Arc<str>);

string_newtype!(DocumentPath, InvalidDocumentPath);

impl DocumentPath {
    /// The last segment.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// Whether the path lies below `folder`, which is written without a trailing `/`.
    #[must_use]
    pub fn is_below(&self, folder: &str) -> bool {
        self.0.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    }
}

impl FromStr for DocumentPath {
    type Err = InvalidDocumentPath;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail =
            |problem| Err(InvalidDocumentPath { text: text.chars().take(120).collect(), problem });
        if text.len() > DOCUMENT_PATH_BYTES_MAX {
            return fail("is longer than 1,024 bytes");
        }
        let path = text.strip_prefix('/').unwrap_or(text);
        if path.is_empty() {
            return fail("must not be empty");
        }
        if path.chars().any(|c| c.is_control() || is_bidi_control(c)) {
            return fail("must not contain control characters");
        }
        if path.contains('\\') {
            return fail("segments are separated by `/`, not `\\`");
        }
        for segment in path.split('/') {
            match segment {
                "" => return fail("must not contain an empty segment"),
                "." | ".." => return fail("must not contain a `.` or `..` segment"),
                s if s.trim() != s => return fail("a segment must not begin or end with a blank"),
                _ => {}
            }
        }
        if is_nfc(path) {
            Ok(Self(path.into()))
        } else {
            Ok(Self(path.nfc().collect::<String>().into()))
        }
    }
}

/// Characters that reorder what people read (Unicode TR36).
pub(super) fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Option<&str>) {
        let got = text.parse::<DocumentPath>().ok();
        assert_eq!(got.as_ref().map(DocumentPath::as_str), expect, "{text:?}");
    }

    #[test]
    fn paths_stay_inside_their_project() {
        check("a/b.md", Some("a/b.md"));
        check("/a", Some("a"));
        check("a//b", None);
        check("../a", None);
        check("a/../b", None);
        check("a/./b", None);
        check("a\0b", None);
        check("a\\b", None);
        check("", None);
        check("/", None);
        check("a/", None);
        check("a\u{202e}b", None);
        check("e\u{301}.md", Some("é.md"));
    }
}
