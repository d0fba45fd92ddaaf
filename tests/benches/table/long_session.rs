//! Whether turns get slower as a session grows.

use std::time::Duration;

use serde_json::json;
use tests::client::Client;
use tests::fake_provider;
use tests::node::{Node, Options};
use tokio::time::Instant;

use super::measure::{Row, Stat, Unit};
use super::seeded::Seeded;

const TURNS: usize = 1_005;
/// Turns on either side of the tenth and of the thousandth that are measured with it.
const AROUND: usize = 5;

/// One session over its socket, with 1,000 skills and a model over HTTP.
pub(crate) async fn rows(seeded: &mut Seeded) -> anyhow::Result<Vec<Row>> {
    let quiet = fake_provider::Options { record: false, ..fake_provider::Options::default() };
    let model = fake_provider::serve(quiet).await?;
    let data = seeded.folder(1_000).await?;
    let mut node = Node::start_on(&data, Options::model("anthropic", &model.url()))?;
    let bootstrap = node.bootstrap()?;
    let mut client = Client::connect(&bootstrap).await?;
    client.ask("session-create", json!({"projectId": bootstrap.project})).await?;
    let mut times = Vec::with_capacity(TURNS);
    for _ in 0..TURNS {
        let start = Instant::now();
        client.turn("and what of the next one?").await?;
        times.push(start.elapsed());
    }
    node.stop()?;
    let around = |turn: usize| &times[turn - AROUND..(turn + AROUND).min(TURNS)];
    let (early, late) = (around(10), around(1_000));
    let ratio = median(late).as_secs_f64() / median(early).as_secs_f64();
    Ok(vec![
        Row::value("turn 1,000 of a session over turn 10, medians of 10", Unit::Times, ratio)
            .target(Stat::Value, 1.3),
        Row::times("turns around turn 10, over the socket", Unit::Milliseconds, early),
        Row::times("turns around turn 1,000, over the socket", Unit::Milliseconds, late),
    ])
}

fn median(times: &[Duration]) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort();
    sorted[sorted.len() / 2]
}
