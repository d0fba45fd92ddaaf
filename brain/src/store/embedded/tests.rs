use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::*;
use crate::port::Error;

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(30)
}

struct Fixture {
    store: Arc<Embedded>,
    folder: tempfile::TempDir,
}

async fn with_table() -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let store = Embedded::open(OpenMode::Folder(folder.path().into())).unwrap();
    let fixture = Fixture { store, folder };
    create_table(&fixture.store).await;
    fixture
}

async fn create_table(store: &Embedded) {
    let job =
        |c: &Connection| Ok(c.execute_batch("CREATE TABLE t (k INTEGER PRIMARY KEY, v BLOB)")?);
    store.write(soon(), job).await.unwrap();
}

fn insert(conn: &Connection, k: u64) -> Result<u64> {
    conn.prepare_cached("INSERT INTO t VALUES (?1, NULL)")?.execute([k])?;
    Ok(k)
}

async fn count(store: &Embedded) -> u64 {
    let job = |c: &Connection| Ok(c.query_row("SELECT count(*) FROM t", [], |r| r.get(0))?);
    store.read(soon(), job).await.unwrap()
}

#[tokio::test]
async fn a_second_brain_on_the_folder_is_told_the_folder_and_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Embedded::open(OpenMode::Folder(folder.path().into()));
    let first = open().unwrap();
    let text = open().unwrap_err().to_string();
    assert!(text.contains(&folder.path().display().to_string()), "{text}");
    assert!(text.contains("--data"), "{text}");
    assert_eq!(first.boot(), 1);
    drop(first);
    assert_eq!(open().unwrap().boot(), 2);
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(Embedded::open(OpenMode::Folder(folder.path().into())).unwrap());
    let conn = Connection::open(folder.path().join(db::FILE)).unwrap();
    conn.pragma_update(None, "user_version", 10_000).unwrap();
    drop(conn);
    let text = Embedded::open(OpenMode::Folder(folder.path().into())).unwrap_err().to_string();
    assert!(text.contains("10000") && text.contains("newer brain"), "{text}");
}

type TestJob = Box<dyn FnOnce(&Connection) -> Result<u64> + Send>;

/// Jobs that surely share a group: the first holds the writer until the others wait.
async fn one_group(store: &Arc<Embedded>, jobs: Vec<TestJob>) -> Vec<Result<u64>> {
    let (open, gate) = std::sync::mpsc::channel::<()>();
    let hold = store.write(soon(), move |_| {
        gate.recv().unwrap();
        Ok(0)
    });
    let rest = futures::future::join_all(jobs.into_iter().map(|j| store.write(soon(), j)));
    let release = async move { open.send(()).unwrap() };
    let (_, results, ()) = tokio::join!(biased; hold, rest, release);
    results
}

#[tokio::test]
async fn a_failing_job_undoes_only_itself() {
    let f = with_table().await;
    let results = one_group(
        &f.store,
        vec![
            Box::new(|c| insert(c, 1)),
            Box::new(|c| {
                insert(c, 2)?;
                Err(Error::NotFound { what: "it".into() })
            }),
            Box::new(|c| {
                insert(c, 3)?;
                panic!("a bug")
            }),
            Box::new(|c| insert(c, 1)),
            Box::new(|c| insert(c, 4)),
        ],
    )
    .await;
    let shape: Vec<_> = results
        .iter()
        .map(|r| match r {
            Ok(k) => k.to_string(),
            Err(e) => format!("{:?}", e.code()),
        })
        .collect();
    assert_eq!(shape, ["1", "NotFound", "Internal", "Internal", "4"]);
    assert_eq!(count(&f.store).await, 2);
}

#[tokio::test]
async fn what_follows_a_commit_runs_in_order_and_only_after_success() {
    let f = with_table().await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let writes = (0..50_u64).map(|k| {
        let seen = Arc::clone(&seen);
        let job = move |c: &Connection| {
            insert(c, k)?;
            if k % 10 == 3 { Err(Error::Unknown) } else { Ok(k) }
        };
        f.store.write_then(soon(), job, move |k: &u64| seen.lock().unwrap().push(*k))
    });
    futures::future::join_all(writes).await;
    let expect: Vec<_> = (0..50).filter(|k| k % 10 != 3).collect();
    assert_eq!(*seen.lock().unwrap(), expect);
}

