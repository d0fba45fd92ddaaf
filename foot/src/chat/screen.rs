//! What is shown, and where: streamed, or above the line that is being typed.

use super::editor::Editor;
use super::markdown::Markdown;
use super::spinner::Spinner;
use crate::output::{Error, Output, cut, one_line, printable};

/// Longest line of the spinner, in characters.
const STATUS_CHARS_MAX: usize = 78;
const CLEAR_LINE: &str = "\r\x1b[K";

/// The screen.
pub(super) struct Screen<'a> {
    out: &'a mut Output,
    /// Colours and a spinner.
    alive: bool,
    markdown: Markdown,
    /// The cursor stands behind text.
    line_open: bool,
    status_shown: bool,
}

impl<'a> Screen<'a> {
    pub(super) fn new(out: &'a mut Output, alive: bool) -> Self {
        let alive = alive && out.is_terminal();
        Self { out, alive, markdown: Markdown::default(), line_open: false, status_shown: false }
    }

    /// A piece of an answer.
    pub(super) fn piece(&mut self, text: &str) -> Result<(), Error> {
        let text = printable(text);
        let text = if self.alive { self.markdown.push(&text) } else { text };
        self.data(&text)
    }

    /// The text is complete.
    pub(super) fn end_text(&mut self) -> Result<(), Error> {
        if self.alive {
            let rest = self.markdown.finish();
            self.data(&rest)?;
        }
        self.fresh_line()
    }

    fn data(&mut self, text: &str) -> Result<(), Error> {
        let visible = text.trim_end_matches("\x1b[0m");
        if !visible.is_empty() {
            self.clear_status();
            self.line_open = !visible.ends_with('\n');
        }
        self.out.text(text)
    }

    fn fresh_line(&mut self) -> Result<(), Error> {
        if std::mem::take(&mut self.line_open) { self.out.text("\n") } else { Ok(()) }
    }

    /// Whole lines of data.
    pub(super) fn lines(&mut self, text: &str) -> Result<(), Error> {
        self.clear_status();
        self.fresh_line()?;
        self.out.text(text)
    }

    /// For people only.
    pub(super) fn note(&mut self, text: &str) -> Result<(), Error> {
        self.clear_status();
        self.fresh_line()?;
        let text = one_line(text);
        self.out.note(&if self.alive { format!("\x1b[2m{text}\x1b[0m") } else { text });
        Ok(())
    }

    /// A note that does not disturb who types.
    pub(super) fn aside(&mut self, editor: &Editor, text: &str) -> Result<(), Error> {
        let above = editor.print_above(one_line(text));
        above.map_or_else(|text| self.note(&text), Ok)
    }

    /// A whole message that does not disturb who types.
    pub(super) fn message_above(&mut self, editor: &Editor, text: &str) -> Result<(), Error> {
        let text = printable(text);
        let mut markdown = Markdown::default();
        let mut coloured = markdown.push(&text);
        coloured.push_str(&markdown.finish());
        match editor.print_above(coloured) {
            Ok(()) => Ok(()),
            Err(_) => {
                self.fresh_line()?;
                self.piece(&text)?;
                self.end_text()
            }
        }
    }

    /// The next picture of the spinner, where no text stands.
    pub(super) fn tick(&mut self, spinner: &Spinner) {
        if self.alive && !self.line_open {
            let line = cut(&spinner.line(), STATUS_CHARS_MAX);
            self.out.status(&format!("{CLEAR_LINE}\x1b[2m{line}\x1b[0m"));
            self.status_shown = true;
        }
    }

    /// Takes the spinner away.
    pub(super) fn clear_status(&mut self) {
        if std::mem::take(&mut self.status_shown) {
            self.out.status(CLEAR_LINE);
        }
    }
}
