//! WebSocket frames: two envelopes, the client's requests and their replies.
//!
//! Outer frame: [`LiveEnvelope`]; it names a channel. On the channel `session` its payload is a
//! [`WebSocketEnvelope`]: a request carries `id`, its reply the same `type` and `replyTo`;
//! a push carries neither. Pushes that are durable carry `cursor`, from which a client resumes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{LaneId, ProcessName, ProjectId, RecipeName, Seq, SessionId, TenantId, UserLogin};
use crate::sessions::{ChatMessageDto, ProcessSummaryDto, SessionSummaryDto, ThinkProcessStatus};
use crate::skills::{ActiveSkillRefDto, SkillRef, SkillSummaryDto};

/// Version of this protocol; a client that does not know it must leave.
pub const PROTOCOL_VERSION: u32 = 1;
/// Largest inbound frame, in bytes.
pub const FRAME_BYTES_MAX: usize = 1024 * 1024;
/// Longest user message, in bytes.
pub const MESSAGE_BYTES_MAX: usize = 256 * 1024;
/// Longest rest of a `/skill` line, in bytes.
pub const SKILL_ARGS_BYTES_MAX: usize = 64 * 1024;
/// Most activations in one bootstrap.
pub const ACTIVATIONS_MAX: usize = 16;
/// Longest idempotency key, in bytes.
pub const IDEMPOTENCY_KEY_BYTES_MAX: usize = 128;

/// Names of the HTTP headers of the upgrade request.
pub mod headers {
    /// Kind of client, see [`crate::ids::Profile`]; default `web`.
    pub const PROFILE: &str = "X-Vance-Profile";
    /// The client's version; required.
    pub const CLIENT_VERSION: &str = "X-Vance-Client-Version";
    /// The client's name.
    pub const CLIENT_NAME: &str = "X-Vance-Client-Name";
}

/// A channel of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// Requests, replies and pushes of the bound session.
    Session,
}

/// The outer frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct LiveEnvelope<P> {
    /// Where the payload belongs.
    pub channel: Channel,
    /// The bound session; clients may omit it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The inner frame.
    pub payload: P,
}

/// The inner frame. `T` is a [`ClientFrame`], a [`ReplyFrame`] or an [`crate::events::Event`];
/// each brings `type` and `data`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct WebSocketEnvelope<T> {
    /// Chosen by the client; the reply repeats it as `replyTo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The request that this answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// Where a client that has seen this push resumes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// `type` and `data`.
    #[serde(flatten)]
    pub body: T,
}

/// What a client may send.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(tag = "type", content = "data", rename_all = "kebab-case")]
pub enum ClientFrame {
    /// Are you there?
    Ping(Ping),
    /// Makes a session and its chat process, and binds it.
    SessionCreate(SessionCreate),
    /// Binds an existing session.
    SessionResume(SessionResume),
    /// Resumes or makes a session, activates skills and sends a first message, in one step.
    SessionBootstrap(SessionBootstrap),
    /// Lets go of the bound session.
    SessionUnbind(Empty),
    /// Lists the caller's sessions.
    SessionList(SessionListRequest),
    /// Lists the processes of the bound session.
    ProcessList(Empty),
    /// Reads chat messages of a process.
    ProcessMessages(ProcessMessages),
    /// Sends a message to a process.
    ProcessSteer(ProcessSteer),
    /// Takes back the running turn.
    ProcessCancel(ProcessCancel),
    /// Activates, clears or lists skills.
    ProcessSkill(ProcessSkillRequest),
    /// Ends the session for good.
    Logout(Empty),
}

/// All types that a client may send, for messages about unknown ones.
pub const CLIENT_FRAME_TYPES: [&str; 12] = [
    "ping",
    "session-create",
    "session-resume",
    "session-bootstrap",
    "session-unbind",
    "session-list",
    "process-list",
    "process-messages",
    "process-steer",
    "process-cancel",
    "process-skill",
    "logout",
];

