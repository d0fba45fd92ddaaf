//! The line editor: history, several lines, completion.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;

use reedline::{
    ColumnarMenu, EditCommand, Emacs, ExternalPrinter, FileBackedHistory, KeyCode, KeyModifiers,
    MenuBuilder, Prompt, PromptEditMode, PromptHistorySearch, PromptHistorySearchStatus, Reedline,
    ReedlineEvent, ReedlineMenu, Signal, ValidationResult, Validator, default_emacs_keybindings,
};

use super::completer::Commands;
use super::{SkillNames, Typed};
use crate::chat::input::joined;

/// Lines that are remembered.
const HISTORY_LINES_MAX: usize = 1_000;
const MENU: &str = "completions";

/// Reads a line per request.
pub(super) fn read(
    asked: &Receiver<String>,
    history: Option<PathBuf>,
    names: SkillNames,
    printer: ExternalPrinter<String>,
    tell: impl Fn(Typed) -> bool,
) {
    let mut editor = editor(history, names).with_external_printer(printer);
    while let Ok(badge) = asked.recv() {
        let typed = match editor.read_line(&Badge(badge)) {
            Ok(Signal::Success(text)) => Typed::Line(joined(&text)),
            Ok(Signal::CtrlC) => Typed::Interrupt,
            Ok(Signal::CtrlD) => Typed::End,
            Ok(_) => Typed::Line(String::new()),
            Err(error) => Typed::Broken(format!("terminal: {error}")),
        };
        if !tell(typed) {
            return;
        }
    }
}

fn editor(history: Option<PathBuf>, names: SkillNames) -> Reedline {
    let mut keys = default_emacs_keybindings();
    let complete = vec![ReedlineEvent::Menu(MENU.to_owned()), ReedlineEvent::MenuNext];
    keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, ReedlineEvent::UntilFound(complete));
    let new_line = ReedlineEvent::Edit(vec![EditCommand::InsertNewline]);
    keys.add_binding(KeyModifiers::ALT, KeyCode::Enter, new_line);
    let menu = ReedlineMenu::EngineCompleter(Box::new(ColumnarMenu::default().with_name(MENU)));
    let editor = Reedline::create()
        .with_edit_mode(Box::new(Emacs::new(keys)))
        .with_completer(Box::new(Commands(names)))
        .with_partial_completions(true)
        .with_quick_completions(true)
        .with_menu(menu)
        .with_validator(Box::new(Continued))
        .use_bracketed_paste(true);
    // A history that can't be kept is no reason not to talk.
    let kept = history.and_then(|file| {
        make_private(&file);
        FileBackedHistory::with_file(HISTORY_LINES_MAX, file).ok()
    });
    match kept {
        Some(history) => editor.with_history(Box::new(history)),
        None => editor,
    }
}

/// What people say to a model is nobody else's to read. A file that is there keeps its mode.
fn make_private(file: &Path) {
    if let Some(folder) = file.parent() {
        drop(std::fs::create_dir_all(folder));
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    drop(options.open(file));
}

/// `\` at the end of a line goes on with another one.
struct Continued;

impl Validator for Continued {
    fn validate(&self, line: &str) -> ValidationResult {
        if line.ends_with('\\') { ValidationResult::Incomplete } else { ValidationResult::Complete }
    }
}

/// A line with the active skills, where there are any, above the prompt.
struct Badge(String);

impl Prompt for Badge {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        if self.0.is_empty() { Cow::Borrowed("") } else { Cow::Owned(format!("{}\n", self.0)) }
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _mode: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed("› ")
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed("… ")
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        let found = match search.status {
            PromptHistorySearchStatus::Passing => "",
            PromptHistorySearchStatus::Failing => "nothing for ",
        };
        Cow::Owned(format!("({found}{}) ", search.term))
    }
}
