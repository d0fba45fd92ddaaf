//! Messages to a lane. Each is durable before it is acknowledged.

use api_types::frames::{SkillCommand, SteerMode};
use api_types::ids::Seq;
use api_types::skills::SkillRef;
use serde::{Deserialize, Serialize};

use crate::ctx::Actor;
use crate::runtime::Timestamp;

/// Most queued messages of class work of one lane.
pub const INBOX_ROWS_MAX: u64 = 1_000;
/// Most queued messages of class control of one lane: a process whose inbox is full can be stopped.
pub const INBOX_CONTROL_ROWS_MAX: u64 = 100;
/// Largest message, in bytes of its JSON: each fits in an entry of the log.
pub const MESSAGE_BYTES_MAX: usize = 256 * 1024;

/// When a message is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// While a turn runs.
    Control,
    /// Claimed by turns.
    Work,
}

/// What a message says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Body {
    /// A chat message.
    Chat {
        /// The text.
        text: String,
        /// When it is read, if a turn runs.
        mode: SteerMode,
        /// Was sent together with skill changes: pointless unless they succeed.
        #[serde(default)]
        needs_skills: bool,
    },
    /// A change to the active skills.
    Skill {
        /// What to do; never `List`.
        command: SkillCommand,
        /// The skill; `None` for `ClearAll`.
        skill: Option<SkillRef>,
        /// For one turn.
        one_shot: bool,
        /// The rest of the line, untouched.
        args: Option<String>,
    },
    /// Takes back a turn.
    Cancel {
        /// Only this one; `None` = the running one.
        turn: Option<Seq>,
    },
    /// Ends the process.
    Close,
}

impl Body {
    /// Bytes of its text.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Chat { text, .. } => text.len(),
            Self::Skill { args, .. } => args.as_ref().map_or(0, String::len),
            Self::Cancel { .. } | Self::Close => 0,
        }
    }

    /// Its class.
    #[must_use]
    pub fn class(&self) -> Class {
        match self {
            Self::Chat { .. } | Self::Skill { .. } => Class::Work,
            Self::Cancel { .. } | Self::Close => Class::Control,
        }
    }
}

/// A message to be queued.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewMessage {
    /// Unique in the lane: the same key again adds nothing.
    pub key: Option<String>,
    /// On whose behalf.
    pub actor: Actor,
    /// What it says.
    pub body: Body,
    /// When it was sent.
    pub at: Timestamp,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Its turn ended.
    Done,
    /// Its turn was taken back.
    Cancelled,
    /// It was refused, or its turn failed.
    Failed,
    /// Nobody will read it: taken back while queued, or the process is closed.
    Discarded,
}

/// Where a message is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Waits.
    Queued,
    /// A turn has it: the place of the turn's first entry.
    Claimed(Seq),
    /// Done with.
    Settled(Outcome),
}

/// A message in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Its place; numbers may have gaps.
    pub seq: Seq,
    /// Where it is in its life.
    pub state: State,
    /// The message.
    pub message: NewMessage,
}