/// What the service answers; the `type` is the request's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(tag = "type", content = "data", rename_all = "kebab-case")]
pub enum ReplyFrame {
    /// To `ping`.
    Pong(Pong),
    /// To `session-create`.
    SessionCreate(SessionBound),
    /// To `session-resume`.
    SessionResume(SessionBound),
    /// To `session-bootstrap`.
    SessionBootstrap(SessionBound),
    /// To `session-unbind`.
    SessionUnbind(Empty),
    /// To `session-list`.
    SessionList(SessionListReply),
    /// To `process-list`.
    ProcessList(ProcessListReply),
    /// To `process-messages`.
    ProcessMessages(ProcessMessagesReply),
    /// To `process-steer`: the message is durable.
    ProcessSteer(Queued),
    /// To `process-cancel`: the request is durable.
    ProcessCancel(Queued),
    /// To `process-skill`.
    ProcessSkill(ProcessSkillResponse),
    /// To `logout`.
    Logout(Empty),
}

/// No data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
pub struct Empty {}

/// Data of `ping`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Ping {
    /// The client's clock, milliseconds since 1970.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub client_timestamp: i64,
}

/// Data of `pong`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Pong {
    /// As sent.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub client_timestamp: i64,
    /// The service's clock, milliseconds since 1970.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub server_timestamp: i64,
}

/// First push of every connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Welcome {
    /// Who the token speaks for.
    pub user_id: UserLogin,
    /// The tenant.
    pub tenant_id: TenantId,
    /// This connection.
    pub editor_id: String,
    /// The service.
    pub server: ServerInfo,
}

/// The service, as told at the start of a connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ServerInfo {
    /// Its version.
    pub version: String,
    /// See [`PROTOCOL_VERSION`].
    pub protocol_version: u32,
    /// Seconds between the client's pings.
    pub ping_interval: u32,
    /// Optional abilities.
    pub capabilities: Vec<String>,
}

/// Data of `session-create`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SessionCreate {
    /// The project.
    pub project_id: ProjectId,
    /// The chat process's recipe; absent = the configured default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat_recipe: Option<RecipeName>,
}

/// Data of `session-resume`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SessionResume {
    /// The session.
    pub session_id: SessionId,
    /// Take it from another open connection.
    #[serde(default)]
    pub takeover: bool,
    /// Last cursor that the client has seen; absent = from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Data of `session-bootstrap`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SessionBootstrap {
    /// Resume this session; absent = make one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Project of a new session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// Recipe of a new session's chat process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat_recipe: Option<RecipeName>,
    /// Skills to activate, in order, before the message; one claim with it.
    #[serde(default)]
    pub activations: Vec<Activation>,
    /// First message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_message: Option<String>,
    /// Sending the same key again does nothing twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// Take it from another open connection.
    #[serde(default)]
    pub takeover: bool,
    /// As in `session-resume`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// One activation of a bootstrap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Activation {
    /// The skill, `name` or `name@layer`.
    pub skill_name: SkillRef,
    /// For one turn.
    #[serde(default)]
    pub one_shot: bool,
    /// The rest of the line, untouched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<String>,
}

/// A session is bound to this connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SessionBound {
    /// The session.
    pub session_id: SessionId,
    /// Its project.
    pub project_id: ProjectId,
    /// Whether this request made it.
    pub session_created: bool,
    /// Its chat process.
    pub chat_process_id: LaneId,
    /// That process's name.
    pub chat_process_name: ProcessName,
    /// That process's engine.
    pub chat_engine: String,
    /// Skills active on it now.
    pub active_skills: Vec<ActiveSkillRefDto>,
    /// Pushes follow from here.
    pub cursor: String,
    /// The client's cursor was too old: read the messages again.
    pub resync: bool,
    /// What the request queued, in its order: activations, then the message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queued: Vec<Seq>,
}

