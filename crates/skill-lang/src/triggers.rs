//! Whether a text fires a trigger, and why. Pure; no index, one trigger at a time.
//!
//! KEYWORDS compares words: runs of letters and digits of any script, case folded, of two characters or more. A keyword of
//! several words is found where they stand together. PATTERN searches the text, case ignored.

use regex::RegexBuilder;
use unicase::UniCase;
use unicode_normalization::UnicodeNormalization;

use crate::limits::{PATTERN_BACKTRACKS_MAX, PATTERN_COMPILED_BYTES_MAX};
use crate::skill::{Engine, Match, Trigger};

/// Longest text that is compared, in bytes; the rest is not looked at.
pub const TEXT_BYTES_MAX: usize = 64 * 1024;
/// Fewest characters of a word.
const WORD_CHARS_MIN: usize = 2;

/// A text, made ready for all triggers.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    text: &'a str,
    words: Vec<String>,
}

/// What a trigger found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// It fires.
    pub fires: bool,
    /// What decided.
    pub finding: Finding,
}

/// What decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Keywords, as their author wrote them.
    Keywords {
        /// In the text.
        found: Vec<String>,
        /// Not in the text.
        missed: Vec<String>,
        /// Without a word of two characters: never counted.
        ignored: Vec<String>,
        /// So many have to be found.
        needed: usize,
    },
    /// A pattern.
    Pattern {
        /// The piece of the text that it matched.
        found: Option<String>,
        /// It could not be run to its end.
        problem: Option<String>,
    },
}

impl<'a> Input<'a> {
    /// This text.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
        Self { text, words: words(text) }
    }

    /// What a trigger makes of it.
    #[must_use]
    pub fn explain(&self, trigger: &Trigger) -> Explanation {
        match trigger {
            Trigger::Keywords { keywords, matching, .. } => self.keywords(keywords, *matching),
            Trigger::Pattern { pattern, engine, .. } => self.pattern(pattern, *engine),
        }
    }

    fn keywords(&self, keywords: &[String], matching: Match) -> Explanation {
        let (mut found, mut missed, mut ignored) = (Vec::new(), Vec::new(), Vec::new());
        for keyword in keywords {
            let wanted = words(keyword);
            let list = match wanted.len() {
                0 => &mut ignored,
                length if self.words.windows(length).any(|run| run == wanted) => &mut found,
                _ => &mut missed,
            };
            list.push(keyword.clone());
        }
        let usable = found.len() + missed.len();
        let needed = match matching {
            Match::Any => 1,
            Match::Half => usable.div_ceil(2),
            Match::All => usable,
        };
        let fires = usable > 0 && found.len() >= needed;
        Explanation { fires, finding: Finding::Keywords { found, missed, ignored, needed } }
    }

    fn pattern(&self, pattern: &str, engine: Engine) -> Explanation {
        let result = match engine {
            Engine::Linear => RegexBuilder::new(pattern)
                .case_insensitive(true)
                .size_limit(PATTERN_COMPILED_BYTES_MAX)
                .build()
                .map(|regex| regex.find(self.text).map(|found| found.as_str().to_owned()))
                .map_err(|error| error.to_string()),
            Engine::Backtracking => fancy_regex::RegexBuilder::new(pattern)
                .case_insensitive(true)
                .backtrack_limit(PATTERN_BACKTRACKS_MAX)
                .build()
                .and_then(|regex| Ok(regex.find(self.text)?.map(|found| found.as_str().to_owned())))
                .map_err(|error| error.to_string()),
        };
        let (found, problem) = match result {
            Ok(found) => (found, None),
            Err(problem) => (None, Some(problem)),
        };
        Explanation { fires: found.is_some(), finding: Finding::Pattern { found, problem } }
    }
}

/// The words of a text, case folded.
fn words(text: &str) -> Vec<String> {
    let normal: String = text.nfc().collect();
    let folded = UniCase::unicode(normal).to_folded_case();
    let runs = folded.split(|c: char| !c.is_alphanumeric());
    runs.filter(|run| run.chars().count() >= WORD_CHARS_MIN).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keywords(list: &[&str], matching: Match) -> Trigger {
        let keywords = list.iter().map(|k| (*k).to_owned()).collect();
        Trigger::Keywords { keywords, matching, examples: Vec::new() }
    }

    fn pattern(pattern: &str, engine: Engine) -> Trigger {
        Trigger::Pattern { pattern: pattern.to_owned(), engine, examples: Vec::new() }
    }

    #[track_caller]
    fn check(trigger: &Trigger, text: &str, fires: bool) {
        let explanation = Input::new(text).explain(trigger);
        assert_eq!(explanation.fires, fires, "{text:?}: {explanation:?}");
    }

    #[test]
    fn keywords_are_whole_words_of_any_script() {
        check(&keywords(&["decide"], Match::Half), "the judges were undecided", false);
        check(&keywords(&["decide"], Match::Half), "Decide now!", true);
        check(&keywords(&["PR"], Match::Half), "price of the express train", false);
        check(&keywords(&["pull request"], Match::Half), "please review my Pull-Request", true);
        check(&keywords(&["pull request"], Match::Half), "request a pull", false);
        check(&keywords(&["änderung"], Match::Half), "Die ÄNDERUNG ist da", true);
        check(&keywords(&["straße"], Match::Half), "STRASSE gesperrt", true);
        check(&keywords(&["änderung"], Match::Half), "Änderungswunsch", false);
    }

    #[test]
    fn half_of_the_usable_keywords_suffice() {
        check(&keywords(&["one", "two", "three", "four"], Match::Half), "two four", true);
        check(&keywords(&["one", "two", "three"], Match::Half), "two", false);
        check(&keywords(&["one", "a", "!"], Match::Half), "one", true);
        check(&keywords(&["a", "!"], Match::Any), "a !", false);
        check(&keywords(&["one", "two"], Match::All), "one", false);
        check(&keywords(&["one", "two"], Match::Any), "one", true);
    }

    #[test]
    fn patterns_search_and_ignore_case() {
        check(
            &pattern("schau.*(diff|änderung)", Engine::Linear),
            "Schau dir die ÄNDERUNG an",
            true,
        );
        check(&pattern("(?=.*review)(?=.*diff)", Engine::Backtracking), "review the diff", true);
        check(&pattern("(?=.*review)(?=.*diff)", Engine::Backtracking), "review", false);
    }

    #[test]
    fn a_pattern_that_runs_away_is_stopped_and_reported() {
        let text = "a".repeat(5_000);
        let explanation = Input::new(&text).explain(&pattern(r"(a*)*\1b", Engine::Backtracking));
        let Finding::Pattern { problem, .. } = explanation.finding else { panic!("a pattern") };
        assert!(!explanation.fires && problem.is_some());
    }
}
