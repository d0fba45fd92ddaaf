//! The owner's verbs.

use api_types::ids::{CommitId, LaneId, NodeBoot, Revision, Seq};
use async_trait::async_trait;
use rusqlite::{Connection, params};

use super::prepared::PreparedCommit;
use super::rows::{Key, Lane, parse_log};
use super::{inbox, read, soon};
use crate::ctx::OpCtx;
use crate::lanes::store::{LaneCommit, Lease, Own, Owned, Receipt, Takeover};
use crate::port::{Error, Result};
use crate::store::embedded::Embedded;

#[async_trait]
impl Own for Embedded {
    async fn acquire(
        &self,
        ctx: &OpCtx,
        lane: &LaneId,
        me: &NodeBoot,
        from: Takeover,
    ) -> Result<Owned> {
        let (key, boot) = (Key::new(&ctx.tenant, lane), me.clone());
        let epoch = self.write(ctx.deadline, move |c| take(c, &key, &boot, &from)).await?;
        let lease =
            Lease { tenant: ctx.tenant.clone(), lane: lane.clone(), epoch, boot: me.clone() };

        let key = Key::new(&ctx.tenant, lane);
        let (view, open) = self.read(ctx.deadline, move |c| taken(c, &key, epoch)).await?;
        Ok(Owned { lease, lane: view.parse()?, open: parse_log(open)? })
    }

    async fn commit(&self, lease: &Lease, write: LaneCommit) -> Result<Receipt> {
        let prepared = PreparedCommit::new(&write)?;
        let (lease, id) = (lease.clone(), write.id);
        self.write(soon(), move |c| commit(c, &lease, &id, &prepared)).await
    }

    async fn receipt(&self, lease: &Lease, id: &CommitId) -> Result<Option<Receipt>> {
        let (lease, id) = (lease.clone(), id.clone());
        // On the writer: a commit that was sent before is either seen or will never happen.
        self.write(soon(), move |c| receipt(c, &lease, &id)).await
    }

    async fn release(&self, lease: Lease) -> Result<()> {
        self.write(soon(), move |c| {
            let mut release = c.prepare_cached(
                "UPDATE lanes SET owner = NULL
                 WHERE tenant = ?1 AND lane = ?2 AND epoch = ?3 AND owner = ?4",
            )?;
            let (tenant, lane) = (lease.tenant.as_str(), lease.lane.as_str());
            release.execute(params![tenant, lane, lease.epoch, lease.boot.as_str()])?;
            Ok(())
        })
        .await
    }
}

fn take(conn: &Connection, key: &Key, me: &NodeBoot, from: &Takeover) -> Result<u64> {
    let lane = Lane::get(conn, key)?;
    if let Some(owner) = lane.owner.as_deref()
        && owner != me.as_str()
        && !is_dead(owner, from)
    {
        return Err(Error::Fenced { epoch: lane.epoch });
    }
    let epoch = lane.epoch + 1;
    conn.prepare_cached("UPDATE lanes SET epoch = ?2, owner = ?3 WHERE id = ?1")?
        .execute(params![lane.id, epoch, me.as_str()])?;
    Ok(epoch)
}

fn is_dead(owner: &str, from: &Takeover) -> bool {
    match from {
        Takeover::Unowned => false,
        Takeover::From(dead) => dead.iter().any(|boot| boot.as_str() == owner),
    }
}

type Taken = (read::RawView, Vec<(u64, String)>);

/// The lane and its open turn, if it still is at this epoch.
fn taken(conn: &Connection, key: &Key, epoch: u64) -> Result<Taken> {
    let mut find =
        conn.prepare_cached("SELECT epoch, open_turn FROM lanes WHERE tenant = ?1 AND lane = ?2")?;
    let (current, open): (u64, Option<u64>) = find
        .query_row(params![key.tenant.as_str(), key.lane.as_str()], |r| {
            Ok((r.get(0)?, r.get(1)?))
        })?;
    if current != epoch {
        return Err(Error::Fenced { epoch: current });
    }
    let open = open.map(|first| read::entries_from(conn, key, first)).transpose()?;
    Ok((read::view(conn, key)?, open.unwrap_or_default()))
}

