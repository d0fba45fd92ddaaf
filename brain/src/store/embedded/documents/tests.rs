use api_types::ids::DocumentPath;
use bytes::Bytes;
use tokio::time::Instant;

use super::*;
use crate::ctx::{Actor, OPERATION_TIME_MAX};
use crate::documents::{Change, Expected, Shape};
use crate::port::Error;
use crate::runtime::Timestamp;
use crate::store::embedded::OpenMode;

fn ctx() -> OpCtx {
    OpCtx::new("acme".parse().unwrap(), Actor::User("jane".parse().unwrap()))
}

fn home() -> ProjectId {
    "home".parse().unwrap()
}

fn set(count: u64, bytes: usize) -> ChangeSet {
    let change = |i| Change::Put {
        path: format!("_vance/skills/s{i}/SKILL.md").parse::<DocumentPath>().unwrap(),
        body: Bytes::from(vec![b'x'; bytes]),
        shape: Shape { kind: "skill".into(), mime: "text/markdown".into(), head: None },
        expected: Expected::Any,
    };
    let ids = (0..count).map(|i| DocumentId::from_bits(i.into())).collect();
    ChangeSet { changes: (0..count).map(change).collect(), by: "j".into(), at: Timestamp(1), ids }
}

#[tokio::test]
async fn a_full_disk_takes_no_part_of_a_set() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Embedded::open(OpenMode::Folder(folder.path().into())).unwrap();
    let store = open();
    let cap = |c: &rusqlite::Connection| Ok(c.pragma_update(None, "max_page_count", 500)?);
    store.write(Instant::now() + OPERATION_TIME_MAX, cap).await.unwrap();
    let error = store.apply(&ctx(), &home(), set(1_000, 10_000)).await.unwrap_err();
    let Error::Unavailable { reason } = error else { panic!("{error:?}") };
    assert!(reason.contains("free some space"), "{reason}");
    assert_eq!(store.revisions(&ctx(), &[home()]).await.unwrap(), [Revisions::default()]);
    assert_eq!(store.apply(&ctx(), &home(), set(1, 10)).await.unwrap().revisions.all.0, 1);
    drop(store);
    let store = open();
    let (slice, now) = store.list(&ctx(), &home(), "", Page::default()).await.unwrap();
    assert_eq!((slice.rows.len(), now.all.0), (1, 1));
    assert_eq!(store.revisions(&ctx(), &[home()]).await.unwrap(), [now]);
}

/// A catalogue's delta must not walk over what else a project writes.
#[tokio::test]
async fn deltas_use_their_index() {
    let store = Embedded::open(OpenMode::InMemory).unwrap();
    for (under, index) in [
        ("_vance/skills", "documents_config"),
        ("", "documents_changed"),
        ("n", "documents_changed"),
    ] {
        let job = move |c: &rusqlite::Connection| {
            let sql = format!("EXPLAIN QUERY PLAN {}", read::changed_sql(under));
            let mut statement = c.prepare(&sql)?;
            let mut rows = statement.raw_query();
            let mut steps = String::new();
            while let Some(row) = rows.next()? {
                steps += row.get_ref(3)?.as_str().unwrap();
            }
            Ok(steps)
        };
        let plan = store.read(Instant::now() + OPERATION_TIME_MAX, job).await.unwrap();
        assert!(
            plan.contains(&format!("INDEX {index} (project=? AND (revision,path)>(?,?))")),
            "{plan}"
        );
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
    }
}
