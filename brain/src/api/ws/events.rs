//! From entries of a log to events: pure, so that a resumed client is told the same again.

use api_types::events::{
    Event, ProcessProgress, ProcessStatusChanged, SkillOperation, StatusTag, TurnClosed, UsageDto,
};
use api_types::ids::{LaneId, ProcessName, Seq};
use api_types::sessions::ChatMessageDto;

use crate::api::dto;
use crate::lanes::entry::{Call, Entry, LogRow};
use crate::runtime::Timestamp;

/// Longest excerpt of a call's arguments or result in a progress text, in characters.
pub(super) const EXCERPT_CHARS_MAX: usize = 200;

/// What events say of the process that they come from.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// The lane.
    pub(super) lane: LaneId,
    /// The process's name.
    pub(super) process: ProcessName,
    /// The open turn, as far as it is known.
    pub(super) turn: Option<Seq>,
}

impl Source {
    /// The events of an entry, in order. Never changes for an entry: cursors count them.
    pub(super) fn events(&self, row: &LogRow) -> Vec<Event> {
        let progress = |tag, text: String, at| Event::ProcessProgress(self.progress(tag, text, at));
        match &row.entry {
            Entry::TurnOpened { at, model, .. } => {
                let mut started = self.progress(StatusTag::EngineTurnStart, model.clone(), *at);
                started.turn_id = Some(row.seq);
                vec![Event::ProcessProgress(started)]
            }
            Entry::Message { id, role, content, sender, at } => {
                vec![Event::ChatMessageAppended(ChatMessageDto {
                    chat_message_id: id.clone(),
                    think_process_id: self.lane.clone(),
                    process_name: self.process.clone(),
                    role: *role,
                    content: content.clone(),
                    created_at: at.0,
                    sender: sender.clone(),
                })]
            }
            Entry::Model { text, calls, usage, at, .. } => {
                let mut events = vec![self.metrics(text, dto::usage(usage), *at)];
                events.extend(calls.iter().map(|call| self.tool_start(call, *at)));
                events
            }
            Entry::Result { tool, content, is_error, at, .. } => {
                vec![self.tool_end(tool, content, *is_error, *at)]
            }
            Entry::Skill { request, skill, outcome, message, reason, active } => {
                vec![Event::SkillOperation(SkillOperation {
                    process_id: self.lane.clone(),
                    process_name: self.process.clone(),
                    queued: *request,
                    skill: skill.clone(),
                    outcome: *outcome,
                    message: message.clone(),
                    reason: reason.clone(),
                    active_skills: dto::active_skills(active),
                })]
            }
            Entry::Status { status, close_reason } => {
                vec![Event::ProcessStatus(ProcessStatusChanged {
                    process_id: self.lane.clone(),
                    process_name: self.process.clone(),
                    status: *status,
                    close_reason: *close_reason,
                })]
            }
            Entry::Notice { text, at } => vec![progress(StatusTag::Info, text.clone(), *at)],
            Entry::TurnClosed { turn, outcome, message, settled, usage, at } => {
                let mut ended = self.progress(
                    StatusTag::EngineTurnEnd,
                    message.clone().unwrap_or_default(),
                    *at,
                );
                ended.turn_id = Some(*turn);
                ended.usage = Some(dto::usage(usage));
                let closed = TurnClosed {
                    process_id: self.lane.clone(),
                    process_name: self.process.clone(),
                    turn_id: *turn,
                    outcome: *outcome,
                    message: message.clone(),
                    settled: settled.clone(),
                    usage: dto::usage(usage),
                };
                vec![Event::ProcessProgress(ended), Event::TurnClosed(closed)]
            }
            // The call's start was told with the model's step; this only says that its effect
            // may have begun, which is for recovery.
            Entry::Started { .. } | Entry::StepClaimed { .. } | Entry::Awaiting { .. } => {
                Vec::new()
            }
        }
    }

    /// Notes what an entry says of turns.
    pub(super) fn observe(&mut self, row: &LogRow) {
        match &row.entry {
            Entry::TurnOpened { .. } => self.turn = Some(row.seq),
            Entry::TurnClosed { .. } => self.turn = None,
            _ => {}
        }
    }

    fn progress(&self, tag: StatusTag, text: String, at: Timestamp) -> ProcessProgress {
        ProcessProgress {
            process_id: self.lane.clone(),
            process_name: self.process.clone(),
            turn_id: self.turn,
            tag,
            text,
            tool: None,
            usage: None,
            emitted_at: at.0,
        }
    }

    fn metrics(&self, text: &str, usage: UsageDto, at: Timestamp) -> Event {
        let mut progress = self.progress(StatusTag::Metrics, excerpt(text), at);
        progress.usage = Some(usage);
        Event::ProcessProgress(progress)
    }

    fn tool_start(&self, call: &Call, at: Timestamp) -> Event {
        let text = format!("{} {}", call.name, excerpt(&call.arguments));
        let mut progress = self.progress(StatusTag::ToolStart, text, at);
        progress.tool = Some(call.name.clone());
        Event::ProcessProgress(progress)
    }

    fn tool_end(&self, tool: &str, content: &str, is_error: bool, at: Timestamp) -> Event {
        let verdict = if is_error { "failed: " } else { "" };
        let text = format!("{verdict}{}", excerpt(content));
        let mut progress = self.progress(StatusTag::ToolEnd, text, at);
        progress.tool = Some(tool.to_owned());
        Event::ProcessProgress(progress)
    }
}

/// A text on one line, cut to [`EXCERPT_CHARS_MAX`] characters.
fn excerpt(text: &str) -> String {
    // Looks at no more of a large result than can be needed, blanks included.
    let head: String = text.chars().take(EXCERPT_CHARS_MAX * 4).collect();
    let line = head.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown: String = line.chars().take(EXCERPT_CHARS_MAX).collect();
    if shown.len() < line.len() || head.len() < text.len() { format!("{shown}…") } else { shown }
}

#[cfg(test)]
mod tests;
