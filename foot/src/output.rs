//! The only door to standard output: data goes here, everything else to standard error.

use std::io::{ErrorKind, IsTerminal, Write};

use serde::Serialize;

/// How data is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON value.
    Json,
    /// One JSON value per line, as things happen.
    StreamJson,
    /// SARIF 2.1.0, of `skills validate` only.
    #[value(hide = true)]
    Sarif,
}

/// Standard output can't be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The reader has gone: `foot … | head`.
    #[error("standard output was closed")]
    Closed,
    /// Anything else.
    #[error("standard output can't be written: {0}")]
    Io(std::io::Error),
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == ErrorKind::BrokenPipe { Self::Closed } else { Self::Io(error) }
    }
}

/// Where a command writes.
pub(crate) struct Output {
    /// How data is printed.
    pub(crate) format: Format,
    terminal: bool,
    data: Box<dyn Write + Send>,
    notes: Box<dyn Write + Send>,
}

impl Output {
    /// Standard output and standard error.
    #[must_use]
    pub(crate) fn standard(format: Format) -> Self {
        let stdout = std::io::stdout();
        let terminal = stdout.is_terminal();
        Self { format, terminal, data: Box::new(stdout), notes: Box::new(std::io::stderr()) }
    }

    /// Other places.
    #[cfg(test)]
    pub(crate) fn to(
        format: Format,
        data: Box<dyn Write + Send>,
        notes: Box<dyn Write + Send>,
    ) -> Self {
        Self { format, terminal: false, data, notes }
    }

    /// Whether a person looks at the data.
    #[must_use]
    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Data as it is; shown at once.
    ///
    /// # Errors
    ///
    /// When it can't be written.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.data.write_all(bytes)?;
        Ok(self.data.flush()?)
    }

    /// Text as it is; shown at once.
    ///
    /// # Errors
    ///
    /// When it can't be written.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Error> {
        self.bytes(text.as_bytes())
    }

    /// A line.
    ///
    /// # Errors
    ///
    /// When it can't be written.
    pub(crate) fn line(&mut self, line: &str) -> Result<(), Error> {
        let mut bytes = Vec::with_capacity(line.len() + 1);
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        self.bytes(&bytes)
    }

    /// A value: indented with `json`, on one line with `stream-json`.
    ///
    /// # Errors
    ///
    /// When it can't be written.
    pub(crate) fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let text = match self.format {
            Format::StreamJson => serde_json::to_string(value),
            _ => serde_json::to_string_pretty(value),
        };
        self.line(&text.map_err(|error| Error::Io(error.into()))?)
    }

    /// A line that is drawn again and again, on standard error.
    pub(crate) fn status(&mut self, text: &str) {
        drop(self.notes.write_all(text.as_bytes()).and_then(|()| self.notes.flush()));
    }

    /// For people only, on standard error. What can't be told is not worth failing for.
    pub(crate) fn note(&mut self, line: &str) {
        drop(writeln!(self.notes, "{line}"));
    }
}

/// Left-aligned columns, two blanks between them; the last one is not padded.
#[must_use]
pub(crate) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let cells = |row: &[String]| row.iter().map(|cell| one_line(cell)).collect::<Vec<_>>();
    let header: Vec<String> = header.iter().map(|cell| (*cell).to_owned()).collect();
    let rows: Vec<Vec<String>> =
        std::iter::once(header).chain(rows.iter().map(|row| cells(row))).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let last = row.iter().rposition(|cell| !cell.is_empty()).unwrap_or(0);
        for (column, cell) in row.iter().enumerate().take(last + 1) {
            text.push_str(cell);
            if column < last {
                let pad = widths[column].saturating_sub(cell.chars().count()) + 2;
                text.extend(std::iter::repeat_n(' ', pad));
            }
        }
        text.push('\n');
    }
    text
}

/// White space, control characters included, becomes single blanks.
#[must_use]
pub(crate) fn one_line(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    clean.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// One line of at most so many characters.
#[must_use]
pub(crate) fn cut(text: &str, chars_max: usize) -> String {
    let line = one_line(text);
    if line.chars().count() <= chars_max {
        return line;
    }
    let kept: String = line.chars().take(chars_max.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Text that others wrote, without what commands a terminal or reorders what is read.
#[must_use]
pub(crate) fn printable(text: &str) -> String {
    let harmless = |c: char| match c {
        '\n' | '\t' => c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            '\u{fffd}'
        }
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    text.chars().map(harmless).collect()
}

/// A time in milliseconds since 1970 as `2026-01-31 12:00:00Z`.
#[must_use]
pub(crate) fn time(at_ms: i64) -> String {
    const DAY_SECONDS: i64 = 86_400;
    let seconds = at_ms.div_euclid(1000);
    let (days, second) = (seconds.div_euclid(DAY_SECONDS), seconds.rem_euclid(DAY_SECONDS));
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}Z")
}

/// Day of the proleptic Gregorian calendar; years are counted from March, so that the leap day
/// is the last one.
fn civil(days_since_1970: i64) -> (i64, i64, i64) {
    const ERA_DAYS: i64 = 146_097;
    let days = days_since_1970 + 719_468;
    let (era, day_of_era) = (days.div_euclid(ERA_DAYS), days.rem_euclid(ERA_DAYS));
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_lines_stay_lines() {
        let rows = vec![
            vec!["code-review".to_owned(), "two\nlines".to_owned()],
            vec!["x".to_owned(), String::new()],
        ];
        assert_eq!(
            table(&["NAME", "DESCRIPTION"], &rows),
            "NAME         DESCRIPTION\ncode-review  two lines\nx\n"
        );
    }

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(time(0), "1970-01-01 00:00:00Z");
        assert_eq!(time(951_782_399_999), "2000-02-28 23:59:59Z");
        assert_eq!(time(951_782_400_000), "2000-02-29 00:00:00Z");
        assert_eq!(time(1_798_761_600_000), "2027-01-01 00:00:00Z");
        assert_eq!(time(-1), "1969-12-31 23:59:59Z");
    }
}
