//! One answer out of pieces that may be lost, repeated or void, and the message that is right.

use api_types::events::StreamChunk;

/// Puts the pieces of answers together. What its methods return is printed, in that order:
/// nothing twice, and in the end all of the authoritative text.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// What was printed of the present text.
    shown: String,
    /// The present attempt: message and number.
    attempt: Option<(String, u32)>,
    /// Its text so far, from its beginning, without gaps.
    live: String,
    /// A piece is missing: the rest comes with the message.
    broken: bool,
}

/// What the end of a text adds to what was printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Goes on where printing stopped; may be empty.
    Continues(String),
    /// What was printed is void: this is the text.
    Replaces(String),
}

impl Answer {
    /// A piece arrived. Returns what can be printed at once.
    pub(crate) fn chunk(&mut self, chunk: &StreamChunk) -> &str {
        let attempt = (chunk.message_id.as_str(), chunk.attempt);
        if self.attempt.as_ref().map(|(message, number)| (message.as_str(), *number))
            != Some(attempt)
        {
            self.attempt = Some((attempt.0.to_owned(), attempt.1));
            self.live.clear();
            self.broken = false;
        }
        let known = self.live.len() as u64;
        // A piece that was told again in part, cut at a character or not used.
        let new = known.checked_sub(chunk.offset).map(|skip| {
            usize::try_from(skip).map_or("", |skip| chunk.chunk.get(skip..).unwrap_or_default())
        });
        match new {
            Some(new) if !self.broken => self.live.push_str(new),
            _ => self.broken = true,
        }
        self.advance()
    }

    /// A new attempt first repeats in silence what is on the screen.
    fn advance(&mut self) -> &str {
        let from = self.shown.len();
        if self.broken || self.live.len() <= from || !self.live.starts_with(&self.shown) {
            return "";
        }
        self.shown.push_str(&self.live[from..]);
        &self.shown[from..]
    }

    /// What came before is void; a new attempt begins.
    pub(crate) fn restarted(&mut self) {
        self.attempt = None;
        self.live.clear();
        self.broken = false;
    }

    /// The text ended without a message of its own: the model went on with tools.
    pub(crate) fn step_ended(&mut self) -> Rest {
        let live = std::mem::take(&mut self.live);
        let rest = if self.broken || self.shown.starts_with(&live) {
            Rest::Continues(String::new())
        } else {
            self.rest_of(&live)
        };
        *self = Self::default();
        rest
    }

    /// The authoritative text.
    pub(crate) fn appended(&mut self, text: &str) -> Rest {
        let rest = self.rest_of(text);
        *self = Self::default();
        rest
    }

    fn rest_of(&self, text: &str) -> Rest {
        match text.strip_prefix(self.shown.as_str()) {
            Some(rest) => Rest::Continues(rest.to_owned()),
            None => Rest::Replaces(text.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests;
