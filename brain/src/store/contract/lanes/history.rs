//! Random histories against a model that fits on a page.

use api_types::ids::{CommitId, Seq};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::Lanes;
use super::fixture::*;
use crate::lanes::inbox::{Class, Outcome};
use crate::lanes::store::{LaneCommit, Lease, Outgoing, Receipt, Takeover, View};
use crate::port::Error;
use crate::store::contract::Fixture;

const NODES: usize = 3;
const HISTORIES: u32 = 48;

#[derive(Clone, Debug)]
enum Op {
    Enqueue { key: Option<u8> },
    Discard { which: usize },
    Acquire { node: usize, dead: Option<usize> },
    Release { node: usize },
    Commit { node: usize, what: What },
    Repeat { node: usize },
}

#[derive(Clone, Debug)]
struct What {
    entries: usize,
    claim: usize,
    settle: usize,
    to_itself: bool,
    /// Also a claim of this message, whatever its state.
    claim_any: Option<usize>,
    /// Expects the tail to be one less.
    stale: bool,
    close: bool,
}

fn op() -> impl Strategy<Value = Op> {
    let node = 0..NODES;
    prop_oneof![
        4 => proptest::option::of(0..5_u8).prop_map(|key| Op::Enqueue { key }),
        1 => (0..20_usize).prop_map(|which| Op::Discard { which }),
        3 => (node.clone(), proptest::option::of(0..NODES))
            .prop_map(|(node, dead)| Op::Acquire { node, dead }),
        1 => node.clone().prop_map(|node| Op::Release { node }),
        8 => (node.clone(), what()).prop_map(|(node, what)| Op::Commit { node, what }),
        2 => node.prop_map(|node| Op::Repeat { node }),
    ]
}

fn what() -> impl Strategy<Value = What> {
    (
        0..3_usize,
        0..3_usize,
        0..3_usize,
        prop::bool::weighted(0.2),
        proptest::option::weighted(0.1, 0..20_usize),
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.03),
    )
        .prop_map(|(entries, claim, settle, to_itself, claim_any, stale, close)| What {
            entries,
            claim,
            settle,
            to_itself,
            claim_any,
            stale,
            close,
        })
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    Queued,
    Claimed,
    Settled,
}

#[derive(Clone, Debug)]
struct Sent {
    seq: Seq,
    key: Option<String>,
    text: String,
    at: At,
}

/// What the store must hold.
#[derive(Default)]
struct Model {
    log: Vec<String>,
    inbox: Vec<Sent>,
    epoch: u64,
    owner: Option<usize>,
    closed: bool,
    /// What each node believes to own, and its last commit that happened.
    leases: [Option<Lease>; NODES],
    last: [Option<(LaneCommit, Receipt)>; NODES],
    commits: u128,
    texts: u64,
}

impl Model {
    fn places(&self, at: At) -> Vec<Seq> {
        self.inbox.iter().filter(|m| m.at == at).map(|m| m.seq).collect()
    }

    fn texts(&self, at: At) -> Vec<String> {
        self.inbox.iter().filter(|m| m.at == at).map(|m| m.text.clone()).collect()
    }

    fn set(&mut self, seq: Seq, at: At) {
        self.inbox.iter_mut().find(|m| m.seq == seq).expect("a place that exists").at = at;
    }

    fn fresh_text(&mut self) -> String {
        self.texts += 1;
        self.texts.to_string()
    }

    fn owns(&self, node: usize) -> bool {
        let epoch = self.leases[node].as_ref().map(|lease| lease.epoch);
        self.owner == Some(node) && epoch == Some(self.epoch)
    }
}

#[test]
fn any_history_keeps_the_invariants_threaded() {
    check_histories(Fixture::threaded);
}

#[test]
fn any_history_keeps_the_invariants_inline() {
    check_histories(Fixture::inline);
}

