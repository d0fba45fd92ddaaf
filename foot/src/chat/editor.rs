//! Lines from a person, or from a pipe, on a thread of their own.

mod completer;
mod terminal;

use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::UnboundedReceiver;

use api_types::frames::MESSAGE_BYTES_MAX;

/// Longest line of a pipe, in bytes; the brain takes no longer message.
const LINE_BYTES_MAX: u64 = MESSAGE_BYTES_MAX as u64;
/// Texts that wait to be shown above the line that is being typed.
const PRINTER_TEXTS_MAX: usize = 1_024;

/// What was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// A line, or several.
    Line(String),
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D, or the pipe's end.
    End,
    /// The terminal can't be read.
    Broken(String),
}

/// Names of skills, for completion.
#[derive(Clone, Debug, Default)]
pub(super) struct SkillNames(Arc<Mutex<Vec<(String, String)>>>);

impl SkillNames {
    /// Replaces them: names with what they are for.
    pub(super) fn set(&self, names: Vec<(String, String)>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = names;
    }

    fn get(&self) -> Vec<(String, String)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The editor's end on the runtime.
pub(super) struct Editor {
    prompts: Sender<String>,
    typed: UnboundedReceiver<Typed>,
    printer: Option<SyncSender<String>>,
    /// A line is being typed.
    reading: bool,
}

impl Editor {
    /// Starts it.
    pub(super) fn start(history: Option<PathBuf>, names: SkillNames) -> Self {
        let (prompts, asked) = std::sync::mpsc::channel();
        let (answers, typed) = tokio::sync::mpsc::unbounded_channel();
        let tell = move |typed| answers.send(typed).is_ok();
        let printer = if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
            let printer = reedline::ExternalPrinter::new(PRINTER_TEXTS_MAX);
            let sender = printer.sender();
            std::thread::spawn(move || terminal::read(&asked, history, names, printer, tell));
            Some(sender)
        } else {
            std::thread::spawn(move || read_pipe(&asked, std::io::stdin().lock(), tell));
            None
        };
        Self { prompts, typed, printer, reading: false }
    }

    /// Lines that are known before.
    #[cfg(test)]
    pub(super) fn of_lines(lines: &[&str]) -> Self {
        let (answers, typed) = tokio::sync::mpsc::unbounded_channel();
        for line in lines {
            answers.send(Typed::Line((*line).to_owned())).expect("the receiver is here");
        }
        Self { prompts: std::sync::mpsc::channel().0, typed, printer: None, reading: false }
    }

    /// Whether a person types.
    pub(super) fn is_terminal(&self) -> bool {
        self.printer.is_some()
    }

    /// Asks for a line, with this above it. Cancel-safe.
    pub(super) async fn line(&mut self, badge: &str) -> Typed {
        if !self.reading {
            self.reading = self.prompts.send(badge.to_owned()).is_ok();
        }
        let typed = self.typed.recv().await.unwrap_or(Typed::End);
        self.reading = false;
        typed
    }

    /// Shows a text above the line that is being typed; gives it back when none is.
    pub(super) fn print_above(&self, text: String) -> Result<(), String> {
        match &self.printer {
            Some(printer) if self.reading => match printer.try_send(text) {
                Ok(()) => Ok(()),
                Err(TrySendError::Full(text) | TrySendError::Disconnected(text)) => Err(text),
            },
            _ => Err(text),
        }
    }
}

/// Reads a line per request.
fn read_pipe(asked: &Receiver<String>, mut input: impl BufRead, tell: impl Fn(Typed) -> bool) {
    while asked.recv().is_ok() {
        let mut bytes = Vec::new();
        let read = std::io::Read::take(&mut input, LINE_BYTES_MAX).read_until(b'\n', &mut bytes);
        let typed = match read {
            Ok(0) => Typed::End,
            Ok(_) => match String::from_utf8(bytes) {
                Ok(line) => Typed::Line(line.trim_end_matches(['\n', '\r']).to_owned()),
                Err(_) => Typed::Broken("standard input is not UTF-8".to_owned()),
            },
            Err(error) => Typed::Broken(format!("standard input: {error}")),
        };
        if !tell(typed) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_is_read_line_by_line_when_asked() {
        let (prompts, asked) = std::sync::mpsc::channel();
        for _ in 0..3 {
            prompts.send(String::new()).unwrap();
        }
        drop(prompts);
        let heard = Mutex::new(Vec::new());
        read_pipe(&asked, &b"one\r\ntwo"[..], |typed| {
            heard.lock().unwrap().push(typed);
            true
        });
        let expect = [Typed::Line("one".to_owned()), Typed::Line("two".to_owned()), Typed::End];
        assert_eq!(*heard.lock().unwrap(), expect);
    }
}
