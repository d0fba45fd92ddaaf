//! Nodes that fail, freeze and come back, over one store in memory with a paused clock.
//!
//! Each history is made from a seed: messages and skill changes are sent while the store loses
//! answers, goes away and conflicts, and while nodes freeze in the middle of whatever they do. A
//! frozen node is taken over as if dead, and sometimes thaws and finds that it is fenced out.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use api_types::frames::{SkillCommand, SteerMode};
use api_types::ids::{CommitId, LaneId, NodeBoot, Seq, SessionId};
use api_types::sessions::ChatRole;
use async_trait::async_trait;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use tokio::sync::watch;

use super::features::Features;
use crate::bus::{Bus, LocalBus};
use crate::ctx::{Actor, OpCtx, SystemCtx};
use crate::lanes::entry::{Entry, LogRow};
use crate::lanes::head::{Head, Spec};
use crate::lanes::inbox::{Body, Class, NewMessage};
use crate::lanes::store::{
    LaneCommit, Lease, NewLane, Own, Owned, Read, Receipt, Send, Takeover, View,
};
use crate::lanes::{Runner, RunnerParts, Wake};
use crate::port;
use crate::recipes::Spawn;
use crate::runtime::{Clock, IdGen, ManualClock, Tasks, Timestamp};
use crate::skills::Scope;
use crate::store::embedded::{Embedded, OpenMode};
use crate::store::faulty::{Faulty, Plan, Rates};

/// Histories of one test run.
const HISTORIES: u64 = 150;

/// An owner's port that can be frozen: every call waits until it thaws.
struct Freezer<S> {
    inner: S,
    frozen: watch::Receiver<bool>,
}

