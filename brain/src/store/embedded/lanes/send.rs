//! What any node sends.

use api_types::ids::{LaneId, Revision, Seq};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, params};

use super::inbox;
use super::prepared::{PreparedHead, PreparedMessage, json, within_commit};
use super::rows::{Key, Lane, outcome_code, parse_boot, parse_status};
use crate::ctx::OpCtx;
use crate::lanes::inbox::{NewMessage, Outcome};
use crate::lanes::store::{Enqueued, NewLane, Send, Sent};
use crate::port::{Error, Result};
use crate::store::embedded::Embedded;

/// What a job that sends answers; texts are read outside of it.
struct RawSent {
    messages: Vec<Enqueued>,
    status: String,
    owner: Option<String>,
}

impl RawSent {
    fn new(messages: Vec<Enqueued>, lane: Lane) -> Self {
        Self { messages, status: lane.status, owner: lane.owner }
    }

    fn parse(self) -> Result<Sent> {
        let owner = self.owner.as_deref().map(parse_boot).transpose()?;
        Ok(Sent { messages: self.messages, status: parse_status(&self.status)?, owner })
    }
}

#[async_trait]
impl Send for Embedded {
    async fn create(&self, ctx: &OpCtx, new: NewLane) -> Result<Sent> {
        let creation = Creation {
            key: Key::new(&ctx.tenant, &new.id),
            session: new.spec.session.to_string(),
            name: new.spec.name.to_string(),
            spec: json(&new.spec)?,
            head: PreparedHead::new(&new.head)?,
            messages: PreparedMessage::all(&new.messages)?,
        };
        within_commit(creation.spec.len())?;
        self.write(ctx.deadline, move |c| creation.run(c)).await?.parse()
    }

    async fn enqueue(&self, ctx: &OpCtx, lane: &LaneId, messages: Vec<NewMessage>) -> Result<Sent> {
        let (key, messages) = (Key::new(&ctx.tenant, lane), PreparedMessage::all(&messages)?);
        self.write(ctx.deadline, move |c| enqueue(c, &key, &messages)).await?.parse()
    }

    async fn discard(&self, ctx: &OpCtx, lane: &LaneId, message: Seq) -> Result<bool> {
        let key = Key::new(&ctx.tenant, lane);
        let job = move |c: &Connection| {
            let mut lane = Lane::get(c, &key)?;
            let code = outcome_code(Outcome::Discarded);
            let discarded = inbox::settle_queued(c, &key, &mut lane, message, code)?;
            if discarded {
                inbox::move_oldest(c, &key, &mut lane)?;
                lane.save(c)?;
            }
            Ok(discarded)
        };
        self.write(ctx.deadline, job).await
    }
}

fn enqueue(conn: &Connection, key: &Key, messages: &[PreparedMessage]) -> Result<RawSent> {
    let mut lane = Lane::get(conn, key)?;
    let mut queued = Vec::with_capacity(messages.len());
    for message in messages {
        let admit = |lane: &Lane| {
            open(key, lane)?;
            lane.has_room(message.class)
        };
        queued.push(inbox::insert_once(conn, key, &mut lane, message, admit)?);
    }
    if queued.iter().any(|message| !message.duplicate) {
        lane.save(conn)?;
    }
    Ok(RawSent::new(queued, lane))
}

fn open(key: &Key, lane: &Lane) -> Result<()> {
    if !lane.is_closed() {
        return Ok(());
    }
    let what = format!("process {}, which is closed,", key.lane);
    Err(Error::Conflict { what, current: Revision(lane.tail.0) })
}

/// A lane to be made.
struct Creation {
    key: Key,
    session: String,
    name: String,
    spec: String,
    head: PreparedHead,
    messages: Vec<PreparedMessage>,
}

impl Creation {
    fn run(&self, conn: &Connection) -> Result<RawSent> {
        if let Some(lane) = Lane::find(conn, &self.key)? {
            return self.again(conn, lane);
        }
        self.check_name(conn)?;
        self.insert(conn)?;
        let mut lane = Lane::get(conn, &self.key)?;
        let mut queued = Vec::with_capacity(self.messages.len());
        for message in &self.messages {
            let admit = |lane: &Lane| lane.has_room(message.class);
            queued.push(inbox::insert_once(conn, &self.key, &mut lane, message, admit)?);
        }
        if self.head.closed {
            inbox::discard_all(conn, &self.key, &mut lane)?;
        }
        lane.save(conn)?;
        Ok(RawSent::new(queued, lane))
    }

    /// The first messages took the first places.
    fn again(&self, conn: &Connection, lane: Lane) -> Result<RawSent> {
        let (tenant, name) = (self.key.tenant.as_str(), self.key.lane.as_str());
        let same: bool = conn
            .prepare_cached(
                "SELECT session = ?3 AND name = ?4 FROM lanes WHERE tenant = ?1 AND lane = ?2",
            )?
            .query_row(params![tenant, name, self.session, self.name], |r| r.get(0))?;
        if !same {
            return Err(Error::AlreadyExists { what: format!("another process {name}") });
        }
        let mut places = Vec::<(Option<&str>, Seq)>::new();
        let mut next = Seq(1);
        for message in &self.messages {
            let key = message.key.as_deref();
            let known = places.iter().find(|(name, _)| key.is_some() && *name == key);
            let seq = known.map_or(next, |(_, seq)| *seq);
            if seq == next {
                next = next.next();
            }
            places.push((key, seq));
        }
        let queued = places.into_iter().map(|(_, seq)| Enqueued { seq, duplicate: true });
        Ok(RawSent::new(queued.collect(), lane))
    }

    fn check_name(&self, conn: &Connection) -> Result<()> {
        let mut find = conn.prepare_cached(
            "SELECT lane FROM lanes WHERE tenant = ?1 AND session = ?2 AND name = ?3",
        )?;
        let row = params![self.key.tenant.as_str(), self.session, self.name];
        let taken: Option<String> = find.query_row(row, |r| r.get(0)).optional()?;
        match taken {
            None => Ok(()),
            Some(_) => Err(Error::AlreadyExists {
                what: format!("a process named {} in session {}", self.name, self.session),
            }),
        }
    }

    fn insert(&self, conn: &Connection) -> Result<()> {
        let (tenant, lane) = (self.key.tenant.as_str(), self.key.lane.as_str());
        let head = &self.head;
        conn.prepare_cached(
            "INSERT INTO lanes (tenant, lane, session, name, born, status, open_turn, open, due_at,
                retained_from, head)
             VALUES (?1, ?2, ?3, ?4,
                (SELECT coalesce(max(born), 0) + 1 FROM lanes WHERE tenant = ?1 AND session = ?3),
                ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            tenant,
            lane,
            self.session,
            self.name,
            head.status,
            head.open_turn.map(super::rows::sql_seq),
            head.open,
            head.due_at,
            super::rows::sql_seq(head.retained_from),
            head.text,
        ])?;
        conn.prepare_cached("INSERT INTO lane_specs (tenant, lane, spec) VALUES (?1, ?2, ?3)")?
            .execute(params![tenant, lane, self.spec])?;
        Ok(())
    }
}
