//! What any node reads.

use api_types::ids::{LaneId, Seq, SessionId};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, params};

use super::prepared::{CHAT, CLIENT};
use super::rows::{Key, class_code, parse, parse_log, parse_messages, sql_seq};
use crate::ctx::OpCtx;
use crate::lanes::entry::LogRow;
use crate::lanes::head::LaneView;
use crate::lanes::inbox::{Class, Message, State};
use crate::lanes::store::{LogSlice, Read, View};
use crate::port::{Error, Page, Result, Slice};
use crate::store::embedded::Embedded;

/// A lane's texts.
pub(super) struct RawView {
    lane: String,
    born: i64,
    tail: u64,
    head: String,
    spec: String,
}

impl RawView {
    fn from_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            lane: row.get(0)?,
            born: row.get(1)?,
            tail: row.get(2)?,
            head: row.get(3)?,
            spec: row.get(4)?,
        })
    }

    pub(super) fn parse(self) -> Result<LaneView> {
        Ok(LaneView {
            id: self
                .lane
                .parse()
                .map_err(|e: api_types::ids::InvalidId| Error::Internal(e.into()))?,
            spec: parse(&self.spec)?,
            head: parse(&self.head)?,
            tail: Seq(self.tail),
        })
    }
}

#[async_trait]
impl Read for Embedded {
    async fn lane(&self, ctx: &OpCtx, lane: &LaneId) -> Result<LaneView> {
        let key = Key::new(&ctx.tenant, lane);
        self.read(ctx.deadline, move |c| view(c, &key)).await?.parse()
    }

    async fn list(&self, ctx: &OpCtx, session: &SessionId, page: Page) -> Result<Slice<LaneView>> {
        let after = page.after.as_deref().map_or(Ok(0), |text| text.parse::<i64>());
        let after = after.map_err(|_| Error::NotFound { what: "the page".into() })?;
        let (tenant, session, limit) = (ctx.tenant.clone(), session.clone(), page.rows());
        let job = move |c: &Connection| {
            // One more than wanted tells whether there is a next page.
            let row = params![tenant.as_str(), session.as_str(), after, limit + 1];
            let mut list = c.prepare_cached(
                "SELECT l.lane, l.born, l.tail, l.head, s.spec
                 FROM lanes l JOIN lane_specs s ON s.tenant = l.tenant AND s.lane = l.lane
                 WHERE l.tenant = ?1 AND l.session = ?2 AND l.born > ?3 ORDER BY l.born LIMIT ?4",
            )?;
            let rows = list.query_map(row, RawView::from_row)?;
            Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?)
        };
        let mut rows = self.read(ctx.deadline, job).await?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let next = rows.last().filter(|_| more).map(|row| row.born.to_string());
        let rows = rows.into_iter().map(RawView::parse).collect::<Result<_>>()?;
        Ok(Slice { rows, next })
    }

    async fn log(
        &self,
        ctx: &OpCtx,
        lane: &LaneId,
        after: Seq,
        view: View,
        limit: u32,
    ) -> Result<LogSlice> {
        let key = Key::new(&ctx.tenant, lane);
        let job = move |c: &Connection| {
            let (tail, retained_from) = bounds(c, &key)?;
            Ok((log(c, &key, after, view, retained_from, limit)?, tail, retained_from))
        };
        let (rows, tail, retained_from) = self.read(ctx.deadline, job).await?;
        let rows = parse_log(rows)?;
        let full = rows.len() >= limit as usize;
        let looked_at = rows.last().filter(|_| full).map_or(tail, |row| row.seq);
        Ok(LogSlice { rows, upto: looked_at.max(after), tail, retained_from })
    }

    async fn chat_before(
        &self,
        ctx: &OpCtx,
        lane: &LaneId,
        before: Seq,
        limit: u32,
    ) -> Result<Vec<LogRow>> {
        let key = Key::new(&ctx.tenant, lane);
        let job = move |c: &Connection| {
            bounds(c, &key)?;
            chat_before(c, &key, before, limit)
        };
        let mut rows = self.read(ctx.deadline, job).await?;
        rows.reverse();
        parse_log(rows)
    }

    async fn queued(
        &self,
        ctx: &OpCtx,
        lane: &LaneId,
        class: Class,
        limit: u32,
    ) -> Result<Vec<Message>> {
        let key = Key::new(&ctx.tenant, lane);
        let job = move |c: &Connection| {
            let oldest = oldest(c, &key)?;
            let mut find = c.prepare_cached(
                "SELECT seq, body FROM lane_inbox
                 WHERE tenant = ?1 AND lane = ?2 AND seq >= ?3 AND state = 0 AND class = ?4
                 ORDER BY seq LIMIT ?5",
            )?;
            let (tenant, lane) = (key.tenant.as_str(), key.lane.as_str());
            collect(&mut find, params![tenant, lane, oldest, class_code(class), limit])
        };
        parse_messages(self.read(ctx.deadline, job).await?, State::Queued)
    }

    async fn claimed(&self, ctx: &OpCtx, lane: &LaneId, turn: Seq) -> Result<Vec<Message>> {
        let key = Key::new(&ctx.tenant, lane);
        let job = move |c: &Connection| {
            let oldest = oldest(c, &key)?;
            let mut find = c.prepare_cached(
                "SELECT seq, body FROM lane_inbox
                 WHERE tenant = ?1 AND lane = ?2 AND seq >= ?3 AND state = 1 AND turn = ?4
                 ORDER BY seq",
            )?;
            let (tenant, lane) = (key.tenant.as_str(), key.lane.as_str());
            collect(&mut find, params![tenant, lane, oldest, sql_seq(turn)])
        };
        parse_messages(self.read(ctx.deadline, job).await?, State::Claimed(turn))
    }
}