impl<S> Freezer<S> {
    async fn pass(&self) {
        let mut frozen = self.frozen.clone();
        if frozen.wait_for(|frozen| !frozen).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[async_trait]
impl<S: Own> Own for Freezer<S> {
    async fn acquire(
        &self,
        ctx: &OpCtx,
        lane: &LaneId,
        me: &NodeBoot,
        from: Takeover,
    ) -> port::Result<Owned> {
        self.pass().await;
        self.inner.acquire(ctx, lane, me, from).await
    }

    async fn commit(&self, lease: &Lease, write: LaneCommit) -> port::Result<Receipt> {
        self.pass().await;
        self.inner.commit(lease, write).await
    }

    async fn receipt(&self, lease: &Lease, id: &CommitId) -> port::Result<Option<Receipt>> {
        self.pass().await;
        self.inner.receipt(lease, id).await
    }

    async fn release(&self, lease: Lease) -> port::Result<()> {
        self.pass().await;
        self.inner.release(lease).await
    }
}

/// One start of a node.
struct Node {
    boot: NodeBoot,
    runner: Runner,
    tasks: Tasks,
    freeze: watch::Sender<bool>,
    plan: Arc<Faulty<Arc<Embedded>>>,
}

impl Node {
    fn thaw(&self) {
        self.freeze.send_replace(false);
    }
}

struct World {
    store: Arc<Embedded>,
    clock: Arc<dyn Clock>,
    ids: Arc<IdGen>,
    bus: Arc<dyn Bus>,
    rng: StdRng,
    lane: LaneId,
    /// Nodes that are gone, frozen or thawed.
    gone: Vec<Node>,
    node: Node,
}

fn ctx() -> OpCtx {
    OpCtx::new("acme".parse().unwrap(), Actor::User("jane".parse().unwrap()))
}

fn start(
    store: &Arc<Embedded>,
    clock: &Arc<dyn Clock>,
    ids: &Arc<IdGen>,
    bus: &Arc<dyn Bus>,
    dead: Vec<NodeBoot>,
    plan: Plan,
) -> Node {
    let features =
        Features::wire(store, crate::models::Config::default(), bus, clock, ids).unwrap();
    let faulty = Arc::new(Faulty::new(store.clone(), plan));
    let (freeze, frozen) = watch::channel(false);
    let boot = NodeBoot::from_bits(ids.bits());
    let tasks = Tasks::default();
    let runner = Runner::new(RunnerParts {
        read: store.clone(),
        own: Arc::new(Freezer { inner: Shared(faulty.clone()), frozen }),
        sweep: store.clone(),
        turns: features.turns,
        clock: clock.clone(),
        ids: ids.clone(),
        me: boot.clone(),
        tasks: tasks.clone(),
    });
    runner.start(SystemCtx::new(), dead);
    Node { boot, runner, tasks, freeze, plan: faulty }
}

/// The faulty store behind a pointer.
struct Shared(Arc<Faulty<Arc<Embedded>>>);

#[async_trait]
impl Own for Shared {
    async fn acquire(
        &self,
        ctx: &OpCtx,
        lane: &LaneId,
        me: &NodeBoot,
        from: Takeover,
    ) -> port::Result<Owned> {
        self.0.acquire(ctx, lane, me, from).await
    }

    async fn commit(&self, lease: &Lease, write: LaneCommit) -> port::Result<Receipt> {
        self.0.commit(lease, write).await
    }

    async fn receipt(&self, lease: &Lease, id: &CommitId) -> port::Result<Option<Receipt>> {
        self.0.receipt(lease, id).await
    }

    async fn release(&self, lease: Lease) -> port::Result<()> {
        self.0.release(lease).await
    }
}

fn rates() -> Rates {
    Rates { outage: 5, lost_request: 5, lost_answer: 10, conflict: 0 }
}

impl World {
    async fn new(seed: u64) -> Self {
        let store = Embedded::open(OpenMode::InMemory).unwrap();
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::at(Timestamp(1_000)));
        let ids = Arc::new(IdGen::seeded(seed));
        let bus: Arc<dyn Bus> = Arc::new(LocalBus::default());
        let lane = LaneId::from_bits(ids.bits());
        let features =
            Features::wire(&store, crate::models::Config::default(), &bus, &clock, &ids).unwrap();
        let scope = Scope { project: "home".parse().unwrap(), user: Some("jane".parse().unwrap()) };
        let profile = "foot".parse().unwrap();
        let params = serde_json::Map::new();
        let spawn = Spawn { scope: &scope, profile: &profile, params: &params, at: clock.now() };
        let recipe = features
            .recipes
            .snapshot(&ctx(), &features.skills, &"default".parse().unwrap(), spawn)
            .await
            .unwrap();
        let spec = Spec {
            session: SessionId::from_bits(ids.bits()),
            project: scope.project.clone(),
            user: "jane".parse().unwrap(),
            name: "chat".parse().unwrap(),
            profile,
            created_at: clock.now(),
            recipe: recipe.spec,
        };
        let new = NewLane { id: lane.clone(), spec, head: Head::default(), messages: Vec::new() };
        store.create(&ctx(), new).await.unwrap();
        let node = start(&store, &clock, &ids, &bus, Vec::new(), Plan::seeded(seed, rates()));
        Self {
            store,
            clock,
            ids,
            bus,
            rng: StdRng::seed_from_u64(seed),
            lane,
            gone: Vec::new(),
            node,
        }
    }

    /// Sends a message; repeats it by its key, as a client does that got no answer.
    async fn send(&mut self, number: usize) -> Option<(String, Body)> {
        let body = match self.rng.random_range(0..6) {
            0 => skill(SkillCommand::Activate, "code-review", self.rng.random()),
            1 => skill(SkillCommand::Clear, "code-review", false),
            2 => Body::Cancel { turn: None },
            _ => Body::Chat {
                text: format!("message {number}"),
                mode: SteerMode::Steer,
                needs_skills: false,
            },
        };
        let key = format!("k{number}");
        let message = || NewMessage {
            key: Some(key.clone()),
            actor: ctx().actor,
            body: body.clone(),
            at: self.clock.now(),
        };
        for _ in 0..self.rng.random_range(1..3) {
            self.store.enqueue(&ctx(), &self.lane, vec![message()]).await.unwrap();
        }
        self.node.runner.wake(&ctx().tenant, &self.lane, body.class() == Class::Control);
        Some((key, body))
    }

    /// The node freezes where it is, another starts and takes over.
    fn fail_over(&mut self) {
        self.node.freeze.send_replace(true);
        let mut dead: Vec<NodeBoot> = self.gone.iter().map(|node| node.boot.clone()).collect();
        dead.push(self.node.boot.clone());
        let plan = Plan::seeded(self.rng.random(), rates());
        let next = start(&self.store, &self.clock, &self.ids, &self.bus, dead, plan);
        self.gone.push(std::mem::replace(&mut self.node, next));
    }

    async fn settle(&mut self) {
        self.node.plan.plan().set_rates(Rates::default());
        for _ in 0..2_000 {
            let work = self.store.queued(&ctx(), &self.lane, Class::Work, 1).await.unwrap();
            let control = self.store.queued(&ctx(), &self.lane, Class::Control, 1).await.unwrap();
            let view = self.store.lane(&ctx(), &self.lane).await.unwrap();
            if work.is_empty() && control.is_empty() && view.head.open_turn.is_none() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the lane never came to rest");
    }
}

fn skill(command: SkillCommand, name: &str, one_shot: bool) -> Body {
    Body::Skill { command, skill: Some(name.parse().unwrap()), one_shot, args: None }
}

/// What must hold of every history.
fn check(rows: &[LogRow], head: &Head, sent: &[(String, Body)]) {
    let dense = rows.iter().enumerate().all(|(i, row)| row.seq == Seq(i as u64 + 1));
    assert!(dense, "the log has a gap");
    let mut said: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut open, mut answers, mut done) = (None, 0, 0);
    let mut settled: HashMap<Seq, usize> = HashMap::new();
    let mut active = Vec::new();
    for row in rows {
        match &row.entry {
            Entry::TurnOpened { .. } => {
                assert_eq!(open, None, "a turn opens while another is open");
                open = Some(row.seq);
            }
            Entry::TurnClosed { turn, outcome, settled: places, .. } => {
                assert_eq!(open, Some(*turn), "a turn closes that is not open");
                open = None;
                done += usize::from(*outcome == api_types::events::TurnOutcome::Done);
                places.iter().for_each(|place| *settled.entry(*place).or_default() += 1);
            }
            Entry::Message { role: ChatRole::User, content, .. } => {
                *said.entry(content).or_default() += 1
            }
            Entry::Message { role: ChatRole::Assistant, .. } => answers += 1,
            Entry::Skill { active: list, .. } => active.clone_from(list),
            _ => {}
        }
    }
    assert_eq!(open, None, "a turn stays open");
    assert_eq!(answers, done, "each turn that is done has one answer");
    assert!(settled.values().all(|times| *times == 1), "a message is settled twice");
    for (_, body) in sent {
        if let Body::Chat { text, .. } = body {
            assert_eq!(said.remove(text.as_str()), Some(1), "{text} stands in the chat once");
        }
    }
    assert_eq!(said.len(), 0, "nobody sent {said:?}");
    assert_eq!(active, head.active_skills, "the head is the fold of the log");
}

async fn history(seed: u64) {
    let mut world = World::new(seed).await;
    let mut sent = Vec::new();
    for number in 0..world.rng.random_range(3..12) {
        sent.extend(world.send(number).await);
        tokio::time::sleep(Duration::from_millis(world.rng.random_range(0..40))).await;
        if world.rng.random_range(0..4) == 0 {
            world.fail_over();
        }
        if world.rng.random_range(0..4) == 0 {
            world.gone.iter().for_each(Node::thaw);
        }
    }
    world.settle().await;
    world.gone.iter().for_each(Node::thaw);
    tokio::time::sleep(Duration::from_secs(5)).await;
    let view = world.store.lane(&ctx(), &world.lane).await.unwrap();
    let log = world.store.log(&ctx(), &world.lane, Seq(0), View::Steps, 10_000).await.unwrap();
    check(&log.rows, &view.head, &sent);
    for node in world.gone.iter().chain([&world.node]) {
        node.tasks.stop(Duration::from_secs(60)).await;
    }
}

#[test]
fn nothing_is_lost_and_nothing_happens_twice() {
    for seed in 0..HISTORIES {
        let run = std::panic::catch_unwind(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .start_paused(true)
                .build()
                .unwrap();
            runtime.block_on(history(seed));
        });
        assert!(run.is_ok(), "history {seed} failed");
    }
}
