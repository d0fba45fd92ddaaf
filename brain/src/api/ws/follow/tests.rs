use std::sync::Mutex;

use api_types::sessions::ChatRole;
use async_trait::async_trait;
use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::ctx::Actor;
use crate::lanes::entry::{Call, Entry};
use crate::lanes::head::{Head, RecipeSnapshot, Spec};
use crate::lanes::inbox::{Class, Message};
use crate::lanes::usage::Usage;
use crate::port::{self, Slice};
use crate::runtime::Timestamp;

/// Lanes whose logs are plain lists.
#[derive(Default)]
struct Logs(Mutex<Vec<(LaneView, Vec<LogRow>)>>);

impl Logs {
    fn add(&self, lane: u128) {
        self.0.lock().unwrap().push((view(lane), Vec::new()));
    }

    fn append(&self, lane: usize, entry: Entry) -> LogRow {
        let mut lanes = self.0.lock().unwrap();
        let (view, rows) = &mut lanes[lane];
        view.tail = view.tail.next();
        rows.push(LogRow { seq: view.tail, entry });
        rows.last().unwrap().clone()
    }

    fn views(&self) -> Vec<LaneView> {
        self.0.lock().unwrap().iter().map(|(view, _)| view.clone()).collect()
    }
}

fn view(lane: u128) -> LaneView {
    let recipe = RecipeSnapshot {
        name: "default".parse().unwrap(),
        engine: "ford".to_owned(),
        params: serde_json::Map::new(),
        prompt_prefix: None,
        prompt_append: None,
        prompt_overwrite: false,
        tools_add: std::collections::BTreeSet::new(),
        tools_remove: std::collections::BTreeSet::new(),
        allowed_skills: None,
        locked: false,
    };
    let spec = Spec {
        session: session(),
        project: "home".parse().unwrap(),
        user: "jane".parse().unwrap(),
        name: format!("p{lane}").parse().unwrap(),
        profile: "foot".parse().unwrap(),
        created_at: Timestamp(0),
        recipe,
    };
    LaneView { id: LaneId::from_bits(lane), spec, head: Head::default(), tail: Seq(0) }
}

fn session() -> SessionId {
    SessionId::from_bits(9)
}

#[async_trait]
impl Read for Logs {
    async fn lane(&self, _: &OpCtx, lane: &LaneId) -> port::Result<LaneView> {
        Ok(self.views().into_iter().find(|view| view.id == *lane).unwrap())
    }

    async fn list(&self, _: &OpCtx, _: &SessionId, _: Page) -> port::Result<Slice<LaneView>> {
        Ok(Slice { rows: self.views(), next: None })
    }

    async fn log(
        &self,
        _: &OpCtx,
        lane: &LaneId,
        after: Seq,
        view: View,
        limit: u32,
    ) -> port::Result<LogSlice> {
        assert_eq!(view, View::Client);
        let lanes = self.0.lock().unwrap();
        let (view, rows) = lanes.iter().find(|(view, _)| view.id == *lane).unwrap();
        let looked: Vec<&LogRow> =
            rows.iter().filter(|row| row.seq > after).take(limit as usize).collect();
        let upto = looked.last().map_or(after, |row| row.seq);
        let rows = looked.into_iter().filter(|row| row.entry.is_client()).cloned().collect();
        Ok(LogSlice { rows, upto, tail: view.tail, retained_from: view.head.retained_from })
    }

    async fn chat_before(
        &self,
        _: &OpCtx,
        _: &LaneId,
        _: Seq,
        _: u32,
    ) -> port::Result<Vec<LogRow>> {
        unreachable!("not read by followers")
    }

    async fn queued(&self, _: &OpCtx, _: &LaneId, _: Class, _: u32) -> port::Result<Vec<Message>> {
        unreachable!("not read by followers")
    }

    async fn claimed(&self, _: &OpCtx, _: &LaneId, _: Seq) -> port::Result<Vec<Message>> {
        unreachable!("not read by followers")
    }
}