/// Nothing is lost or settled twice, the log is dense, and only one node writes.
fn check_histories(open: impl Fn() -> Fixture) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let config = Config { cases: HISTORIES, failure_persistence: None, ..Config::default() };
    let histories = proptest::collection::vec(op(), 1..40);
    let result = TestRunner::new(config).run(&histories, |ops| {
        runtime.block_on(play(&*open().store, ops));
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

async fn play(store: &dyn Lanes, ops: Vec<Op>) {
    unowned(store, 1).await;
    let mut model = Model::default();
    for op in ops {
        match op {
            Op::Enqueue { key } => enqueue(store, &mut model, key).await,
            Op::Discard { which } => discard(store, &mut model, which).await,
            Op::Acquire { node, dead } => acquire(store, &mut model, node, dead).await,
            Op::Release { node } => release(store, &mut model, node).await,
            Op::Commit { node, what } => commit_some(store, &mut model, node, &what).await,
            Op::Repeat { node } => repeat(store, &model, node).await,
        }
        check(store, &model).await;
    }
}

async fn check(store: &dyn Lanes, model: &Model) {
    let slice = store.log(&ctx(), &lane(1), Seq(0), View::Steps, 1_000).await.unwrap();
    let (seqs, entries): (Vec<_>, Vec<_>) =
        slice.rows.into_iter().map(|row| (row.seq.0, row.entry)).unzip();
    assert_eq!(seqs, (1..=model.log.len() as u64).collect::<Vec<_>>(), "the log is dense");
    assert_eq!(entries, model.log.iter().map(|text| said(text)).collect::<Vec<_>>());
    assert_eq!(queued_texts(store, &lane(1)).await, model.texts(At::Queued));
    let claimed = store.claimed(&ctx(), &lane(1), Seq(1)).await.unwrap();
    let claimed: Vec<_> = claimed.iter().map(|m| text_of(m).to_owned()).collect();
    assert_eq!(claimed, model.texts(At::Claimed));
}

async fn enqueue(store: &dyn Lanes, model: &mut Model, key: Option<u8>) {
    let (key, text) = (key.map(|k| k.to_string()), model.fresh_text());
    let known = model.inbox.iter().find(|m| key.is_some() && m.key == key).map(|m| m.seq);
    let message = crate::lanes::inbox::NewMessage { key: key.clone(), ..chat(&text) };
    let answer = store.enqueue(&ctx(), &lane(1), vec![message]).await;
    match known {
        Some(seq) => {
            let sent = answer.unwrap().messages.remove(0);
            assert_eq!((sent.seq, sent.duplicate), (seq, true));
        }
        None if model.closed => assert_conflict(answer, model.log.len() as u64),
        None => {
            let sent = answer.unwrap().messages.remove(0);
            assert!(!sent.duplicate && model.inbox.iter().all(|m| m.seq < sent.seq));
            model.inbox.push(Sent { seq: sent.seq, key, text, at: At::Queued });
        }
    }
}

async fn discard(store: &dyn Lanes, model: &mut Model, which: usize) {
    let Some(message) = model.inbox.get(which).cloned() else { return };
    let discarded = store.discard(&ctx(), &lane(1), message.seq).await.unwrap();
    assert_eq!(discarded, message.at == At::Queued);
    if discarded {
        model.set(message.seq, At::Settled);
    }
}

fn node_boot(node: usize) -> api_types::ids::NodeBoot {
    boot(node as u128 + 1)
}

async fn acquire(store: &dyn Lanes, model: &mut Model, node: usize, dead: Option<usize>) {
    let from = dead.map_or(Takeover::Unowned, |dead| Takeover::From(vec![node_boot(dead)]));
    let answer = store.acquire(&ctx(), &lane(1), &node_boot(node), from).await;
    let allowed = model.owner.is_none_or(|owner| owner == node || dead == Some(owner));
    if !allowed {
        return assert_fenced(answer, model.epoch);
    }
    let owned = answer.unwrap();
    model.epoch += 1;
    assert_eq!(owned.lease.epoch, model.epoch);
    assert_eq!(owned.lane.tail.0, model.log.len() as u64);
    model.owner = Some(node);
    model.leases[node] = Some(owned.lease);
}

async fn release(store: &dyn Lanes, model: &mut Model, node: usize) {
    let Some(lease) = model.leases[node].clone() else { return };
    store.release(lease).await.unwrap();
    if model.owns(node) {
        model.owner = None;
    }
}

async fn commit_some(store: &dyn Lanes, model: &mut Model, node: usize, what: &What) {
    let Some(lease) = model.leases[node].clone() else { return };
    let tail = model.log.len() as u64;
    let texts: Vec<_> = (0..what.entries).map(|_| model.fresh_text()).collect();
    let mut claim = model.places(At::Queued);
    claim.truncate(what.claim);
    let any = what.claim_any.and_then(|which| model.inbox.get(which).cloned());
    let spoilt = any.as_ref().is_some_and(|m| m.at != At::Queued || claim.contains(&m.seq));
    claim.extend(any.map(|m| m.seq));
    let mut settle = model.places(At::Claimed);
    settle.truncate(what.settle);
    model.commits += 1;
    let own = what.to_itself.then(|| model.fresh_text());
    let write = LaneCommit {
        id: CommitId::from_bits(model.commits),
        expect: Seq(if what.stale { tail.wrapping_sub(1).min(tail + 1) } else { tail }),
        entries: texts.iter().map(|text| said(text)).collect(),
        head: what.close.then(|| closing(0, 0).head.expect("a head")),
        claim: Some((Seq(1), claim.clone())),
        settle: settle.iter().map(|seq| (*seq, Outcome::Done)).collect(),
        outbox: own.iter().map(|t| Outgoing { to: lane(1), message: chat(t) }).collect(),
    };
    let answer = store.commit(&lease, write.clone()).await;
    if !model.owns(node) {
        return assert_fenced(answer, model.epoch);
    }
    if what.stale || spoilt {
        return assert_conflict(answer, tail);
    }
    let receipt = answer.unwrap();
    model.log.extend(texts);
    assert_eq!(receipt.tail.0, model.log.len() as u64);
    claim.into_iter().for_each(|seq| model.set(seq, At::Claimed));
    settle.into_iter().for_each(|seq| model.set(seq, At::Settled));
    if let Some(text) = own {
        let queued = queued(store, &lane(1), Class::Work).await;
        // A closing commit, or one on a closed process, discards it at once.
        let found = queued.iter().find(|m| text_of(m) == text).map(|m| m.seq);
        match found {
            Some(seq) => model.inbox.push(Sent { seq, key: None, text, at: At::Queued }),
            None => assert!(what.close || model.closed, "a message to itself is lost"),
        }
    }
    model.closed |= what.close;
    if model.closed {
        model.inbox.iter_mut().for_each(|m| m.at = At::Settled);
    }
    model.last[node] = Some((write, receipt));
}

async fn repeat(store: &dyn Lanes, model: &Model, node: usize) {
    let (Some(lease), Some((write, receipt))) = (&model.leases[node], &model.last[node]) else {
        return;
    };
    // The newest commits are known by their ids; long gone ones must not happen again.
    match store.commit(lease, write.clone()).await {
        Ok(again) => assert_eq!(again, *receipt),
        Err(Error::Fenced { .. } | Error::Conflict { .. }) => {
            assert!(!model.owns(node) || model.log.len() as u64 > write.expect.0);
        }
        Err(other) => panic!("{other}"),
    }
}