#[tokio::test]
async fn a_full_disk_is_said_and_leaves_nothing_half_written() {
    let f = with_table().await;
    let cap = |c: &Connection| {
        let pages: i64 = c.pragma_query_value(None, "page_count", |r| r.get(0))?;
        c.pragma_update(None, "max_page_count", pages + 8)?;
        Ok(())
    };
    f.store.write(soon(), cap).await.unwrap();
    let fill = |c: &Connection| {
        insert(c, 1)?;
        c.execute("INSERT INTO t VALUES (2, zeroblob(1000000))", [])?;
        Ok(0)
    };
    let results = one_group(
        &f.store,
        vec![Box::new(|c| insert(c, 7)), Box::new(fill), Box::new(|c| insert(c, 8))],
    )
    .await;
    let Err(Error::Unavailable { reason }) = &results[1] else { panic!("{results:?}") };
    assert!(reason.contains("free some space"), "{reason}");
    // Whoever was told of success is there, whoever was not is not.
    let told = [&results[0], &results[2]].iter().filter(|r| r.is_ok()).count();
    assert_eq!(count(&f.store).await, told as u64);
    f.store.write(soon(), |c| insert(c, 9)).await.unwrap();
}

#[tokio::test]
async fn a_write_that_was_sent_happens_though_nobody_waits() {
    let f = with_table().await;
    let (open, gate) = std::sync::mpsc::channel::<()>();
    let slow = move |c: &Connection| {
        gate.recv().unwrap();
        insert(c, 1)
    };
    let soon_over = Instant::now() + Duration::from_millis(20);
    let answer = f.store.write(soon_over, slow).await;
    assert!(matches!(answer, Err(Error::Unknown)), "{answer:?}");
    open.send(()).unwrap();
    f.store.write(soon(), |c| insert(c, 2)).await.unwrap();
    assert_eq!(count(&f.store).await, 2);
}

#[tokio::test]
async fn a_full_queue_refuses_before_anything_is_written() {
    let f = with_table().await;
    let (open, gate) = std::sync::mpsc::channel::<()>();
    let hold = f.store.write(soon(), move |_| {
        gate.recv().unwrap();
        Ok(())
    });
    let refused = AtomicU64::new(0);
    let brief = Instant::now() + Duration::from_millis(200);
    let writes = futures::future::join_all((0..2_000).map(|k| {
        let refused = &refused;
        let write = f.store.write(brief, move |c| insert(c, k));
        async move {
            if matches!(write.await, Err(Error::Unavailable { .. })) {
                refused.fetch_add(1, Ordering::Relaxed);
            }
        }
    }));
    let release = async {
        tokio::time::sleep_until(brief + Duration::from_millis(50)).await;
        open.send(()).unwrap();
    };
    let (held, _, ()) = tokio::join!(biased; hold, writes, release);
    held.unwrap();
    f.store.write(soon(), |_| Ok(())).await.unwrap();
    let refused = refused.into_inner();
    assert!(refused > 0, "nothing was refused");
    assert_eq!(count(&f.store).await, 2_000 - refused);
}

#[tokio::test]
async fn everything_answered_is_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Embedded::open(OpenMode::Folder(folder.path().into())).unwrap();
    let store = open();
    create_table(&store).await;
    let writes = (0..1_000).map(|k| store.write(soon(), move |c| insert(c, k)));
    futures::future::join_all(writes).await;
    drop(store);
    assert_eq!(count(&open()).await, 1_000);
}

#[tokio::test(start_paused = true)]
async fn in_memory_nothing_waits_for_the_clock() {
    let store = Embedded::open(OpenMode::InMemory).unwrap();
    create_table(&store).await;
    let before = Instant::now();
    for k in 0..100 {
        store.write(soon(), move |c| insert(c, k)).await.unwrap();
        let undone = store.write(soon(), move |c| insert(c, k)).await;
        assert!(undone.is_err());
    }
    assert_eq!(count(&store).await, 100);
    assert_eq!(before, Instant::now());
}

#[tokio::test]
async fn the_log_does_not_grow_without_end() {
    let f = with_table().await;
    let blob = |k: u64| {
        f.store.write(soon(), move |c: &Connection| {
            c.execute("INSERT OR REPLACE INTO t VALUES (?1, zeroblob(1000000))", [k % 20])?;
            Ok(())
        })
    };
    for round in 0..30 {
        futures::future::join_all((0..8).map(|k| blob(round * 8 + k))).await;
        assert_eq!(count(&f.store).await, 20.min(round * 8 + 8));
    }
    let wal = f.folder.path().join(format!("{}-wal", db::FILE));
    let bytes = std::fs::metadata(wal).unwrap().len();
    assert!(bytes < 150_000_000, "240 MB were written, the log has {bytes} bytes");
}

#[cfg(unix)]
#[tokio::test]
async fn the_data_folder_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;

    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("a/data");
    let _store = Embedded::open(OpenMode::Folder(folder.clone())).unwrap();
    let mode = std::fs::metadata(folder).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}
