//! Following the streams of a session: places in logs, and the events after them.

use std::sync::Arc;

use api_types::events::Event;
use api_types::frames::{Channel, LiveEnvelope, WebSocketEnvelope};
use api_types::ids::{LaneId, Seq, SessionId};

use super::cursor::{Cursor, Place};
use super::events::Source;
use super::outbound::{Full, Outbound};
use crate::api::error::{ApiError, Result};
use crate::ctx::OpCtx;
use crate::lanes::entry::LogRow;
use crate::lanes::head::LaneView;
use crate::lanes::store::{LogSlice, Read, View};
use crate::port::Page;

/// Rows of one read.
const BATCH_ROWS: u32 = 64;

/// One lane, and how far the client was told of it.
#[derive(Clone, Debug)]
struct Stream {
    source: Source,
    place: Place,
    /// The log's end, as far as it is known.
    tail: Seq,
}

/// The streams of a session.
#[derive(Debug)]
pub(super) struct Follow {
    session: SessionId,
    streams: Vec<Stream>,
}

/// Where a client starts.
#[derive(Debug)]
pub(super) enum Start {
    /// At the present end of everything.
    Ends,
    /// The same, but for this lane, which it knows up to here.
    Now {
        /// The lane.
        chat: LaneId,
        /// Its known end.
        tail: Seq,
    },
    /// After this cursor.
    After(Cursor),
}

impl Follow {
    /// Follows the session's lanes from `start`. `None` when a cursor does not fit them: the client
    /// must read again.
    pub(super) fn from(session: &SessionId, lanes: &[LaneView], start: &Start) -> Option<Self> {
        let streams = lanes.iter().map(|lane| {
            let place = match start {
                Start::Now { chat, tail } if *chat == lane.id => Place { seq: *tail, part: 0 },
                Start::Now { .. } | Start::Ends => Place { seq: lane.tail, part: 0 },
                Start::After(cursor) => place_after(cursor, lane)?,
            };
            Some(stream(lane, place))
        });
        let streams = streams.collect::<Option<Vec<Stream>>>()?;
        if let Start::After(cursor) = start {
            let known = |id: &LaneId| streams.iter().any(|stream| stream.source.lane == *id);
            if cursor.session != *session || !cursor.places.iter().all(|(id, _)| known(id)) {
                return None;
            }
        }
        Some(Self { session: session.clone(), streams })
    }

    /// Where the client is.
    pub(super) fn cursor(&self) -> String {
        let places = self.streams.iter().map(|stream| (&stream.source.lane, stream.place));
        Cursor::encode(&self.session, places)
    }

    /// Forgets that there is something to tell, until the next look: the log can't be read now.
    pub(super) fn rest(&mut self) {
        for stream in &mut self.streams {
            stream.tail = stream.place.seq;
        }
    }

    /// Whether there is something to tell.
    pub(super) fn behind(&self) -> bool {
        self.streams.iter().any(Stream::behind)
    }

    /// Notes that a lane has grown, and tells of its new rows at once if they follow directly.
    /// `false` when the lane is not known yet.
    pub(super) fn advanced(
        &mut self,
        lane: &LaneId,
        tail: Seq,
        rows: &[LogRow],
        out: &mut Outbound,
    ) -> std::result::Result<bool, Halt> {
        let Some(index) = self.streams.iter().position(|s| s.source.lane == *lane) else {
            return Ok(false);
        };
        let stream = &mut self.streams[index];
        stream.tail = stream.tail.max(tail);
        let next = stream.place.seq.next();
        let starts = rows.first().is_some_and(|row| row.seq <= next);
        let dense = rows.windows(2).all(|pair| pair[1].seq == pair[0].seq.next());
        if starts && dense && out.takes_events() {
            self.tell(index, rows, out)?;
        }
        Ok(true)
    }

    /// Reads and tells of the next rows of a stream that is behind.
    pub(super) async fn pull(
        &mut self,
        read: &Arc<dyn Read>,
        ctx: &OpCtx,
        out: &mut Outbound,
    ) -> std::result::Result<(), Halt> {
        let Some(index) = self.streams.iter().position(Stream::behind) else { return Ok(()) };
        let slice = self.slice(index, read, ctx).await?;
        if slice.retained_from > self.streams[index].place.seq.next() {
            return Err(Halt::Gone);
        }
        let before = self.streams[index].place;
        let told_all = self.tell(index, &slice.rows, out)?;
        let stream = &mut self.streams[index];
        if told_all && stream.place.seq < slice.upto {
            stream.place.seq = slice.upto;
        }
        // A read that brings nothing on must not be repeated at once; the next look sees to it.
        let stands = told_all && stream.place == before;
        stream.tail = if stands { stream.place.seq } else { stream.tail.max(slice.tail) };
        Ok(())
    }

