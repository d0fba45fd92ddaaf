//! Entries of a lane's log. Recovery folds them into state; it never runs anything again.

use api_types::events::{SkillOutcome, TurnOutcome};
use api_types::ids::{MessageId, Revision, Seq, SkillName};
use api_types::sessions::{ChatRole, CloseReason, ThinkProcessStatus};
use api_types::skills::SkillScope;
use serde::{Deserialize, Serialize};

use super::head::ActiveSkill;
use super::usage::Usage;
use crate::runtime::Timestamp;

/// Largest entry, in bytes of its JSON.
pub const ENTRY_BYTES_MAX: usize = 512 * 1024;

/// A skill's revision, fixed for a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PinnedSkill {
    /// The skill.
    pub name: SkillName,
    /// The layer that won.
    pub scope: SkillScope,
    /// Revision of that layer's project that is read; 0 for bundled ones.
    pub revision: Revision,
}

/// A tool call that the model asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    /// The provider's id of the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments, as the model wrote them.
    pub arguments: String,
}

/// One fact of a lane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Entry {
    /// A turn opened; it pins its inputs.
    TurnOpened {
        /// When.
        at: Timestamp,
        /// Claimed inbox places.
        inputs: Vec<Seq>,
        /// Active skills with their revisions.
        skills: Vec<PinnedSkill>,
        /// The model: `provider/name`.
        model: String,
    },
    /// The open turn claimed messages that arrived meanwhile.
    StepClaimed {
        /// Claimed inbox places.
        inputs: Vec<Seq>,
    },
    /// A chat message.
    Message {
        /// The message.
        id: MessageId,
        /// Who speaks.
        role: ChatRole,
        /// The text.
        content: String,
        /// Who sent it; `None` for the model.
        sender: Option<String>,
        /// When.
        at: Timestamp,
    },
    /// The model answered with tool calls; the turn goes on.
    Model {
        /// What it said before them.
        text: String,
        /// The calls, in order.
        calls: Vec<Call>,
        /// What goes back to the model with their outcomes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        carry: Option<crate::models::Carry>,
        /// Tokens of the step.
        usage: Usage,
        /// When.
        at: Timestamp,
    },
    /// A tool call that may change something begins: after a crash its outcome is unknown.
    Started {
        /// The call.
        call: String,
        /// The tool.
        tool: String,
        /// When.
        at: Timestamp,
    },
    /// A tool call ended.
    Result {
        /// The call.
        call: String,
        /// The tool.
        tool: String,
        /// What the model reads.
        content: String,
        /// The tool failed; the content tells why.
        is_error: bool,
        /// When.
        at: Timestamp,
    },
    /// The turn waits for someone else.
    Awaiting {
        /// See [`super::head::Await`].
        id: String,
        /// See [`super::head::Await`].
        what: String,
        /// See [`super::head::Await`].
        due_at: Timestamp,
    },
    /// The active skills changed, or a change was refused.
    Skill {
        /// The request's inbox place.
        request: Option<Seq>,
        /// The skill; `None` for all.
        skill: Option<SkillName>,
        /// What became of it.
        outcome: SkillOutcome,
        /// In words.
        message: String,
        /// Machine-readable reason of a failure.
        reason: Option<String>,
        /// The list after it.
        active: Vec<ActiveSkill>,
    },
    /// The process's state changed.
    Status {
        /// The new state.
        status: ThinkProcessStatus,
        /// Why it ended.
        close_reason: Option<CloseReason>,
    },
    /// Something that people should know of: a skill left out, a message that could not be read.
    Notice {
        /// In words.
        text: String,
        /// When.
        at: Timestamp,
    },
    /// A turn ended.
    TurnClosed {
        /// Its first entry.
        turn: Seq,
        /// How.
        outcome: TurnOutcome,
        /// What to know or do, unless all is well.
        message: Option<String>,
        /// Inbox places that it settled.
        settled: Vec<Seq>,
        /// Its tokens.
        usage: Usage,
        /// When.
        at: Timestamp,
    },
}

impl Entry {
    /// Whether it is part of the chat, which is what the next turn's prompt is built from.
    #[must_use]
    pub fn is_chat(&self) -> bool {
        matches!(self, Self::Message { .. })
    }

    /// Whether clients are told of it.
    #[must_use]
    pub fn is_client(&self) -> bool {
        !matches!(self, Self::Awaiting { .. } | Self::StepClaimed { .. })
    }
}

/// An entry in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct LogRow {
    /// Its place.
    pub seq: Seq,
    /// The fact.
    pub entry: Entry,
}
