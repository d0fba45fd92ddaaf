//! What the service pushes to a bound connection.
//!
//! Durable events are views of a log: they carry a cursor and are repeated after it on resume.
//! Overlay events (`…-chunk`, `turn-restarted`) may be lost; the appended message is authoritative.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::ErrorBody;
use crate::frames::Welcome;
use crate::ids::{LaneId, MessageId, ProcessName, Seq, SkillName};
use crate::sessions::{ChatMessageDto, ChatRole, CloseReason, ThinkProcessStatus};
use crate::skills::ActiveSkillRefDto;

/// A push.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(tag = "type", content = "data", rename_all = "kebab-case")]
pub enum Event {
    /// First push of every connection.
    Welcome(Welcome),
    /// A request failed, or the connection is about to be closed.
    Error(ErrorBody),
    /// Durable: a message stands in the chat.
    ChatMessageAppended(ChatMessageDto),
    /// Overlay: a piece of the answer.
    ChatMessageStreamChunk(StreamChunk),
    /// Overlay: a piece of the model's reasoning.
    ChatMessageThinkingChunk(StreamChunk),
    /// Overlay: chunks of an earlier attempt are void.
    TurnRestarted(TurnRestarted),
    /// Durable: a turn, a step or a tool call began or ended.
    ProcessProgress(ProcessProgress),
    /// Durable: the process's state changed.
    ProcessStatus(ProcessStatusChanged),
    /// Durable: outcome of a change to the active skills.
    SkillOperation(SkillOperation),
    /// Durable: a turn ended.
    TurnClosed(TurnClosed),
    /// The cursor was too old: read the messages again.
    SessionResync(SessionResync),
}

/// A piece of text that streams.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct StreamChunk {
    /// The process.
    pub think_process_id: LaneId,
    /// Its name.
    pub process_name: ProcessName,
    /// Who speaks.
    pub role: ChatRole,
    /// The piece.
    pub chunk: String,
    /// The turn.
    pub turn_id: Seq,
    /// Which try of the model call.
    pub attempt: u32,
    /// The message that it will become.
    pub message_id: MessageId,
    /// Bytes of this message's text before the piece: a gap tells of a lost one.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub offset: u64,
}

/// An attempt is void.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct TurnRestarted {
    /// The process.
    pub think_process_id: LaneId,
    /// The turn.
    pub turn_id: Seq,
    /// The attempt that begins.
    pub attempt: u32,
    /// Why.
    pub reason: String,
}

/// What a progress event tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum StatusTag {
    /// A turn began.
    EngineTurnStart,
    /// A turn ended, well or not.
    EngineTurnEnd,
    /// A tool call began.
    ToolStart,
    /// A tool call ended.
    ToolEnd,
    /// A step ended: usage so far.
    Metrics,
    /// Something that people should know of.
    Info,
}

/// A step of the work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ProcessProgress {
    /// The process.
    pub process_id: LaneId,
    /// Its name.
    pub process_name: ProcessName,
    /// The turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<Seq>,
    /// What happened.
    pub tag: StatusTag,
    /// In words.
    pub text: String,
    /// Name of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Tokens of the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageDto>,
    /// Milliseconds since 1970.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub emitted_at: i64,
}

/// Tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct UsageDto {
    /// Read, not from a cache.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub tokens_in: u64,
    /// Written.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub tokens_out: u64,
    /// Read from the provider's cache.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub cache_read: u64,
    /// Written to the provider's cache.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub cache_write: u64,
    /// Model calls.
    pub llm_calls: u32,
}

/// A process's new state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ProcessStatusChanged {
    /// The process.
    pub process_id: LaneId,
    /// Its name.
    pub process_name: ProcessName,
    /// The new state.
    pub status: ThinkProcessStatus,
    /// Why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub close_reason: Option<CloseReason>,
}

/// What became of a change to the active skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SkillOutcome {
    /// Active now.
    Activated,
    /// Was active, its arguments or its duration changed, or nothing did.
    Updated,
    /// No longer active.
    Cleared,
    /// Was not active.
    Unchanged,
    /// Ended with its turn.
    Ended,
    /// Refused; nothing happened.
    Failed,
}

/// Outcome of a change to the active skills.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SkillOperation {
    /// The process.
    pub process_id: LaneId,
    /// Its name.
    pub process_name: ProcessName,
    /// The request's place in the inbox; absent when the end of a turn ended the skill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<Seq>,
    /// The skill; absent for `CLEAR_ALL`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<SkillName>,
    /// What became of it.
    pub outcome: SkillOutcome,
    /// In words.
    pub message: String,
    /// Machine-readable reason of a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Active now.
    pub active_skills: Vec<ActiveSkillRefDto>,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TurnOutcome {
    /// With an answer.
    Done,
    /// Taken back.
    Cancelled,
    /// The model failed.
    ModelFailed,
    /// The model went on for more steps than the recipe allows.
    LimitReached,
    /// Something else failed.
    Failed,
}

/// A turn ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct TurnClosed {
    /// The process.
    pub process_id: LaneId,
    /// Its name.
    pub process_name: ProcessName,
    /// The turn.
    pub turn_id: Seq,
    /// How.
    pub outcome: TurnOutcome,
    /// What to know or do, unless all is well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Inbox places that this turn settled.
    pub settled: Vec<Seq>,
    /// The turn's tokens.
    pub usage: UsageDto,
}

/// Data of `session-resync`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SessionResync {
    /// Pushes follow from here.
    pub cursor: String,
    /// Why.
    pub reason: String,
}