/// Data of `session-list`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SessionListRequest {
    /// Only sessions of this project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
}

/// Reply to `session-list`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SessionListReply {
    /// Newest activity first.
    pub sessions: Vec<SessionSummaryDto>,
}

/// Reply to `process-list`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ProcessListReply {
    /// The processes of the bound session.
    pub processes: Vec<ProcessSummaryDto>,
}

/// Data of `process-messages`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ProcessMessages {
    /// The process.
    pub process_name: ProcessName,
    /// The newest so many; 1 to 500, default 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Reply to `process-messages`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ProcessMessagesReply {
    /// Oldest first.
    pub messages: Vec<ChatMessageDto>,
    /// There are older ones.
    pub older_truncated: bool,
}

/// When a message that arrives during a turn is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "kebab-case")]
pub enum SteerMode {
    /// At the turn's next step.
    #[default]
    Steer,
    /// After the turn.
    FollowUp,
}

/// Data of `process-steer`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ProcessSteer {
    /// The process.
    pub process_name: ProcessName,
    /// The message.
    pub content: String,
    /// Sending the same key again answers the first receipt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// When it is read, if a turn runs.
    #[serde(default)]
    pub mode: SteerMode,
}

/// Data of `process-cancel`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ProcessCancel {
    /// The process.
    pub process_name: ProcessName,
    /// Only this turn, so that a late request does not hit the next one; absent = the running one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<Seq>,
}

/// A request is durable in the process's inbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Queued {
    /// The process.
    pub think_process_id: LaneId,
    /// Its name.
    pub process_name: ProcessName,
    /// Its state when the request arrived.
    pub status: ThinkProcessStatus,
    /// Place in the inbox; events name it.
    pub queued: Seq,
    /// The key was known: nothing was added.
    pub duplicate: bool,
}

/// What `process-skill` shall do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SkillCommand {
    /// Activate `skillName`.
    Activate,
    /// Deactivate `skillName`.
    Clear,
    /// Deactivate all.
    ClearAll,
    /// Tell what is active and available.
    List,
}

/// Data of `process-skill`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ProcessSkillRequest {
    /// The process.
    pub process_name: ProcessName,
    /// What to do.
    pub command: SkillCommand,
    /// The skill, for `ACTIVATE` and `CLEAR`; `name@layer` activates one layer's copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill_name: Option<String>,
    /// For one turn.
    #[serde(default)]
    pub one_shot: bool,
    /// The rest of the line, untouched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<String>,
    /// Sending the same key again does nothing twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// Reply to `process-skill`. For a change it says only that the request is durable; the outcome
/// comes as the event `skill-operation` with the same `queued`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ProcessSkillResponse {
    /// The process.
    pub process_name: ProcessName,
    /// Place in the inbox, for a change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<Seq>,
    /// Active now; a queued change is not in it yet.
    pub active_skills: Vec<ActiveSkillRefDto>,
    /// Everything that can be seen, for `LIST`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub available_skills: Vec<SkillSummaryDto>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_the_documented_shape() {
        let text = r#"{"channel":"session","payload":{"id":"1","type":"process-steer",
            "data":{"processName":"chat","content":"hi"}}}"#;
        let frame: LiveEnvelope<WebSocketEnvelope<ClientFrame>> =
            serde_json::from_str(text).unwrap();
        let ClientFrame::ProcessSteer(steer) = frame.payload.body else { panic!("wrong frame") };
        assert_eq!((steer.content.as_str(), steer.mode), ("hi", SteerMode::Steer));
    }

    #[test]
    fn the_list_of_types_is_complete() {
        let schema = schemars::schema_for!(ClientFrame).to_value();
        let variants = schema["oneOf"].as_array().expect("one schema for each type");
        let kinds: Vec<&str> =
            variants.iter().filter_map(|v| v["properties"]["type"]["const"].as_str()).collect();
        assert_eq!(kinds, CLIENT_FRAME_TYPES);
    }
}
