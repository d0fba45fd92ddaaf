//! Where the pieces of a run go, in each of the three formats.

use super::watch::RunResult;
use crate::client::Incoming;
use crate::output::{Error, Format, Output};

/// Writes a run.
pub(super) struct Sink<'a> {
    out: &'a mut Output,
    /// Something was printed, and whether it ended with a line end.
    line_open: Option<bool>,
    /// The next text is another one.
    new_text: bool,
}

impl<'a> Sink<'a> {
    pub(super) fn new(out: &'a mut Output) -> Self {
        Self { out, line_open: None, new_text: false }
    }

    pub(super) fn note(&mut self, text: &str) {
        self.out.note(&format!("foot: {text}"));
    }

    /// A frame as it came.
    pub(super) fn frame(&mut self, incoming: &Incoming) -> Result<(), Error> {
        match self.out.format {
            Format::StreamJson => self.out.line(&incoming.raw),
            Format::Text | Format::Json | Format::Sarif => Ok(()),
        }
    }

    /// A piece of the answer.
    pub(super) fn print(&mut self, text: &str) -> Result<(), Error> {
        if self.out.format != Format::Text || text.is_empty() {
            return Ok(());
        }
        if std::mem::take(&mut self.new_text) {
            match self.line_open {
                None => {}
                Some(true) => self.out.text("\n\n")?,
                Some(false) => self.out.text("\n")?,
            }
        }
        self.line_open = Some(!text.ends_with('\n'));
        self.out.text(text)
    }

    /// What comes next is another text.
    pub(super) fn end_text(&mut self) {
        self.new_text = true;
    }

    /// What was printed of this text is void.
    pub(super) fn replace(&mut self, text: &str) -> Result<(), Error> {
        self.end_text();
        if self.out.format == Format::Text {
            self.note("the answer began anew; what stands above of it is void");
        }
        self.print(text)
    }

    pub(super) fn finish(&mut self, result: &RunResult) -> Result<(), Error> {
        if let Some(message) = result.trouble() {
            self.note(&message);
        }
        match self.out.format {
            Format::Text if self.line_open == Some(true) => {
                self.line_open = Some(false);
                self.out.text("\n")
            }
            Format::Text | Format::Sarif => Ok(()),
            Format::Json | Format::StreamJson => {
                let last = serde_json::json!({ "type": "result", "data": result });
                self.out.value(&last)
            }
        }
    }
}
