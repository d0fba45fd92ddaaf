//! Whatever was written is seen by the very next lookup.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use api_types::ids::SkillName;
use api_types::skills::SkillScope::{self, Project, User, Vance};
use api_types::skills::SkillState;
use proptest::prelude::*;

use super::desk::*;
use crate::bundled::Bundled;
use crate::documents::{At, Change, Store};
use crate::mirror::Mirror;
use crate::port::Page;
use crate::skills::catalogue::{Entry, Layer};
use crate::skills::head_parser::SKILLS;
use crate::skills::locks::NoLocks;
use crate::store::embedded::OpenMode;

const FOLDERS: [&str; 4] = ["alpha", "be-ta", "Be_Ta", "b!d"];
const FILES: [&str; 3] = ["SKILL.md", "ref.md", "deep/x.md"];

#[derive(Clone, Debug)]
enum Step {
    Put {
        layer: usize,
        folder: usize,
        file: usize,
        text: usize,
        parsed: bool,
    },
    Move {
        layer: usize,
        from: usize,
        to: usize,
        file: usize,
    },
    Purge {
        layer: usize,
        folder: usize,
        file: usize,
    },
    /// Something else below `_vance/`, which raises the counter and changes no skill.
    Other {
        layer: usize,
    },
    /// Two files in one set.
    Pair {
        layer: usize,
        folder: usize,
        text: usize,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let (l, f, n, t) = (0..3usize, 0..FOLDERS.len(), 0..FILES.len(), 0..5usize);
    prop_oneof![
        6 => (l.clone(), f.clone(), n.clone(), t.clone(), any::<bool>()).prop_map(
            |(layer, folder, file, text, parsed)| Step::Put { layer, folder, file, text, parsed }
        ),
        2 => (l.clone(), f.clone(), f.clone(), n.clone())
            .prop_map(|(layer, from, to, file)| Step::Move { layer, from, to, file }),
        3 => (l.clone(), f.clone(), n)
            .prop_map(|(layer, folder, file)| Step::Purge { layer, folder, file }),
        1 => l.clone().prop_map(|layer| Step::Other { layer }),
        1 => (l, f, t).prop_map(|(layer, folder, text)| Step::Pair { layer, folder, text }),
    ]
}

fn layer_of(index: usize) -> SkillScope {
    [User, Project, Vance][index]
}

fn at(folder: usize, file: usize) -> String {
    format!("{SKILLS}/{}/{}", FOLDERS[folder], FILES[file])
}

fn text(variant: usize) -> String {
    match variant {
        0 => skill_md("Plain", "", "plain"),
        1 => skill_md("Off", "enabled: false\n", "off"),
        2 => skill_md("Refers", "referenceDocs:\n  - title: R\n    file: ref.md\n", "refers"),
        3 => "no head".to_owned(),
        _ => skill_md("Wrong", "triggers: wrong\n", "wrong"),
    }
}

fn changes(step: &Step, count: usize) -> (SkillScope, Vec<Change>) {
    match *step {
        Step::Put { layer, folder, file, text: variant, parsed } => {
            let body = if file == 0 { text(variant) } else { format!("text {variant}") };
            let mut change = put(&at(folder, file), body);
            if let Change::Put { shape, .. } = &mut change
                && !parsed
            {
                shape.head = None;
            }
            (layer_of(layer), vec![change])
        }
        Step::Move { layer, from, to, file } => {
            (layer_of(layer), vec![rename(&at(from, file), &at(to, file))])
        }
        Step::Purge { layer, folder, file } => (layer_of(layer), vec![purge(&at(folder, file))]),
        Step::Other { layer } => {
            (layer_of(layer), vec![put("_vance/recipes/x.yaml", format!("{count}"))])
        }
        Step::Pair { layer, folder, text: variant } => {
            let files = vec![put(&at(folder, 0), text(variant)), put(&at(folder, 1), "pair")];
            (layer_of(layer), files)
        }
    }
}

/// All documents of the layer, read and parsed as if for the first time.
async fn naive(desk: &Desk, layer: SkillScope) -> Layer {
    let (store, project) = (&desk.store.inner, project(layer));
    let (slice, _) = store.list(&ctx(), &project, SKILLS, Page::default()).await.unwrap();
    let mut files = BTreeMap::new();
    for row in slice.rows {
        let document = store.get(&ctx(), &project, &row.path, At::Latest).await.unwrap();
        files.insert(row.path, document.body);
    }
    Layer::of_files(files.iter().map(|(path, body)| (path, &body[..])))
}

type Seen = (String, SkillState, String, Vec<String>, Vec<(String, u64)>);

fn seen(entry: &Entry) -> Seen {
    let files = entry.folder().files().iter().map(|(path, file)| (path.to_string(), file.size));
    (
        entry.folder().name().to_owned(),
        entry.state(),
        entry.head().title.clone(),
        entry.diagnostics().map(ToString::to_string).collect(),
        files.collect(),
    )
}

fn all(layer: &Layer) -> (BTreeMap<SkillName, Seen>, Vec<Seen>) {
    let named = layer.entries().iter().map(|(name, entry)| (name.clone(), seen(entry)));
    (named.collect(), layer.nameless().map(|entry| seen(entry)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn every_write_is_seen_by_the_next_lookup(steps in proptest::collection::vec(step(), 1..40), rows_max in 1..4usize) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let desk = Desk::new();
            desk.store.rows_max.store(rows_max, Ordering::SeqCst);
            for (count, step) in steps.iter().enumerate() {
                let (layer, set) = changes(step, count);
                // Moves and purges of what is not there are refused, and change nothing.
                drop(desk.apply(&project(layer), set).await);
                let visible = desk.skills.visible(&ctx(), &scope()).await.unwrap();
                for (of, layer) in &visible.layers[..3] {
                    assert_eq!(all(layer), all(&naive(&desk, *of).await), "{of:?} after {step:?}");
                }
                for summary in visible.effective().iter().filter(|s| s.state == SkillState::Valid) {
                    let skill = desk.skills.load(&ctx(), &scope(), &summary.name).await.unwrap();
                    let path = path(&summary.entry.folder().path_of("SKILL.md"));
                    let project = project(summary.scope);
                    let now = desk.store.inner.get(&ctx(), &project, &path, At::Latest).await.unwrap();
                    let now = String::from_utf8(now.body.to_vec()).unwrap();
                    assert!(now.ends_with(&*skill.body), "{now:?} {:?}", skill.body);
                }
            }
        });
    }
}