fn receipt(conn: &Connection, lease: &Lease, id: &CommitId) -> Result<Option<Receipt>> {
    let lane = Lane::get(conn, &Key::new(&lease.tenant, &lease.lane))?;
    match lane.receipts.tail(id) {
        Some(tail) => Ok(Some(Receipt { tail })),
        // Another owner's commits may have displaced it: «no» could be a lie.
        None if lane.epoch != lease.epoch => Err(Error::Fenced { epoch: lane.epoch }),
        None => Ok(None),
    }
}

fn commit(
    conn: &Connection,
    lease: &Lease,
    id: &CommitId,
    write: &PreparedCommit,
) -> Result<Receipt> {
    let key = Key::new(&lease.tenant, &lease.lane);
    let mut lane = Lane::get(conn, &key)?;
    if let Some(tail) = lane.receipts.tail(id) {
        return Ok(Receipt { tail });
    }
    check_fence(&lane, lease, write.expect)?;
    // First, so that a conflict names the tail that is stored.
    change_inbox(conn, &key, &mut lane, write)?;
    append(conn, &key, &mut lane, write)?;
    send(conn, &key, &mut lane, write)?;
    let closes = write.head.as_ref().map_or_else(|| lane.is_closed(), |head| head.closed);
    if closes {
        inbox::discard_all(conn, &key, &mut lane)?;
    }
    if closes || !write.settle.is_empty() {
        inbox::move_oldest(conn, &key, &mut lane)?;
    }
    lane.receipts.add(id, lane.tail);
    match &write.head {
        Some(head) => lane.save_with(conn, head)?,
        None => lane.save(conn)?,
    }
    Ok(Receipt { tail: lane.tail })
}

fn check_fence(lane: &Lane, lease: &Lease, expect: Seq) -> Result<()> {
    if lane.epoch != lease.epoch || lane.owner.as_deref() != Some(lease.boot.as_str()) {
        return Err(Error::Fenced { epoch: lane.epoch });
    }
    if lane.tail != expect {
        let what = format!("the log of process {}", lease.lane);
        return Err(Error::Conflict { what, current: Revision(lane.tail.0) });
    }
    Ok(())
}

fn append(conn: &Connection, key: &Key, lane: &mut Lane, write: &PreparedCommit) -> Result<()> {
    let mut append = conn.prepare_cached(
        "INSERT INTO lane_log (tenant, lane, seq, views, entry) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    let (tenant, name) = (key.tenant.as_str(), key.lane.as_str());
    for entry in &write.entries {
        lane.tail = lane.tail.next();
        append.execute(params![tenant, name, lane.tail.0, entry.views, entry.text])?;
    }
    Ok(())
}

fn change_inbox(
    conn: &Connection,
    key: &Key,
    lane: &mut Lane,
    write: &PreparedCommit,
) -> Result<()> {
    if let Some((turn, seqs)) = &write.claim {
        for seq in seqs {
            inbox::claim(conn, key, lane, *turn, *seq)?;
        }
    }
    for (seq, outcome) in &write.settle {
        inbox::settle(conn, key, lane, *seq, *outcome)?;
    }
    Ok(())
}

/// Own messages are queued at once, even in a full inbox: a turn is not undone for want of room.
fn send(conn: &Connection, key: &Key, lane: &mut Lane, write: &PreparedCommit) -> Result<()> {
    for (to, message) in &write.outbox {
        let n = lane.sent;
        lane.sent += 1;
        if *to == key.lane {
            inbox::insert_once(conn, key, lane, message, |_| Ok(()))?;
            continue;
        }
        let derived = || format!("{}/{}/{n}", key.lane, lane.tail);
        let name = message.key.clone().unwrap_or_else(derived);
        let mut put = conn.prepare_cached(
            "INSERT INTO lane_outbox (tenant, lane, n, receiver, class, key, body)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        let (tenant, from) = (key.tenant.as_str(), key.lane.as_str());
        put.execute(params![tenant, from, n, to.as_str(), message.class, name, message.text])?;
    }
    Ok(())
}