pub(super) fn view(conn: &Connection, key: &Key) -> Result<RawView> {
    let mut find = conn.prepare_cached(
        "SELECT l.lane, l.born, l.tail, l.head, s.spec
         FROM lanes l JOIN lane_specs s ON s.tenant = l.tenant AND s.lane = l.lane
         WHERE l.tenant = ?1 AND l.lane = ?2",
    )?;
    let found = find.query_row(params![key.tenant.as_str(), key.lane.as_str()], RawView::from_row);
    found.optional()?.ok_or_else(|| key.not_found())
}

/// All entries from this one on.
pub(super) fn entries_from(conn: &Connection, key: &Key, first: u64) -> Result<Vec<(u64, String)>> {
    let mut find = conn.prepare_cached(
        "SELECT seq, entry FROM lane_log
         WHERE tenant = ?1 AND lane = ?2 AND seq >= ?3 ORDER BY seq",
    )?;
    collect(&mut find, params![key.tenant.as_str(), key.lane.as_str(), first])
}

fn log(
    conn: &Connection,
    key: &Key,
    after: Seq,
    view: View,
    retained_from: Seq,
    limit: u32,
) -> Result<Vec<(u64, String)>> {
    let first = after.0.saturating_add(1);
    // The chat lives as long as the session, whatever else is gone.
    let (mask, first) = match view {
        View::Client => (CLIENT, first.max(retained_from.0)),
        View::Steps => (0, first.max(retained_from.0)),
        View::Chat => (CHAT, first),
    };
    let mut find = conn.prepare_cached(
        "SELECT seq, entry FROM lane_log
         WHERE tenant = ?1 AND lane = ?2 AND seq >= ?3 AND views & ?4 = ?4 ORDER BY seq LIMIT ?5",
    )?;
    let (tenant, lane) = (key.tenant.as_str(), key.lane.as_str());
    collect(&mut find, params![tenant, lane, sql_seq(Seq(first)), mask, limit])
}

fn chat_before(
    conn: &Connection,
    key: &Key,
    before: Seq,
    limit: u32,
) -> Result<Vec<(u64, String)>> {
    let mut find = conn.prepare_cached(
        "SELECT seq, entry FROM lane_log
         WHERE tenant = ?1 AND lane = ?2 AND seq < ?3 AND views & ?4 = ?4
         ORDER BY seq DESC LIMIT ?5",
    )?;
    let (tenant, lane) = (key.tenant.as_str(), key.lane.as_str());
    collect(&mut find, params![tenant, lane, sql_seq(before), CHAT, limit])
}

/// The last entry and the first that is retained.
fn bounds(conn: &Connection, key: &Key) -> Result<(Seq, Seq)> {
    let mut find = conn
        .prepare_cached("SELECT tail, retained_from FROM lanes WHERE tenant = ?1 AND lane = ?2")?;
    let found = find.query_row(params![key.tenant.as_str(), key.lane.as_str()], |r| {
        Ok((Seq(r.get(0)?), Seq(r.get(1)?)))
    });
    found.optional()?.ok_or_else(|| key.not_found())
}

/// Where open messages begin.
fn oldest(conn: &Connection, key: &Key) -> Result<u64> {
    let mut find =
        conn.prepare_cached("SELECT inbox_oldest FROM lanes WHERE tenant = ?1 AND lane = ?2")?;
    let found = find.query_row(params![key.tenant.as_str(), key.lane.as_str()], |r| r.get(0));
    found.optional()?.ok_or_else(|| key.not_found())
}

fn collect(
    find: &mut rusqlite::CachedStatement<'_>,
    row: &[&dyn rusqlite::ToSql],
) -> Result<Vec<(u64, String)>> {
    let rows = find.query_map(row, |r| Ok((r.get(0)?, r.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