#[tokio::test]
async fn a_warm_lookup_reads_no_document_and_a_layer_is_loaded_once_for_all() {
    let desk = Desk::new();
    for at in ["_vance/skills/a/SKILL.md", "_vance/skills/b/SKILL.md"] {
        desk.write(Project, at, skill_md("T", "", "body")).await;
    }
    let (ctx, scope) = (ctx(), scope());
    let lookups = (0..50).map(|_| desk.skills.visible(&ctx, &scope));
    let found = futures::future::join_all(lookups).await;
    assert!(found.into_iter().all(|visible| visible.unwrap().effective().len() == 2));
    // Layers that were never written have nothing to load but their emptiness.
    assert_eq!(desk.store.counts(), (3, 0));
    desk.skills.load(&ctx, &scope, &name("a")).await.unwrap();
    assert_eq!(desk.store.counts(), (3, 1));
    desk.skills.load(&ctx, &scope, &name("a")).await.unwrap();
    desk.skills.effective(&ctx, &scope).await.unwrap();
    assert_eq!(desk.store.counts(), (3, 1));
    desk.write(Project, "_vance/skills/b/SKILL.md", skill_md("T", "", "new")).await;
    let again = (0..50).map(|_| desk.skills.visible(&ctx, &scope));
    futures::future::join_all(again).await;
    assert_eq!(desk.store.counts(), (4, 1), "one delta, one layer, no body");
}

#[tokio::test]
async fn a_loader_that_is_cancelled_leaves_the_work_to_the_next() {
    let desk = Desk::new();
    desk.write(Project, "_vance/skills/a/SKILL.md", skill_md("T", "", "body")).await;
    let (first, scope) = (ctx(), scope());
    let mut cancelled = Box::pin(desk.skills.visible(&first, &scope));
    assert!(futures::poll!(&mut cancelled).is_pending());
    assert!(futures::poll!(&mut cancelled).is_pending());
    first.cancel.cancel();
    assert!(cancelled.await.is_err());
    assert_eq!(desk.listing().await, ["a project valid"]);
}

