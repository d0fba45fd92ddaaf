//! `doc_find` and `doc_grep`.

use std::sync::Arc;

use api_types::ids::DocumentPath;
use async_trait::async_trait;
use regex::RegexBuilder;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::failed;
use crate::documents::Documents;
use crate::models::ToolSpec;
use crate::port::Page;
use crate::tools::{Caller, Effect, Tool, ToolError, parse, spec};

/// Most documents that one search opens.
const DOCUMENTS_MAX: usize = 2_000;
/// Largest document that is searched, in bytes.
const SEARCHED_BYTES_MAX: u64 = 1024 * 1024;
/// Most hits of one search.
const HITS_MAX: usize = 100;
/// Longest line that is shown, in characters.
const LINE_CHARS_MAX: usize = 300;
/// Memory of a compiled pattern, in bytes.
const PATTERN_MEMORY_BYTES_MAX: usize = 1024 * 1024;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FindArgs {
    /// Words that must all occur in the path or the text; case does not matter.
    query: String,
    /// Only documents below this folder.
    #[serde(default)]
    path_prefix: Option<String>,
    /// At most so many documents; 100 at most.
    #[serde(default)]
    limit: Option<usize>,
}

pub(super) struct Find(pub(super) Arc<Documents>);

#[async_trait]
impl Tool for Find {
    fn spec(&self) -> ToolSpec {
        spec::<FindArgs>(
            "doc_find",
            "Documents whose path or text has all words of a query, the most hits first.",
        )
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    async fn call(&self, caller: &Caller, args: Value) -> Result<Value, ToolError> {
        let args: FindArgs = parse("doc_find", args)?;
        let words: Vec<String> = args.query.split_whitespace().map(str::to_lowercase).collect();
        if words.is_empty() {
            return Err(
                ToolError::new("the query of doc_find is empty").hint("name at least one word")
            );
        }
        let mut hits = Vec::new();
        let searched = search(&self.0, caller, args.path_prefix.as_deref(), |path, text| {
            let haystack = format!("{}\n{}", path.as_str().to_lowercase(), text.to_lowercase());
            let counts: Vec<usize> =
                words.iter().map(|word| haystack.matches(word.as_str()).count()).collect();
            if counts.iter().all(|count| *count > 0) {
                hits.push((counts.iter().sum::<usize>(), path.clone()));
            }
            true
        });
        let incomplete = searched.await?;
        hits.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let found = hits.len();
        let limit = args.limit.unwrap_or(20).min(HITS_MAX);
        let shown: Vec<Value> =
            hits.iter().take(limit).map(|(n, path)| json!({ "path": path, "hits": n })).collect();
        Ok(json!({ "found": found, "documents": shown, "incomplete": incomplete }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GrepArgs {
    /// A regular expression, matched line by line.
    pattern: String,
    /// Case does not matter.
    #[serde(default)]
    case_insensitive: bool,
    /// Only documents below this folder.
    #[serde(default)]
    path_prefix: Option<String>,
    /// At most so many lines; 100 at most.
    #[serde(default)]
    limit: Option<usize>,
}

pub(super) struct Grep(pub(super) Arc<Documents>);

#[async_trait]
impl Tool for Grep {
    fn spec(&self) -> ToolSpec {
        spec::<GrepArgs>("doc_grep", "Lines of documents that match a regular expression.")
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    async fn call(&self, caller: &Caller, args: Value) -> Result<Value, ToolError> {
        let args: GrepArgs = parse("doc_grep", args)?;
        let pattern = RegexBuilder::new(&args.pattern)
            .case_insensitive(args.case_insensitive)
            .size_limit(PATTERN_MEMORY_BYTES_MAX)
            .build()
            .map_err(|e| ToolError::new(format!("the pattern of doc_grep is wrong: {e}")))?;
        let limit = args.limit.unwrap_or(HITS_MAX).min(HITS_MAX);
        let mut lines = Vec::new();
        let searched = search(&self.0, caller, args.path_prefix.as_deref(), |path, text| {
            for (number, line) in
                text.lines().enumerate().filter(|(_, line)| pattern.is_match(line))
            {
                if lines.len() == limit {
                    return false;
                }
                let line: String = line.chars().take(LINE_CHARS_MAX).collect();
                lines.push(json!({ "path": path, "line": number + 1, "text": line }));
            }
            true
        });
        let incomplete = searched.await?;
        Ok(json!({ "count": lines.len(), "lines": lines, "incomplete": incomplete }))
    }
}

/// Shows each text document of the project to `look`, until that answers `false`.
/// Tells whether something was left out.
async fn search(
    documents: &Documents,
    caller: &Caller,
    under: Option<&str>,
    mut look: impl FnMut(&DocumentPath, &str) -> bool + Send,
) -> Result<bool, ToolError> {
    let under = under.unwrap_or_default().trim_matches('/');
    let (mut opened, mut left_out) = (0, false);
    let mut page = Page::first(200);
    loop {
        let (slice, _) =
            documents.list(&caller.op, &caller.project, under, page).await.map_err(failed)?;
        for row in slice.rows {
            if row.path.is_below(crate::documents::TRASH) {
                continue;
            }
            if row.size > SEARCHED_BYTES_MAX || opened == DOCUMENTS_MAX {
                left_out = true;
                continue;
            }
            opened += 1;
            let document =
                documents.get(&caller.op, &caller.project, &row.path).await.map_err(failed)?;
            if let Ok(text) = std::str::from_utf8(&document.body)
                && !look(&row.path, text)
            {
                return Ok(true);
            }
        }
        match slice.next {
            Some(next) if opened < DOCUMENTS_MAX => page = Page { after: Some(next), limit: 200 },
            next => return Ok(left_out || next.is_some()),
        }
    }
}
