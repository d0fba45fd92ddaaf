//! Lines that people type. Pure.

use skill_lang::invocation::{self, Invocation};

/// All commands, with what they do.
pub(super) const COMMANDS: [(&str, &str, &str); 5] = [
    (
        "/skill",
        "NAME [--once] [ARGUMENTS]",
        "activate a skill; what stands behind its name is passed on untouched",
    ),
    ("/skill list", "", "the skills that can be seen, and which are active"),
    ("/skill clear", "[NAME]", "end one active skill, or all"),
    ("/help", "", "this list"),
    ("/quit", "", "leave; the session stays"),
];

/// What a line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Input<'a> {
    /// Nothing.
    Empty,
    /// Say it.
    Message(&'a str),
    /// `/skill NAME …`
    Skill(Invocation<'a>),
    /// `/skill list`
    SkillList,
    /// `/skill clear [NAME]`
    SkillClear(Option<&'a str>),
    /// `/help`
    Help,
    /// `/quit`
    Quit,
    /// A command that there is not, and what to say of it.
    Wrong(String),
}

/// Reads a line. A command is a `/` and a word; `//` and all else is for the brain.
pub(super) fn read(line: &str) -> Input<'_> {
    let trimmed = line.trim();
    if trimmed.is_empty() {
        return Input::Empty;
    }
    let is_command = trimmed.starts_with('/') && !trimmed.starts_with("//");
    let word = trimmed.split(char::is_whitespace).next().unwrap_or_default();
    // A path of files is no command.
    if !is_command || word[1..].contains('/') {
        return Input::Message(line);
    }
    match word {
        "/skill" => skill(line.trim_start()),
        "/help" => Input::Help,
        "/quit" | "/exit" => Input::Quit,
        other => Input::Wrong(unknown(other)),
    }
}

fn skill(line: &str) -> Input<'_> {
    let rest = line.strip_prefix("/skill").unwrap_or_default();
    match invocation::parse(rest) {
        Err(error) => Input::Wrong(format!("/skill: {error}")),
        Ok(Invocation { name: "list", .. }) => Input::SkillList,
        Ok(Invocation { name: "clear", rest, .. }) => {
            let name = rest.trim();
            Input::SkillClear((!name.is_empty()).then_some(name))
        }
        Ok(invocation) => Input::Skill(invocation),
    }
}

fn unknown(word: &str) -> String {
    let names = ["/skill", "/help", "/quit", "/exit"];
    let nearest = names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(word, name), name))
        .min()
        .filter(|(distance, _)| *distance <= 3);
    match nearest {
        Some((_, name)) => format!("no command {word}; did you mean {name}?"),
        None => format!("no command {word}; /help shows what there is"),
    }
}

/// The text of `/help`.
pub(super) fn help() -> String {
    let mut text = String::new();
    for (name, arguments, about) in COMMANDS {
        let usage = format!("{name} {arguments}");
        text.push_str(&format!("{usage:<34}{about}\n"));
    }
    text.push_str(
        "Alt-Enter, or `\\` at the end of a line, begins another line. Ctrl-C cancels a turn; a second one leaves.\n",
    );
    text
}

/// A line end behind a `\` was typed to go on.
pub(super) fn joined(text: &str) -> String {
    text.replace("\\\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expect: Input<'_>) {
        assert_eq!(read(line), expect, "{line:?}");
    }

    fn skill<'a>(name: &'a str, once: bool, rest: &'a str) -> Input<'a> {
        Input::Skill(Invocation { name, once, rest })
    }

    #[test]
    fn commands_and_messages_are_told_apart() {
        check("", Input::Empty);
        check(" \n", Input::Empty);
        check("hello /skill x", Input::Message("hello /skill x"));
        check("//guard on", Input::Message("//guard on"));
        check("/etc/passwd is what?", Input::Message("/etc/passwd is what?"));
        check("/help", Input::Help);
        check(" /quit ", Input::Quit);
        check("/exit", Input::Quit);
        check("/skil x", Input::Wrong("no command /skil; did you mean /skill?".to_owned()));
        check(
            "/frobnicate",
            Input::Wrong("no command /frobnicate; /help shows what there is".to_owned()),
        );
    }

    #[test]
    fn the_rest_of_a_skill_line_is_untouched() {
        check("/skill review", skill("review", false, ""));
        check("/skill review --once  a  b ", skill("review", true, " a  b "));
        check("/skill fix\n\t  code\n", skill("fix", false, "\t  code\n"));
        check("/skill a@tenant x", skill("a@tenant", false, "x"));
        check("/skill list", Input::SkillList);
        check("/skill clear", Input::SkillClear(None));
        check("/skill clear review ", Input::SkillClear(Some("review")));
        assert!(matches!(read("/skill"), Input::Wrong(text) if text.contains("name a skill")));
    }

    #[test]
    fn a_backslash_joins_lines() {
        assert_eq!(joined("a\\\nb\nc"), "a\nb\nc");
    }
}