/// Each set writes two skills and a reference with one number; a lookup between its pages must
/// never mix two numbers.
#[tokio::test]
async fn readers_never_see_half_a_change_set() {
    let desk = Desk::new();
    desk.store.rows_max.store(1, Ordering::SeqCst);
    let docs = "referenceDocs:\n  - title: R\n    file: ref.md\n";
    let set = |number: usize| {
        let skill = skill_md(&format!("N{number}"), docs, &format!("{number}"));
        vec![
            put("_vance/skills/a/SKILL.md", &skill),
            put("_vance/skills/a/ref.md", format!("{number}")),
            put("_vance/skills/z/SKILL.md", &skill),
            put("_vance/skills/z/ref.md", format!("{number}")),
        ]
    };
    desk.apply(&home(), set(0)).await.unwrap();
    let (ctx, scope) = (ctx(), scope());
    let writer = async {
        for number in 1..200 {
            desk.apply(&home(), set(number)).await.unwrap();
            for _ in 0..number % 13 {
                tokio::task::yield_now().await;
            }
        }
    };
    let reader = async {
        let mut titles = std::collections::BTreeSet::new();
        for _ in 0..60 {
            let visible = desk.skills.visible(&ctx, &scope).await.unwrap();
            let of: Vec<String> =
                visible.effective().iter().map(|s| s.entry.head().title.clone()).collect();
            assert_eq!(of[0], of[1]);
            titles.insert(of[0].clone());
            let skill = desk.skills.load(&ctx, &scope, &name("a")).await.unwrap();
            assert_eq!(skill.body.trim(), &*skill.inline_docs[0].content);
        }
        assert!(titles.len() > 1, "the writer ran meanwhile");
    };
    futures::join!(writer, reader);
}

#[tokio::test]
async fn a_store_that_fails_under_way_leaves_the_last_state_and_the_next_lookup_catches_up() {
    let desk = Desk::new();
    desk.write(Project, "_vance/skills/a/SKILL.md", skill_md("One", "", "")).await;
    assert_eq!(desk.listing().await, ["a project valid"]);
    desk.store.rows_max.store(1, Ordering::SeqCst);
    for at in ["_vance/skills/b/SKILL.md", "_vance/skills/c/SKILL.md"] {
        desk.write(Project, at, skill_md("Two", "", "")).await;
    }
    desk.store.failures.store(1, Ordering::SeqCst);
    let failed = desk.skills.effective(&ctx(), &scope()).await.unwrap_err();
    assert_eq!(failed.to_string(), "the store is unavailable: cut off");
    assert_eq!(desk.listing().await, ["a project valid", "b project valid", "c project valid"]);
}

#[tokio::test]
async fn mirrors_that_do_not_fit_are_read_again() {
    let desk = Desk::new();
    let mirror = Mirror::<Layer>::new(desk.store.clone(), 4_000);
    let projects = [User, Project, Vance].map(project);
    for (number, project) in projects.iter().enumerate() {
        let at = format!("_vance/skills/s{number}/SKILL.md");
        desk.apply(project, vec![put(&at, skill_md("T", "", ""))]).await.unwrap();
    }
    for _ in 0..3 {
        for (number, project) in projects.iter().enumerate() {
            let views = mirror.views(&ctx(), std::slice::from_ref(project)).await.unwrap();
            assert!(views[0].shelf.get(&name(&format!("s{number}"))).is_some());
            assert!(mirror.bytes() <= 4_000);
        }
    }
    let (deltas, _) = desk.store.counts();
    assert!(deltas > 3, "the bound made it read again");
}

/// Threads of the store's own: whoever got the answer to a write finds it, whatever others do.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_writer_finds_what_it_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let mode = OpenMode::Folder(folder.path().to_owned());
    let desk = Desk::on(mode, Bundled::of([]), Arc::new(NoLocks));
    let (ctx, scope) = (ctx(), scope());
    let writer = async |number: usize| {
        let (of, at) = (format!("s{number}"), format!("_vance/skills/s{number}/SKILL.md"));
        for round in 0..20 {
            let title = format!("T{round}");
            desk.write([User, Project, Vance][round % 3], &at, skill_md(&title, "", "")).await;
            let visible = desk.skills.visible(&ctx, &scope).await.unwrap();
            let resolution = visible.resolve(&name(&of));
            let titles = resolution.candidates().iter().map(|r| &r.copy.content.head().title);
            assert!(titles.into_iter().any(|found| *found == title));
        }
    };
    futures::future::join_all((0..8).map(writer)).await;
}