    /// Looks for growth that no signal told of: one cheap read for each lane.
    pub(super) async fn look(&mut self, read: &Arc<dyn Read>, ctx: &OpCtx) -> Result<()> {
        for index in 0..self.streams.len() {
            let stream = &self.streams[index];
            let lane = stream.source.lane.clone();
            let wait = read.log(ctx, &lane, stream.tail.max(stream.place.seq), View::Client, 1);
            let slice = ctx.bound(wait).await.map_err(ApiError::from)??;
            let stream = &mut self.streams[index];
            stream.tail = stream.tail.max(slice.tail);
        }
        Ok(())
    }

    /// Finds lanes that were made meanwhile; they are told of from their beginning.
    pub(super) async fn find_new(&mut self, read: &Arc<dyn Read>, ctx: &OpCtx) -> Result<()> {
        let wait = read.list(ctx, &self.session, Page::default());
        let lanes = ctx.bound(wait).await.map_err(ApiError::from)??;
        for lane in lanes.rows {
            match self.streams.iter_mut().find(|stream| stream.source.lane == lane.id) {
                Some(stream) => stream.tail = stream.tail.max(lane.tail),
                None => self.streams.push(stream(&lane, Place::default())),
            }
        }
        Ok(())
    }

    async fn slice(&self, index: usize, read: &Arc<dyn Read>, ctx: &OpCtx) -> Result<LogSlice> {
        let stream = &self.streams[index];
        let after = stream.place.seq;
        let wait = read.log(ctx, &stream.source.lane, after, View::Client, BATCH_ROWS);
        Ok(ctx.bound(wait).await.map_err(ApiError::from)??)
    }

    /// Tells of rows, as far as there is room. `true` when it was enough for all.
    fn tell(
        &mut self,
        index: usize,
        rows: &[LogRow],
        out: &mut Outbound,
    ) -> std::result::Result<bool, Halt> {
        for row in rows {
            if row.seq <= self.streams[index].place.seq {
                continue;
            }
            if !out.takes_events() {
                return Ok(false);
            }
            self.tell_row(index, row, out)?;
        }
        Ok(true)
    }

    fn tell_row(
        &mut self,
        index: usize,
        row: &LogRow,
        out: &mut Outbound,
    ) -> std::result::Result<(), Halt> {
        let events = self.streams[index].source.events(row);
        let (count, told) = (events.len(), usize::from(self.streams[index].place.part));
        for (part, event) in events.into_iter().enumerate().skip(told) {
            let last = part + 1 == count;
            let place = &mut self.streams[index].place;
            match u16::try_from(part + 1) {
                Ok(part) if !last => place.part = part,
                _ => *place = Place { seq: row.seq, part: 0 },
            }
            let cursor = self.cursor();
            out.push(push_text(&self.session, Some(cursor), event)?)?;
        }
        let stream = &mut self.streams[index];
        stream.source.observe(row);
        if stream.place.seq < row.seq {
            // An entry without events keeps the count, which belongs to the next that has any.
            let part = if count == 0 { stream.place.part } else { 0 };
            stream.place = Place { seq: row.seq, part };
        }
        Ok(())
    }
}

impl Stream {
    fn behind(&self) -> bool {
        self.place.seq < self.tail
    }
}

fn stream(lane: &LaneView, place: Place) -> Stream {
    // The turn that is open now is the one of the entries after the place, if it opened before it.
    let turn = lane.head.open_turn.filter(|turn| *turn <= place.seq);
    let source = Source { lane: lane.id.clone(), process: lane.spec.name.clone(), turn };
    Stream { source, place, tail: lane.tail }
}

/// Where a cursor stands in a lane; `None` when the lane has no such place any more, or never had.
fn place_after(cursor: &Cursor, lane: &LaneView) -> Option<Place> {
    // A lane that the cursor does not know was made after it.
    let place = cursor.place(&lane.id).unwrap_or_default();
    let retained = lane.head.retained_from <= place.seq.next();
    (retained && place.seq <= lane.tail).then_some(place)
}

/// Why following ends.
#[derive(Debug)]
pub(super) enum Halt {
    /// The client reads too slowly.
    Full(Full),
    /// What comes next is gone from the log: the client must read again.
    Gone,
    /// The log could not be read now.
    Failed(ApiError),
}

impl From<Full> for Halt {
    fn from(full: Full) -> Self {
        Self::Full(full)
    }
}

impl From<ApiError> for Halt {
    fn from(error: ApiError) -> Self {
        Self::Failed(error)
    }
}

/// A push as text.
pub(super) fn push_text(
    session: &SessionId,
    cursor: Option<String>,
    event: Event,
) -> Result<String> {
    let payload = WebSocketEnvelope { id: None, reply_to: None, cursor, body: event };
    let frame =
        LiveEnvelope { channel: Channel::Session, session_id: Some(session.clone()), payload };
    serde_json::to_string(&frame).map_err(ApiError::internal)
}

#[cfg(test)]
mod tests;
