//! Reading the entries of a head one by one, when it can't be read as a whole.

use std::ops::Range;

use super::build::parse;
use super::repair::starts_entry;
use super::{Edit, Failure, FailureKind, Node, Tree, Value};
use crate::text::{BLANKS, lines};

/// An entry that can't be read.
#[derive(Debug)]
pub(crate) struct Broken {
    pub(crate) key: String,
    /// Start of its line.
    pub(crate) at: usize,
    pub(crate) failure: Failure,
}

/// The entries that can be read, with the edits of a repair, and those that can't. `None` when
/// the text does not divide into entries, or none of them can be read.
pub(crate) fn salvage<'a>(
    text: &'a str,
    head: Range<usize>,
    edits: &[Edit],
) -> Option<(Tree<'a>, Vec<Broken>)> {
    let chunks = chunks(text, head.clone())?;
    let (mut entries, mut duplicates, mut broken) = (Vec::new(), Vec::new(), Vec::new());
    for (key, chunk) in chunks {
        let within = edits
            .iter()
            .filter(|edit| chunk.start <= edit.range.start && edit.range.end <= chunk.end);
        let within: Vec<Edit> = within.cloned().collect();
        match parse(text, chunk.clone(), &within) {
            Ok(Tree { root: Some(Node { value: Value::Map(found), .. }), duplicates: twice }) => {
                entries.extend(found);
                duplicates.extend(twice);
            }
            Ok(_) => {
                let kind = FailureKind::Syntax("it is not a key with a value".to_owned());
                broken.push(Broken {
                    key,
                    at: chunk.start,
                    failure: Failure { kind, at: chunk.start },
                });
            }
            Err(failure) => broken.push(Broken { key, at: chunk.start, failure }),
        }
    }
    if entries.is_empty() {
        return None;
    }
    let root = Node { value: Value::Map(entries), span: head, decorated: false };
    Some((Tree { root: Some(root), duplicates }, broken))
}

/// The head, divided at lines that start with a key at the left edge.
fn chunks(text: &str, head: Range<usize>) -> Option<Vec<(String, Range<usize>)>> {
    let mut chunks: Vec<(String, Range<usize>)> = Vec::new();
    for line in lines(text, head) {
        let content = line.of(text);
        match (starts_entry(content), chunks.last_mut()) {
            (Some(key), _) => chunks.push((key.to_owned(), line.start..line.next)),
            (None, Some((_, chunk))) => chunk.end = line.next,
            (None, None) if content.trim_matches(BLANKS).is_empty() || content.starts_with('#') => {
            }
            (None, None) => return None,
        }
    }
    Some(chunks)
}
