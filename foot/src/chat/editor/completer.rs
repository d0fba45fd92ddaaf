//! TAB: commands, and names of skills behind `/skill `.

use reedline::{Completer, CompletionResult, Span, Suggestion};

use super::SkillNames;

/// Most suggestions at once.
const SUGGESTIONS_MAX: usize = 200;

pub(super) struct Commands(pub(super) SkillNames);

impl Completer for Commands {
    fn complete(&mut self, line: &str, pos: usize) -> CompletionResult {
        CompletionResult::fresh(suggestions(&self.0.get(), line, pos))
    }
}

fn suggestions(names: &[(String, String)], line: &str, pos: usize) -> Vec<Suggestion> {
    let Some(typed) = line.get(..pos) else { return Vec::new() };
    if !typed.starts_with('/') || typed.contains('\n') {
        return Vec::new();
    }
    let words: Vec<&str> = typed.split(' ').collect();
    let word = words.last().copied().unwrap_or_default();
    let span = Span::new(pos - word.len(), pos);
    let skills = || names.iter().map(|(name, about)| (name.as_str(), about.as_str()));
    let candidates: Vec<(&str, &str)> = match words.as_slice() {
        [_] => vec![("/skill", "activate a skill"), ("/help", "what there is"), ("/quit", "leave")],
        ["/skill", _] => {
            let own = [("list", "what can be seen"), ("clear", "end active skills")];
            own.into_iter().chain(skills()).collect()
        }
        ["/skill", "clear", _] => skills().collect(),
        ["/skill", _, _] => vec![("--once", "for the next turn only")],
        _ => Vec::new(),
    };
    let suggestion = |(value, about): (&str, &str)| Suggestion {
        value: value.to_owned(),
        description: Some(about.to_owned()),
        span,
        append_whitespace: true,
        ..Suggestion::default()
    };
    let fits = candidates.into_iter().filter(|(value, _)| value.starts_with(word));
    fits.take(SUGGESTIONS_MAX).map(suggestion).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expect: &[&str]) {
        let names =
            [("code-review".to_owned(), String::new()), ("commit".to_owned(), String::new())];
        let got = suggestions(&names, line, line.len());
        let values: Vec<_> = got.iter().map(|suggestion| suggestion.value.as_str()).collect();
        assert_eq!(values, expect, "{line:?}");
        let whole =
            |suggestion: &Suggestion| line[suggestion.span.start..suggestion.span.end].len();
        assert!(got.iter().all(|s| s.value.starts_with(&line[line.len() - whole(s)..])));
    }

    #[test]
    fn commands_and_skills_are_completed_where_they_stand() {
        check("/", &["/skill", "/help", "/quit"]);
        check("/sk", &["/skill"]);
        check("/skill ", &["list", "clear", "code-review", "commit"]);
        check("/skill co", &["code-review", "commit"]);
        check("/skill clear cod", &["code-review"]);
        check("/skill commit --", &["--once"]);
        check("hello /sk", &[]);
        check("", &[]);
    }
}
