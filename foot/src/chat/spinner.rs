//! What is shown while the model works: time and tokens.

use std::time::Duration;

use tokio::time::Instant;

/// Time between two pictures.
pub(super) const FRAME_TIME: Duration = Duration::from_millis(100);
const FRAMES: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// Time and tokens of a turn.
#[derive(Clone, Debug)]
pub(super) struct Spinner {
    began: Instant,
    tokens: u64,
    doing: String,
}

impl Spinner {
    /// A turn begins.
    pub(super) fn begin() -> Self {
        Self { began: Instant::now(), tokens: 0, doing: String::new() }
    }

    /// A step has used so many tokens.
    pub(super) fn add_tokens(&mut self, tokens: u64) {
        self.tokens += tokens;
    }

    /// Tokens so far.
    pub(super) fn tokens(&self) -> u64 {
        self.tokens
    }

    /// What is done now; empty for thinking.
    pub(super) fn doing(&mut self, what: &str) {
        what.clone_into(&mut self.doing);
    }

    /// The line.
    pub(super) fn line(&self) -> String {
        let elapsed = self.began.elapsed();
        let frame = usize::try_from(elapsed.as_millis() / FRAME_TIME.as_millis()).unwrap_or(0);
        let picture = FRAMES[frame % FRAMES.len()];
        let mut line = format!("{picture} {}", self.sum());
        if !self.doing.is_empty() {
            line.push_str(" · ");
            line.push_str(&self.doing);
        }
        line
    }

    /// Time and tokens so far.
    pub(super) fn sum(&self) -> String {
        let seconds = self.began.elapsed().as_secs();
        let time = if seconds < 60 {
            format!("{seconds} s")
        } else {
            format!("{} min {:02} s", seconds / 60, seconds % 60)
        };
        match self.tokens {
            0 => time,
            tokens => format!("{time} · {} tokens", grouped(tokens)),
        }
    }
}

/// `1234567` → `1,234,567`
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn time_and_tokens_are_told() {
        let mut spinner = Spinner::begin();
        assert_eq!(spinner.line(), "⠋ 0 s");
        spinner.add_tokens(1_234_567);
        spinner.doing("doc_read");
        tokio::time::advance(Duration::from_millis(61_100)).await;
        assert_eq!(spinner.line(), "⠙ 1 min 01 s · 1,234,567 tokens · doc_read");
        assert_eq!(grouped(999), "999");
    }
}
