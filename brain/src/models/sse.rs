//! Event streams (`text/event-stream`, HTML Living Standard §9.2.6), out of pieces that end anywhere.

use std::str;

/// Longest line, in bytes.
pub(crate) const LINE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Most data of one event, in bytes.
pub(crate) const EVENT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    /// Value of its `event` field; empty if it has none.
    pub kind: String,
    /// Its `data` lines, joined by line feeds.
    pub data: String,
}

/// Why a stream can't be read on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Error {
    /// A line does not end.
    #[error("a line of the event stream is longer than {LINE_BYTES_MAX} bytes")]
    LineTooLong,
    /// An event does not end.
    #[error("an event of the stream is longer than {EVENT_BYTES_MAX} bytes")]
    EventTooLong,
    /// Not text.
    #[error("line {line} of the event stream is not UTF-8")]
    NotUtf8 {
        /// Which line, from 1.
        line: usize,
    },
}

/// Takes bytes, gives events.
#[derive(Debug, Default)]
pub(crate) struct Parser {
    /// Start of a line whose end has not come.
    rest: Vec<u8>,
    event: Event,
    has_data: bool,
    lines: usize,
    /// The last byte was a carriage return: a line feed that follows belongs to it.
    after_return: bool,
}

impl Parser {
    /// Reads the next bytes and appends the events that they complete.
    ///
    /// # Errors
    /// The stream breaks a limit or is no text. Events before that place are in `events`.
    pub(crate) fn push(&mut self, bytes: &[u8], events: &mut Vec<Event>) -> Result<(), Error> {
        let mut bytes = bytes;
        if self.after_return && !bytes.is_empty() {
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            self.after_return = false;
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.limit_line(end)?;
            if self.rest.is_empty() {
                self.line(&bytes[..end], events)?;
            } else {
                let mut line = std::mem::take(&mut self.rest);
                line.extend_from_slice(&bytes[..end]);
                self.line(&line, events)?;
            }
            let returned = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            if returned {
                self.after_return = bytes.is_empty();
                bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            }
        }
        self.limit_line(bytes.len())?;
        self.rest.extend_from_slice(bytes);
        Ok(())
    }

    /// The event that the end of the stream completes. The standard drops it; servers that forget the last blank line
    /// mean it.
    ///
    /// # Errors
    /// As [`Parser::push`].
    pub(crate) fn finish(mut self) -> Result<Option<Event>, Error> {
        let mut events = Vec::new();
        let line = std::mem::take(&mut self.rest);
        if !line.is_empty() {
            self.line(&line, &mut events)?;
        }
        self.line(b"", &mut events)?;
        Ok(events.pop())
    }

    fn limit_line(&self, more: usize) -> Result<(), Error> {
        if self.rest.len() + more > LINE_BYTES_MAX { Err(Error::LineTooLong) } else { Ok(()) }
    }

    fn line(&mut self, line: &[u8], events: &mut Vec<Event>) -> Result<(), Error> {
        self.lines += 1;
        let line = match line.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) if self.lines == 1 => rest,
            _ => line,
        };
        if line.is_empty() {
            self.dispatch(events);
            return Ok(());
        }
        let line = str::from_utf8(line).map_err(|_| Error::NotUtf8 { line: self.lines })?;
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => self.data(value)?,
            "event" => value.clone_into(&mut self.event.kind),
            // Comments, `id` and `retry`: nobody reconnects to a model's answer.
            _ => {}
        }
        Ok(())
    }

    fn data(&mut self, value: &str) -> Result<(), Error> {
        if self.event.data.len() + value.len() >= EVENT_BYTES_MAX {
            return Err(Error::EventTooLong);
        }
        if self.has_data {
            self.event.data.push('\n');
        }
        self.event.data.push_str(value);
        self.has_data = true;
        Ok(())
    }

    fn dispatch(&mut self, events: &mut Vec<Event>) {
        let event = std::mem::take(&mut self.event);
        if std::mem::take(&mut self.has_data) {
            events.push(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(pieces: &[&[u8]]) -> Result<Vec<(String, String)>, Error> {
        let mut parser = Parser::default();
        let mut events = Vec::new();
        for piece in pieces {
            parser.push(piece, &mut events)?;
        }
        events.extend(parser.finish()?);
        Ok(events.into_iter().map(|event| (event.kind, event.data)).collect())
    }

    #[track_caller]
    fn check(stream: &str, expect: &[(&str, &str)]) {
        let expect: Vec<_> =
            expect.iter().map(|(k, d)| ((*k).to_owned(), (*d).to_owned())).collect();
        assert_eq!(read(&[stream.as_bytes()]), Ok(expect.clone()), "in one piece");
        let bytes: Vec<_> = stream.as_bytes().chunks(1).collect();
        assert_eq!(read(&bytes), Ok(expect), "byte by byte");
    }

    #[test]
    fn events_come_out_whatever_ends_their_lines() {
        check("data: a\n\ndata: b\n\n", &[("", "a"), ("", "b")]);
        check("event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", &[("x", "a"), ("", "b")]);
        check("event: x\rdata: a\r\rdata: b\r\r", &[("x", "a"), ("", "b")]);
    }

    #[test]
    fn data_lines_are_joined_and_one_blank_is_cut() {
        check("data: a\ndata:b\ndata:  c\ndata\n\n", &[("", "a\nb\n c\n")]);
    }

    #[test]
    fn what_is_no_data_makes_no_event() {
        check(": comment\n\nid: 1\nretry: 5\n\nevent: x\n\n", &[]);
        check("\u{feff}data: a\n\n", &[("", "a")]);
    }

    #[test]
    fn a_missing_last_blank_line_loses_nothing() {
        check("data: a\n\ndata: b", &[("", "a"), ("", "b")]);
        check("data: a\n\ndata: b\n", &[("", "a"), ("", "b")]);
    }

    #[test]
    fn characters_may_be_split() {
        check("data: zw\u{f6}lf \u{1f980}\n\n", &[("", "zw\u{f6}lf \u{1f980}")]);
    }

    #[test]
    fn endless_lines_and_events_and_bytes_that_are_no_text_are_refused() {
        let endless = vec![b'x'; LINE_BYTES_MAX / 2 + 1];
        assert_eq!(read(&[&endless, &endless]), Err(Error::LineTooLong));
        let line = [b"data: ".as_slice(), &vec![b'x'; LINE_BYTES_MAX - 6], b"\n"].concat();
        assert_eq!(read(&[&line, &line, &line]), Err(Error::EventTooLong));
        assert_eq!(read(&[b"data: a\ndata: \xff\n"]), Err(Error::NotUtf8 { line: 2 }));
    }

    proptest! {
        #[test]
        fn where_the_pieces_end_changes_nothing(
            stream in "(data: ?[a-zä🦀:]{0,5}|event: x|:|)(\n|\r|\r\n){1,2}(data:[a-z ]{0,9}(\n|\r\n|\r){1,3}){0,4}",
            size in 1usize..9,
        ) {
            let pieces: Vec<_> = stream.as_bytes().chunks(size).collect();
            prop_assert_eq!(read(&pieces), read(&[stream.as_bytes()]));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            read(&[&bytes]).ok();
        }
    }
}