fn message(text: String) -> Entry {
    Entry::Message {
        id: api_types::ids::MessageId::from_bits(1),
        role: ChatRole::User,
        content: text,
        sender: None,
        at: Timestamp(0),
    }
}

fn ctx() -> OpCtx {
    OpCtx::new("acme".parse().unwrap(), Actor::User("jane".parse().unwrap()))
}

/// An entry: the kind decides how many events it makes.
fn entry(kind: u8, number: usize) -> Entry {
    let at = Timestamp(0);
    match kind {
        0 => message(format!("message {number}")),
        1 => Entry::Model {
            text: format!("model {number}"),
            calls: (0..3)
                .map(|i| Call {
                    id: String::new(),
                    name: format!("tool{i}"),
                    arguments: number.to_string(),
                })
                .collect(),
            usage: Usage::default(),
            at,
            carry: None,
        },
        2 => Entry::StepClaimed { inputs: Vec::new() },
        _ => Entry::Started { call: String::new(), tool: String::new(), at },
    }
}

/// What a client has after it got these frames: the texts, and its newest cursor.
fn taken(out: &mut Outbound) -> Vec<(String, String)> {
    out.drain_texts()
        .into_iter()
        .map(|text| {
            let mut frame: Value = serde_json::from_str(&text).unwrap();
            let cursor = frame["payload"]["cursor"].as_str().unwrap().to_owned();
            frame["payload"]["cursor"] = Value::Null;
            (frame.to_string(), cursor)
        })
        .collect()
}

/// Everything that a client that was always there is told of.
async fn all(logs: &Arc<dyn Read>, lanes: &[LaneView]) -> Vec<String> {
    let start = Start::After(Cursor { session: session(), places: Vec::new() });
    let mut follow = Follow::from(&session(), lanes, &start).unwrap();
    let mut told = Vec::new();
    while follow.behind() {
        let mut out = Outbound::default();
        follow.pull(logs, &ctx(), &mut out).await.unwrap();
        told.extend(taken(&mut out).into_iter().map(|(text, _)| text));
    }
    told
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Wherever a connection ends, also between two events of one entry, and whether news came by
    /// signal or by reading: the client that resumes has each event once, in its lane's order.
    #[test]
    fn a_resumed_client_misses_nothing_and_hears_nothing_twice(
        kinds in prop::collection::vec((0_u8..4, 0_usize..2, any::<bool>()), 1..30),
        cuts in prop::collection::vec(0_usize..6, 0..20),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let logs = Arc::new(Logs::default());
            logs.add(1);
            logs.add(2);
            let read: Arc<dyn Read> = logs.clone();
            let start = Start::After(Cursor { session: session(), places: Vec::new() });
            let mut follow = Follow::from(&session(), &logs.views(), &start).unwrap();
            let mut cuts = cuts.into_iter();
            let mut have = Vec::new();
            for (number, (kind, lane, signalled)) in kinds.into_iter().enumerate() {
                let row = logs.append(lane, entry(kind, number));
                let mut out = Outbound::default();
                if signalled {
                    let id = LaneId::from_bits(lane as u128 + 1);
                    prop_assert!(follow.advanced(&id, row.seq, std::slice::from_ref(&row), &mut out).unwrap());
                } else {
                    follow.look(&read, &ctx()).await.unwrap();
                }
                while follow.behind() {
                    follow.pull(&read, &ctx(), &mut out).await.unwrap();
                }
                let told = taken(&mut out);
                match cuts.next() {
                    // The connection ends after so many of the frames.
                    Some(cut) if cut < told.len() => {
                        let last = told[..cut].last().map(|(_, cursor)| cursor.clone());
                        have.extend(told.into_iter().take(cut).map(|(text, _)| text));
                        if let Some(text) = last {
                            let start = Start::After(Cursor::decode(&text).unwrap());
                            follow = Follow::from(&session(), &logs.views(), &start).unwrap();
                            let mut out = Outbound::default();
                            while follow.behind() {
                                follow.pull(&read, &ctx(), &mut out).await.unwrap();
                            }
                            have.extend(taken(&mut out).into_iter().map(|(text, _)| text));
                        } else {
                            have.extend(told_again(&logs, &have).await);
                            let start = Start::Ends;
                            follow = Follow::from(&session(), &logs.views(), &start).unwrap();
                        }
                    }
                    _ => have.extend(told.into_iter().map(|(text, _)| text)),
                }
            }
            let expect = all(&read, &logs.views()).await;
            prop_assert_eq!(by_lane(&have), by_lane(&expect));
            Ok(())
        })?;
    }
}

