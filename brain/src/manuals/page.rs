//! A part of a manual, cut by lines and by size.

use api_types::skills::SkillScope;
use serde::Serialize;

use super::Error;

/// Most bytes of text that one read returns.
pub const PAGE_BYTES_MAX: usize = 32 * 1024;

/// First line, from 1, and most lines; `None`: from the start, to the end.
pub type Range = (Option<u32>, Option<u32>);

/// A part of a manual.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Page {
    /// The manual.
    pub name: String,
    /// Where it lies; for references the skill's folder.
    pub folder: String,
    /// The layer that it was read from.
    pub source: SkillScope,
    /// The text, whole lines as a rule.
    pub content: String,
    /// Characters of `content`.
    pub chars: usize,
    /// Its first line, from 1.
    pub start_line: usize,
    /// Lines of the whole manual.
    pub total_lines: usize,
    /// Ask for this `startLine` to read on; `None` at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_line: Option<usize>,
    /// The last line is longer than a page, and the rest of it is left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub line_cut: bool,
}

/// Cuts the part out; bytes that are not UTF-8 become U+FFFD.
pub(super) fn cut(
    name: &str,
    folder: &str,
    source: SkillScope,
    body: &[u8],
    (start, count): Range,
) -> Result<Page, Error> {
    let text = String::from_utf8_lossy(body);
    let total_lines = text.split_inclusive('\n').count();
    let line = start.unwrap_or(1).max(1);
    let skipped = line as usize - 1;
    if skipped > 0 && skipped >= total_lines {
        return Err(Error::Range { name: name.to_owned(), line, lines: total_lines });
    }
    let count = count.map_or(usize::MAX, |count| count.max(1) as usize);
    let mut content = String::new();
    let mut line_cut = false;
    let mut taken = 0;
    for line in text.split_inclusive('\n').skip(skipped).take(count) {
        if content.len() + line.len() > PAGE_BYTES_MAX {
            if taken == 0 {
                content.push_str(&line[..line.floor_char_boundary(PAGE_BYTES_MAX)]);
                line_cut = true;
                taken = 1;
            }
            break;
        }
        content.push_str(line);
        taken += 1;
    }
    let end = skipped + taken;
    Ok(Page {
        name: name.to_owned(),
        folder: folder.to_owned(),
        source,
        chars: content.chars().count(),
        content,
        start_line: skipped + 1,
        total_lines,
        next_line: (end < total_lines).then_some(end + 1),
        line_cut,
    })
}
