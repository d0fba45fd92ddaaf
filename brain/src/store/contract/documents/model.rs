//! Random change sets against a model that is a map.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::store::contract::Fixture;

#[derive(Clone, Debug)]
enum Op {
    Put { at: usize, body: u8, expected: Guess },
    Move { from: usize, to: usize },
    Purge { at: usize },
}

/// What a change expects, relative to the truth.
#[derive(Clone, Copy, Debug)]
enum Guess {
    Any,
    Absent,
    Right,
    Wrong,
}

const PATHS: [&str; 5] = ["a", "a/b", "_vance/skills/s/SKILL.md", "_vance/trash/1_x", "z"];

fn op() -> impl Strategy<Value = Op> {
    let at = 0..PATHS.len();
    let guess = prop_oneof![
        6 => Just(Guess::Any),
        2 => Just(Guess::Absent),
        3 => Just(Guess::Right),
        1 => Just(Guess::Wrong),
    ];
    prop_oneof![
        5 => (at.clone(), 0..4_u8, guess).prop_map(|(at, body, expected)| Op::Put { at, body, expected }),
        3 => (at.clone(), at.clone()).prop_map(|(from, to)| Op::Move { from, to }),
        1 => at.prop_map(|at| Op::Purge { at }),
    ]
}

/// A document of the model.
#[derive(Clone, Debug, PartialEq)]
struct Doc {
    id: DocumentId,
    body: String,
    revision: u64,
}

type State = BTreeMap<&'static str, Doc>;

/// The model: the state at every revision.
#[derive(Default)]
struct Model(Vec<State>);

impl Model {
    fn now(&self) -> State {
        self.0.last().cloned().unwrap_or_default()
    }

    /// What a set makes of the present state; `None`: it is refused.
    fn apply(&mut self, changes: &[(Op, Change, DocumentId)]) -> Option<()> {
        let (mut state, revision) = (self.now(), self.0.len().max(1) as u64);
        let mut purged = Vec::new();
        let mut changed = false;
        for (op, change, id) in changes {
            match op {
                Op::Put { at, body, .. } => {
                    let found = state.get(PATHS[*at]);
                    let Change::Put { expected, .. } = change else { unreachable!() };
                    holds(*expected, found).then_some(())?;
                    let body = body.to_string();
                    if found.is_none_or(|f| f.body != body) {
                        let id = found.map_or(id, |f| &f.id).clone();
                        state.insert(PATHS[*at], Doc { id, body, revision });
                        changed = true;
                    }
                }
                Op::Move { from, to } => {
                    if state.contains_key(PATHS[*to]) {
                        return None;
                    }
                    let doc = state.remove(PATHS[*from])?;
                    state.insert(PATHS[*to], Doc { revision, ..doc });
                    changed = true;
                }
                Op::Purge { at } => {
                    purged.push(state.remove(PATHS[*at])?.id);
                    changed = true;
                }
            }
        }
        if changed {
            for old in &mut self.0 {
                old.retain(|_, doc| !purged.contains(&doc.id));
            }
            if self.0.is_empty() {
                self.0.push(State::new());
            }
            self.0.push(state);
        }
        Some(())
    }
}

fn holds(expected: Expected, found: Option<&Doc>) -> bool {
    match expected {
        Expected::Any => true,
        Expected::Absent => found.is_none(),
        Expected::Revision(r) => found.is_some_and(|f| f.revision == r.0),
    }
}

/// Expectations refer to the state before the set.
fn change(op: &Op, before: &State) -> Change {
    match op {
        Op::Put { at, body, expected } => {
            let revision = before.get(PATHS[*at]).map(|d| d.revision);
            let expected = match expected {
                Guess::Any => Expected::Any,
                Guess::Absent => Expected::Absent,
                Guess::Right => {
                    revision.map_or(Expected::Absent, |r| Expected::Revision(Revision(r)))
                }
                Guess::Wrong => Expected::Revision(Revision(revision.unwrap_or(0) + 1_000)),
            };
            put(PATHS[*at], &body.to_string(), expected)
        }
        Op::Move { from, to } => rename(PATHS[*from], PATHS[*to], Action::Move),
        Op::Purge { at } => purge(PATHS[*at]),
    }
}

async fn check(store: &dyn Store, sets: Vec<Vec<Op>>) {
    let mut model = Model::default();
    for ops in sets {
        let before = model.now();
        let changes: Vec<_> =
            ops.into_iter().map(|op| (op.clone(), change(&op, &before), fresh())).collect();
        let ids = changes
            .iter()
            .filter(|(op, ..)| matches!(op, Op::Put { .. }))
            .map(|(.., id)| id.clone())
            .collect();
        let set = ChangeSet {
            changes: changes.iter().map(|(_, change, _)| change.clone()).collect(),
            by: "jane".into(),
            at: Timestamp(7),
            ids,
        };
        let applied = store.apply(&ctx(), &home(), set).await;
        let expect = model.apply(&changes);
        assert_eq!(applied.is_ok(), expect.is_some(), "{applied:?}");
        assert_eq!(counters(store).await.0, model.0.len().saturating_sub(1) as u64);
    }
    for (revision, state) in model.0.iter().enumerate() {
        let revision = Revision(revision as u64);
        for at in PATHS {
            let found = store.get(&ctx(), &home(), &path(at), At::Revision(revision)).await.ok();
            let found = found.map(|d| Doc {
                id: d.row.id,
                body: String::from_utf8(d.body.to_vec()).unwrap(),
                revision: d.row.revision.0,
            });
            assert_eq!(found.as_ref(), state.get(at), "{at} at {revision}");
        }
        delta_leads_to_now(store, revision, state, &model.now()).await;
    }
}

/// Whoever knew a revision and reads what changed since, knows the present.
async fn delta_leads_to_now(store: &dyn Store, since: Revision, old: &State, now: &State) {
    let mut known: BTreeMap<String, u64> =
        old.iter().map(|(at, doc)| ((*at).to_owned(), doc.revision)).collect();
    let delta = store.changed(&ctx(), &home(), since, "", Page::default()).await.unwrap();
    for row in delta.rows {
        assert!(row.revision > since);
        if row.deleted {
            known.remove(row.path.as_str());
        } else {
            known.insert(row.path.to_string(), row.revision.0);
        }
    }
    let now: BTreeMap<_, _> =
        now.iter().map(|(at, doc)| ((*at).to_owned(), doc.revision)).collect();
    assert_eq!(known, now, "since {since}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn documents_behave_like_a_map(
        sets in prop::collection::vec(prop::collection::vec(op(), 1..5), 1..20)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(check(&*Fixture::inline().store, sets));
    }
}
