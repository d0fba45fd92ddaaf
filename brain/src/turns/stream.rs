//! Turns the deltas of a running model call into overlay events.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use api_types::events::{Event, StreamChunk, TurnRestarted};
use api_types::ids::{LaneId, MessageId, ProcessName, Seq};
use api_types::sessions::ChatRole;
use tokio::time::Instant;

use crate::bus::{Bus, Signal, Topic};
use crate::models::{Delta, Sink};

/// A piece is sent at the latest when it has so many bytes …
const CHUNK_BYTES: usize = 40;
/// … or when the next delta comes this long after the piece before.
const CHUNK_TIME: Duration = Duration::from_millis(50);

/// The stream of one model call.
pub(super) struct Stream<'a> {
    pub(super) bus: &'a dyn Bus,
    pub(super) topic: &'a Topic,
    pub(super) lane: &'a LaneId,
    pub(super) process: &'a ProcessName,
    pub(super) turn: Seq,
    pub(super) message: &'a MessageId,
    pub(super) state: Mutex<State>,
}

/// What was streamed so far.
pub(super) struct State {
    attempt: u32,
    text: Piece,
    thinking: Piece,
}

impl Default for State {
    fn default() -> Self {
        Self { attempt: 1, text: Piece::default(), thinking: Piece::default() }
    }
}

/// Text that waits to be sent.
#[derive(Default)]
struct Piece {
    waiting: String,
    offset: u64,
    sent_at: Option<Instant>,
}

impl Piece {
    /// What shall be sent now, with its offset.
    fn push(&mut self, delta: &str) -> Option<(u64, String)> {
        self.waiting.push_str(delta);
        let fresh = self.sent_at.is_some_and(|at| at.elapsed() < CHUNK_TIME);
        if fresh && self.waiting.len() < CHUNK_BYTES { None } else { self.take() }
    }

    fn take(&mut self) -> Option<(u64, String)> {
        if self.waiting.is_empty() {
            return None;
        }
        let text = std::mem::take(&mut self.waiting);
        let offset = self.offset;
        self.offset += text.len() as u64;
        self.sent_at = Some(Instant::now());
        Some((offset, text))
    }
}

impl Stream<'_> {
    fn publish(&self, event: Event) {
        self.bus.publish(self.topic, Signal::Overlay(Arc::new(event)));
    }

    fn chunk(&self, attempt: u32, (offset, chunk): (u64, String)) -> StreamChunk {
        StreamChunk {
            think_process_id: self.lane.clone(),
            process_name: self.process.clone(),
            role: ChatRole::Assistant,
            chunk,
            turn_id: self.turn,
            attempt,
            message_id: self.message.clone(),
            offset,
        }
    }

    /// Sends what still waits.
    pub(super) fn flush(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let attempt = state.attempt;
        if let Some(piece) = state.thinking.take() {
            self.publish(Event::ChatMessageThinkingChunk(self.chunk(attempt, piece)));
        }
        if let Some(piece) = state.text.take() {
            self.publish(Event::ChatMessageStreamChunk(self.chunk(attempt, piece)));
        }
    }
}

impl Sink for Stream<'_> {
    fn delta(&self, delta: Delta) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match delta {
            Delta::Text(text) => {
                if let Some(piece) = state.text.push(&text) {
                    self.publish(Event::ChatMessageStreamChunk(self.chunk(state.attempt, piece)));
                }
            }
            Delta::Thinking(text) => {
                if let Some(piece) = state.thinking.push(&text) {
                    self.publish(Event::ChatMessageThinkingChunk(self.chunk(state.attempt, piece)));
                }
            }
            Delta::Restarted { attempt, reason } => {
                *state = State { attempt, ..State::default() };
                self.publish(Event::TurnRestarted(TurnRestarted {
                    think_process_id: self.lane.clone(),
                    turn_id: self.turn,
                    attempt,
                    reason,
                }));
            }
            Delta::ToolCall { .. } => {}
        }
    }
}
