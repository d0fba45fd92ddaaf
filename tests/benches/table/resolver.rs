//! Resolving names among 10,000 skills of an embedded store.

use std::path::Path;
use std::sync::Arc;

use api_types::ids::{DocumentId, DocumentPath, ProjectId, SkillName};
use brain::bundled::Bundled;
use brain::ctx::{Actor, OpCtx};
use brain::documents::{self, Change, ChangeSet, Expected, Shape};
use brain::runtime::{IdGen, Timestamp};
use brain::skills::locks::NoLocks;
use brain::skills::{Scope, Skills, head_parser};
use brain::store::embedded::{Embedded, OpenMode};
use bytes::Bytes;
use tokio::time::Instant;

use super::measure::{Row, Stat, Unit};
use super::written;

const SKILLS: usize = 10_000;
const SET: usize = 1_000;
const LOOKUPS: usize = 20_000;
const COLD: usize = 7;
const LISTINGS: usize = 50;

/// Warm lookups, and the first one after a start, which reads all heads.
pub(crate) async fn rows() -> anyhow::Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    fill(folder.path()).await?;
    let mut cold = Vec::new();
    for _ in 0..COLD {
        let skills = open(folder.path())?;
        let start = Instant::now();
        resolve(&skills, 0).await?;
        cold.push(start.elapsed());
    }
    let skills = open(folder.path())?;
    let (mut warm, mut listings) = (Vec::with_capacity(LOOKUPS), Vec::new());
    for round in 0..LOOKUPS + LOOKUPS / 10 {
        let start = Instant::now();
        resolve(&skills, round * 7_919 % SKILLS).await?;
        if round >= LOOKUPS / 10 {
            warm.push(start.elapsed());
        }
    }
    for _ in 0..LISTINGS {
        let start = Instant::now();
        skills.effective(&ctx()?, &scope()?).await?;
        listings.push(start.elapsed());
    }
    Ok(vec![
        Row::times("resolve a name, 10,000 skills, embedded", Unit::Microseconds, &warm)
            .target(Stat::P99, 50.0),
        Row::times("list what counts of 10,000 skills", Unit::Milliseconds, &listings),
        Row::times(
            "first lookup after a start: the catalogue of 10,000 skills",
            Unit::Milliseconds,
            &cold,
        ),
    ])
}

fn open(folder: &Path) -> anyhow::Result<Skills> {
    let store = Embedded::open(OpenMode::Folder(folder.to_owned()))?;
    Ok(Skills::new(store, Arc::new(Bundled::default()), Arc::new(NoLocks)))
}

async fn resolve(skills: &Skills, number: usize) -> anyhow::Result<()> {
    let name: SkillName = written::name(number).parse()?;
    let found = skills.resolve(&ctx()?, &scope()?, &name).await?;
    anyhow::ensure!(found.winner().is_some(), "{name} does not resolve");
    Ok(())
}

fn ctx() -> anyhow::Result<OpCtx> {
    Ok(OpCtx::new("acme".parse()?, Actor::User("jane".parse()?)))
}

fn scope() -> anyhow::Result<Scope> {
    Ok(Scope { project: "home".parse()?, user: Some("jane".parse()?) })
}

async fn fill(folder: &Path) -> anyhow::Result<()> {
    let store = Embedded::open(OpenMode::Folder(folder.to_owned()))?;
    let (ids, project): (_, ProjectId) = (IdGen::seeded(1), "home".parse()?);
    for from in (0..SKILLS).step_by(SET) {
        let changes = (from..from + SET).map(put).collect::<anyhow::Result<Vec<Change>>>()?;
        let ids = changes.iter().map(|_| DocumentId::from_bits(ids.bits())).collect();
        let set = ChangeSet { changes, by: "jane".to_owned(), at: Timestamp(1), ids };
        documents::Store::apply(&*store, &ctx()?, &project, set).await?;
    }
    Ok(())
}

fn put(number: usize) -> anyhow::Result<Change> {
    let path: DocumentPath = format!("_vance/skills/{}/SKILL.md", written::name(number)).parse()?;
    let body = written::skill(number);
    let head = head_parser::parse(&path, body.as_bytes());
    let shape = Shape { kind: "skill".to_owned(), mime: "text/markdown".to_owned(), head };
    Ok(Change::Put { path, body: Bytes::from(body), shape, expected: Expected::Any })
}
