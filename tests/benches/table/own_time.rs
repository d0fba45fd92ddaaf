//! What a turn costs besides its model: 1,000 skills visible, one active.

use std::path::Path;
use std::time::Duration;

use super::inside::Inside;
use super::measure::{Row, Stat, Unit};

const SKILLS: usize = 1_000;
const SESSIONS: usize = 10;
const TURNS: usize = 100;
/// Turns of each session that are not counted.
const WARM: usize = 5;
/// A file system in memory: there an fsync costs nothing, and all else is the same.
const MEMORY: &str = "/dev/shm";

/// In memory and on the disk.
pub(crate) async fn rows() -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    if Path::new(MEMORY).is_dir() {
        let folder = tempfile::tempdir_in(MEMORY)?;
        let what = "own time of a turn without fsync, 1,000 skills";
        let row = Row::times(what, Unit::Milliseconds, &measure(folder.path()).await?);
        rows.push(row.target(Stat::P50, 0.6).target(Stat::P99, 3.0));
    }
    let folder = tempfile::tempdir()?;
    let what = "own time of a turn with fsync, 1,000 skills";
    let row = Row::times(what, Unit::Milliseconds, &measure(folder.path()).await?);
    rows.push(row.target(Stat::P50, 2.0));
    Ok(rows)
}

async fn measure(folder: &Path) -> anyhow::Result<Vec<Duration>> {
    let node = Inside::start(folder, SKILLS).await?;
    let mut times = Vec::with_capacity(SESSIONS * TURNS);
    for _ in 0..SESSIONS {
        let mut chat = node.chat().await?;
        for turn in 0..WARM + TURNS {
            let time = chat.turn("what do you think of this change?").await?;
            if turn >= WARM {
                times.push(time);
            }
        }
    }
    Ok(times)
}
