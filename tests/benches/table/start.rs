//! From nothing to a node that answers, with 10,000 skills stored.

use serde_json::json;
use tests::client::Client;
use tests::fake_provider;
use tests::node::{Node, Options};
use tokio::time::Instant;

use super::measure::{Row, Stat, Unit};
use super::seeded::Seeded;

const SKILLS: usize = 10_000;
const STARTS: usize = 15;

/// Starts on a folder that was left in order; the disk's cache is warm.
pub(crate) async fn rows(seeded: &mut Seeded) -> anyhow::Result<Vec<Row>> {
    let model = fake_provider::serve(fake_provider::Options::default()).await?;
    let data = seeded.folder(SKILLS).await?;
    let (mut ready, mut first, mut skilled) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let start = Instant::now();
        let mut node = Node::start_on(&data, Options::model("anthropic", &model.url()))?;
        ready.push(start.elapsed());
        let start = Instant::now();
        let bootstrap = node.bootstrap()?;
        let mut client = Client::connect(&bootstrap).await?;
        client.ask("session-create", json!({"projectId": bootstrap.project})).await?;
        client.turn("the first one").await?;
        first.push(start.elapsed());
        let start = Instant::now();
        let activate =
            json!({"processName": "chat", "command": "ACTIVATE", "skillName": "skill-04999"});
        client.ask("process-skill", activate).await?;
        client.turn("one with a skill").await?;
        skilled.push(start.elapsed());
        node.stop()?;
    }
    Ok(vec![
        Row::times("`brain serve` start → ready, 10,000 skills stored", Unit::Milliseconds, &ready)
            .target(Stat::P50, 300.0),
        Row::times("first turn after it, from connecting to its end", Unit::Milliseconds, &first)
            .target(Stat::P50, 150.0),
        Row::times(
            "first skill after it: activation and a turn with it",
            Unit::Milliseconds,
            &skilled,
        )
        .target(Stat::P50, 150.0),
    ])
}
