//! The chat as the model reads it: a growing list of messages, each serialised once.

use std::sync::Arc;

use api_types::sessions::ChatRole;

use crate::lanes::entry::Entry;
use crate::models::{Message, Segment};

/// The messages of a process, oldest first, within limits.
#[derive(Debug, Default)]
pub struct Chat {
    segments: Vec<Arc<Segment>>,
    sizes: Vec<usize>,
    bytes: usize,
    forgotten: usize,
}

impl Chat {
    /// Most messages that are sent to the model; when there are more, the older half is left out.
    pub const MESSAGES_MAX: usize = 8_000;
    /// Most bytes of text that are sent to the model; when there are more, the older half is left out.
    pub const BYTES_MAX: usize = 2 * 1024 * 1024;

    /// Takes in a chat message; other entries are ignored.
    pub fn push(&mut self, entry: &Entry) {
        let Entry::Message { role, content, .. } = entry else { return };
        match role {
            ChatRole::Assistant if content.is_empty() => {}
            ChatRole::Assistant => self.add(
                Message::Assistant { text: content.clone(), calls: Vec::new(), carry: None },
                content.len(),
            ),
            ChatRole::User | ChatRole::System => self.push_user(content),
        }
    }

    /// Takes in a message of the user.
    pub fn push_user(&mut self, text: &str) {
        self.add(Message::User { text: text.to_owned() }, text.len());
    }

    fn add(&mut self, message: Message, size: usize) {
        self.segments.push(Arc::new(Segment::new(message)));
        self.sizes.push(size);
        self.bytes += size;
        if self.segments.len() > Self::MESSAGES_MAX
            || (self.bytes > Self::BYTES_MAX && self.segments.len() > 1)
        {
            self.forget_older_half();
        }
    }

    /// Half at once, not one by one: the prefix that a provider caches changes rarely.
    fn forget_older_half(&mut self) {
        let mut kept = 0;
        let half = self.bytes / 2;
        let by_bytes = self.sizes.iter().rev().take_while(|size| {
            kept += **size;
            kept <= half
        });
        let keep = by_bytes.count().clamp(1, Self::MESSAGES_MAX / 2);
        let cut = self.segments.len() - keep;
        self.segments.drain(..cut);
        self.bytes -= self.sizes.drain(..cut).sum::<usize>();
        self.forgotten += cut;
    }

    /// The messages.
    #[must_use]
    pub fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }

    /// How many older messages are left out.
    #[must_use]
    pub fn forgotten(&self) -> usize {
        self.forgotten
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_chat_forgets_its_older_half_at_once() {
        let mut chat = Chat::default();
        for _ in 0..=Chat::MESSAGES_MAX {
            chat.push_user("x");
        }
        assert_eq!(chat.segments().len(), Chat::MESSAGES_MAX / 2);
        assert_eq!(chat.forgotten(), Chat::MESSAGES_MAX / 2 + 1);
    }

    #[test]
    fn one_message_above_the_limit_is_kept() {
        let mut chat = Chat::default();
        chat.push_user("old");
        chat.push_user(&"x".repeat(Chat::BYTES_MAX + 1));
        assert_eq!(chat.segments().len(), 1);
    }
}
