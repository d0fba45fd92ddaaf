//! How many turns a node does in a second: 100 sessions of 20 turns, a model over HTTP that answers at once.

use futures::future::try_join_all;
use serde_json::json;
use tests::client::Client;
use tests::node::{Bootstrap, Node, Options};
use tests::provider::Provider;
use tokio::time::Instant;

use super::machine::processor_seconds;
use super::measure::{Row, Stat, Unit};

const SESSIONS: usize = 100;
const TURNS: usize = 20;
/// Turns of each session that are not counted.
const WARM: usize = 2;

/// The rate, and what a turn costs the node alone: clients and provider share the machine.
pub(crate) async fn rows() -> anyhow::Result<Vec<Row>> {
    let provider = Provider::start()?;
    let node = Node::start(Options::model("anthropic", provider.url()))?;
    let bootstrap = node.bootstrap()?;
    let mut clients = try_join_all((0..SESSIONS).map(|_| bound(&bootstrap))).await?;
    try_join_all(clients.iter_mut().map(|client| talk(client, WARM))).await?;
    let (start, used) = (Instant::now(), processor_seconds(node.pid())?);
    try_join_all(clients.iter_mut().map(|client| talk(client, TURNS))).await?;
    let (seconds, used) = (start.elapsed().as_secs_f64(), processor_seconds(node.pid())? - used);
    #[expect(clippy::cast_precision_loss, reason = "a few thousand turns")]
    let turns = (SESSIONS * TURNS) as f64;
    let what = "turns per second, 100 sessions × 20 turns, fsync on, clients and model on the same machine";
    Ok(vec![
        Row::value(what, Unit::PerSecond, turns / seconds).target(Stat::Value, 2_000.0),
        Row::value(
            "processor time of the brain for one of them",
            Unit::Milliseconds,
            used / turns * 1e3,
        ),
    ])
}

async fn bound(bootstrap: &Bootstrap) -> anyhow::Result<Client> {
    let mut client = Client::connect(bootstrap).await?;
    client.ask("session-create", json!({"projectId": bootstrap.project})).await?;
    Ok(client)
}

async fn talk(client: &mut Client, turns: usize) -> anyhow::Result<()> {
    for _ in 0..turns {
        client.turn("and the next one?").await?;
    }
    Ok(())
}
