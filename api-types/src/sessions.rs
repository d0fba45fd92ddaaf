//! Sessions, processes and messages as clients see them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{LaneId, MessageId, ProcessName, Profile, ProjectId, RecipeName, SessionId};
use crate::skills::ActiveSkillRefDto;

/// State of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SessionStatus {
    /// Being created.
    Init,
    /// A process runs a turn.
    Running,
    /// Waits for input.
    Idle,
    /// Put aside; resuming wakes it.
    Suspended,
    /// Put away; needs to be reactivated.
    Archived,
    /// Ended for good.
    Closed,
}

/// State of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ThinkProcessStatus {
    /// Before its first input.
    Init,
    /// A turn runs.
    Running,
    /// Between turns.
    Idle,
    /// Waits for the user.
    Blocked,
    /// Paused by the user.
    Paused,
    /// Put aside by the system.
    Suspended,
    /// Ended for good.
    Closed,
}

/// Why a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CloseReason {
    /// Its work is done.
    Done,
    /// It gave up.
    Incomplete,
    /// Someone stopped it.
    Stopped,
    /// Nobody came back.
    Stale,
    /// Its session was archived.
    Archived,
    /// Its user deleted it.
    UserDelete,
    /// It could not begin.
    Abandoned,
    /// Closed with its session.
    AutoClose,
}

/// Who speaks in a chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ChatRole {
    /// A person, or what speaks for one.
    User,
    /// The model.
    Assistant,
    /// The system.
    System,
}

/// One session of a listing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SessionSummaryDto {
    /// The session.
    pub session_id: SessionId,
    /// Its project.
    pub project_id: ProjectId,
    /// Its state. `RUNNING` is told of a single session only, not in listings.
    pub status: SessionStatus,
    /// The client kind that created it.
    pub profile: Profile,
    /// First user message, cut to 250 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Milliseconds since 1970.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub created_at: i64,
    /// Milliseconds since 1970.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub last_activity_at: i64,
}

/// Sessions of the caller, newest activity first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SessionListResponse {
    /// The sessions.
    pub sessions: Vec<SessionSummaryDto>,
}

/// One process of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ProcessSummaryDto {
    /// The process.
    pub process_id: LaneId,
    /// Its name in the session.
    pub name: ProcessName,
    /// What it was made from.
    pub recipe: RecipeName,
    /// The engine that runs it.
    pub engine: String,
    /// Its state.
    pub status: ThinkProcessStatus,
    /// Why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub close_reason: Option<CloseReason>,
    /// Its active skills, in order.
    pub active_skills: Vec<ActiveSkillRefDto>,
}

/// A session in full.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SessionDto {
    /// The listing's entry.
    #[serde(flatten)]
    pub summary: SessionSummaryDto,
    /// Its processes.
    pub processes: Vec<ProcessSummaryDto>,
}

/// One chat message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ChatMessageDto {
    /// The message.
    pub chat_message_id: MessageId,
    /// The process that it belongs to.
    pub think_process_id: LaneId,
    /// That process's name.
    pub process_name: ProcessName,
    /// Who speaks.
    pub role: ChatRole,
    /// The text.
    pub content: String,
    /// Milliseconds since 1970.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub created_at: i64,
    /// Login of the person, `_skill`, or another sender; absent for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender: Option<String>,
}

/// Messages of a session, oldest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct MessageListResponse {
    /// The messages.
    pub messages: Vec<ChatMessageDto>,
    /// Send it back as `cursor` for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
