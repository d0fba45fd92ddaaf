//! What leaves by a socket: bounded in bytes and time, and never in the way of reading.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::ws::{Message, Utf8Bytes, WebSocket};
use futures::{Sink, Stream};
use tokio::time::Instant;

/// Most bytes that wait for one client, beyond one frame.
pub const OUTBOUND_BYTES_MAX: usize = 1024 * 1024;
/// Longest time without progress of a write.
pub const WRITE_TIME_MAX: Duration = Duration::from_secs(15);
/// Overlay chunks are dropped while more than this waits.
const OVERLAY_BYTES_MAX: usize = 64 * 1024;
/// Durable events are pulled only while less than this waits.
const PULL_BYTES_MAX: usize = 128 * 1024;

/// The client reads too slowly: more than [`OUTBOUND_BYTES_MAX`] waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the client reads too slowly: more than {OUTBOUND_BYTES_MAX} bytes wait for it")]
pub(super) struct Full;

/// What happened on a socket.
#[derive(Debug)]
pub(super) enum Io {
    /// A frame came.
    Frame(Message),
    /// All that waited has left.
    Flushed,
    /// The socket can't be read or written any more.
    Failed(axum::Error),
    /// The client is gone.
    Ended,
}

/// Frames on their way out.
#[derive(Debug, Default)]
pub(super) struct Outbound {
    waiting: VecDeque<Message>,
    /// Bytes of frames that have not left: those that wait, and those in the socket's own buffer.
    bytes: usize,
    /// Since when nothing has moved, while something is on its way.
    stuck_since: Option<Instant>,
}

impl Outbound {
    /// Queues a text frame.
    pub(super) fn push(&mut self, text: String) -> Result<(), Full> {
        if self.bytes > OUTBOUND_BYTES_MAX {
            return Err(Full);
        }
        self.bytes += text.len();
        self.stuck_since.get_or_insert_with(Instant::now);
        self.waiting.push_back(Message::Text(Utf8Bytes::from(text)));
        Ok(())
    }

    /// Queues a control frame; they are small and few.
    pub(super) fn push_control(&mut self, message: Message) {
        self.bytes += 8;
        self.stuck_since.get_or_insert_with(Instant::now);
        self.waiting.push_back(message);
    }

    /// Whether all has left.
    pub(super) fn is_empty(&self) -> bool {
        self.stuck_since.is_none()
    }

    /// Whether there is room for durable events.
    pub(super) fn takes_events(&self) -> bool {
        self.bytes < PULL_BYTES_MAX
    }

    /// Whether there is room for what may be lost.
    pub(super) fn takes_overlay(&self) -> bool {
        self.bytes < OVERLAY_BYTES_MAX
    }

    /// When the write that is on its way is given up.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.stuck_since.map(|since| since + WRITE_TIME_MAX)
    }

    /// Writes what waits and reads what comes, whichever is possible. Cancel-safe: all state is here
    /// and in the socket.
    pub(super) fn poll(&mut self, socket: &mut WebSocket, cx: &mut Context<'_>) -> Poll<Io> {
        if !self.is_empty() {
            match self.poll_write(socket, cx) {
                Poll::Ready(Ok(())) => return Poll::Ready(Io::Flushed),
                Poll::Ready(Err(error)) => return Poll::Ready(Io::Failed(error)),
                Poll::Pending => {}
            }
        }
        match Pin::new(socket).poll_next(cx) {
            Poll::Ready(Some(Ok(message))) => Poll::Ready(Io::Frame(message)),
            Poll::Ready(Some(Err(error))) => Poll::Ready(Io::Failed(error)),
            Poll::Ready(None) => Poll::Ready(Io::Ended),
            Poll::Pending => Poll::Pending,
        }
    }

    fn poll_write(
        &mut self,
        socket: &mut WebSocket,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), axum::Error>> {
        while !self.waiting.is_empty() {
            std::task::ready!(Pin::new(&mut *socket).poll_ready(cx))?;
            if let Some(message) = self.waiting.pop_front() {
                Pin::new(&mut *socket).start_send(message)?;
                self.stuck_since = Some(Instant::now());
            }
        }
        std::task::ready!(Pin::new(socket).poll_flush(cx))?;
        *self = Self::default();
        Poll::Ready(Ok(()))
    }

    /// Takes all text frames, as a client would that reads at once.
    #[cfg(test)]
    pub(super) fn drain_texts(&mut self) -> Vec<String> {
        let texts = self.waiting.drain(..).filter_map(|message| match message {
            Message::Text(text) => Some(text.as_str().to_owned()),
            _ => None,
        });
        let texts = texts.collect();
        *self = Self::default();
        texts
    }
}
