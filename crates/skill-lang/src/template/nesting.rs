//! Bounds how deeply a template can nest branches, expressions and values.
//!
//! The engine's compiler recurses over chains that its parser reads without a limit (`a + a + …`, `{% elif %}`), so
//! both are kept short here.
//!
//! The engine walks values recursively when it drops, compares or converts them, so values must stay shallow, whatever
//! the template does. Loops start afresh in each round and cannot deepen a value; what can is each place that wraps
//! one, once per level of macro recursion. So the places are counted, and recursion is allowed in inverse proportion.

use super::lexer::{Kind, Token};
use super::segments::{Segment, Tag};
use super::{Failure, RECURSION_MAX};

/// Deepest value that a template can make. Ordinary threads have stack for more than twice as much, also in debug
/// builds.
const VALUE_DEPTH_MAX: usize = 800;
/// Places that wrap a value in a list or map, per template.
const WRAPS_MAX: usize = 200;
/// What one macro call takes from the engine's recursion limit.
const MACRO_COST: usize = 4;
/// Filters and functions whose result holds its input, by up to two levels.
const WRAPPERS: [&str; 8] =
    ["batch", "zip", "groupby", "items", "dictsort", "chain", "map", "dict"];
const WRAPPER_LEVELS: usize = 2;

/// Open `if`, `for` and other regions at one place, each `elif` counting as one more.
const BRANCH_DEPTH_MAX: usize = 120;

/// Refuses branches that are nested too deeply.
pub(super) fn check_branches(source: &str, segments: &[Segment]) -> Result<(), Failure> {
    let mut open: Vec<usize> = Vec::new();
    let mut depth = 0;
    for segment in segments {
        let Segment::Block(tag) = segment else { continue };
        match tag.tokens.list[0].text(source) {
            word if word.starts_with("end") => depth -= open.pop().unwrap_or(0),
            "elif" | "elseif" => {
                depth += 1;
                open.last_mut().map(|branches| *branches += 1).unwrap_or_else(|| open.push(1));
            }
            word if opens_region(word) => {
                depth += 1;
                open.push(1);
            }
            _ => {}
        }
        if depth > BRANCH_DEPTH_MAX {
            let message = format!(
                "more than {BRANCH_DEPTH_MAX} branches are open here; use a map or fewer conditions"
            );
            return Err(Failure::new(tag.range.start, message));
        }
    }
    Ok(())
}

fn opens_region(word: &str) -> bool {
    matches!(word, "if" | "for" | "macro" | "call" | "filter" | "with" | "block" | "autoescape")
}

/// The recursion limit for a template.
pub(super) fn recursion_limit(source: &str, segments: &[Segment]) -> Result<usize, Failure> {
    let mut wraps = 0;
    for segment in segments {
        let (Segment::Variable(tag) | Segment::Block(tag)) = segment else { continue };
        refuse_recursive_loop(source, tag)?;
        wraps += (0..tag.tokens.list.len())
            .map(|index| levels(source, &tag.tokens.list, index))
            .sum::<usize>();
        if wraps > WRAPS_MAX {
            let message = format!(
                "the template makes more than {WRAPS_MAX} lists and maps; pass them in as variables"
            );
            return Err(Failure::new(tag.range.start, message));
        }
    }
    Ok((VALUE_DEPTH_MAX * MACRO_COST / wraps.max(1)).min(RECURSION_MAX))
}

/// A recursive loop costs less than its values grow.
fn refuse_recursive_loop(source: &str, tag: &Tag) -> Result<(), Failure> {
    let list = &tag.tokens.list;
    let (Some(first), Some(last)) = (list.first(), list.last()) else { return Ok(()) };
    if first.text(source) == "for" && last.text(source) == "recursive" {
        return Err(Failure::new(last.start, "recursive loops are not available; use a macro"));
    }
    Ok(())
}

fn levels(source: &str, tokens: &[Token], index: usize) -> usize {
    let token = tokens[index];
    match token.kind {
        Kind::Open(_) if token.text(source) != "(" => {
            let is_index = index > 0 && tokens[index - 1].ends_value();
            usize::from(!is_index)
        }
        Kind::Name if WRAPPERS.contains(&token.text(source)) => WRAPPER_LEVELS,
        _ => 0,
    }
}