/// What a client that took none of the last frames still lacks.
async fn told_again(logs: &Arc<Logs>, have: &[String]) -> Vec<String> {
    let read: Arc<dyn Read> = logs.clone();
    let everything = all(&read, &logs.views()).await;
    everything.into_iter().filter(|text| !have.contains(text)).collect()
}

/// Order holds within a lane only.
fn by_lane(texts: &[String]) -> [Vec<&String>; 2] {
    [1, 2].map(|lane| {
        let id = LaneId::from_bits(lane).to_string();
        texts.iter().filter(|text| text.contains(&id)).collect()
    })
}

#[track_caller]
fn check_fits(cursor: Cursor, fits: bool) {
    let logs = Logs::default();
    logs.add(1);
    for number in 0..5 {
        logs.append(0, entry(0, number));
    }
    let mut views = logs.views();
    views[0].head.retained_from = Seq(3);
    let follow = Follow::from(&session(), &views, &Start::After(cursor.clone()));
    assert_eq!(follow.is_some(), fits, "{cursor:?}");
}

#[test]
fn a_cursor_that_does_not_fit_means_reading_again() {
    let at = |session: SessionId, lane, seq| Cursor {
        session,
        places: vec![(LaneId::from_bits(lane), Place { seq: Seq(seq), part: 0 })],
    };
    check_fits(at(session(), 1, 2), true);
    check_fits(at(session(), 1, 5), true);
    // Entry 2 is gone.
    check_fits(at(session(), 1, 1), false);
    // From a log that was longer.
    check_fits(at(session(), 1, 6), false);
    // Of a lane, or a session, that this is not.
    check_fits(at(session(), 2, 3), false);
    check_fits(at(SessionId::from_bits(8), 1, 3), false);
}

#[tokio::test]
async fn a_lane_made_later_is_told_from_its_beginning() {
    let logs = Arc::new(Logs::default());
    logs.add(1);
    let read: Arc<dyn Read> = logs.clone();
    let mut follow = Follow::from(&session(), &logs.views(), &Start::Ends).unwrap();
    logs.add(2);
    let row = logs.append(1, entry(0, 7));
    let mut out = Outbound::default();
    let id = LaneId::from_bits(2);
    assert!(!follow.advanced(&id, row.seq, std::slice::from_ref(&row), &mut out).unwrap());
    follow.find_new(&read, &ctx()).await.unwrap();
    follow.pull(&read, &ctx(), &mut out).await.unwrap();
    let told = taken(&mut out);
    assert!(told.len() == 1 && told[0].0.contains("message 7"), "{told:?}");
}

#[tokio::test]
async fn a_slow_client_keeps_its_place() {
    let logs = Arc::new(Logs::default());
    logs.add(1);
    let read: Arc<dyn Read> = logs.clone();
    let mut follow = Follow::from(&session(), &logs.views(), &Start::Ends).unwrap();
    for number in 0..10 {
        logs.append(0, message(format!("{number}:{}", "x".repeat(40 * 1024))));
    }
    follow.look(&read, &ctx()).await.unwrap();
    let mut out = Outbound::default();
    follow.pull(&read, &ctx(), &mut out).await.unwrap();
    let first = taken(&mut out).len();
    assert!((1..10).contains(&first), "{first} messages at once");
    assert!(follow.behind());
    let mut told = first;
    while follow.behind() {
        follow.pull(&read, &ctx(), &mut out).await.unwrap();
        told += taken(&mut out).len();
    }
    assert_eq!(told, 10);
}
