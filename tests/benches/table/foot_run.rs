//! How long a user of `foot run` waits until the model is asked.

use std::time::Duration;

use anyhow::Context;
use tests::fake_provider::{self, Handle};
use tests::node::{Node, Options, foot_command};
use tokio::time::Instant;

use super::measure::{Row, Stat, Unit};
use super::seeded::Seeded;

const RUNS: usize = 60;
const WARM: usize = 5;
const PATIENCE: Duration = Duration::from_secs(20);

/// With no, some and very many visible skills, and with one of them active.
pub(crate) async fn rows(seeded: &mut Seeded) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (skills, shown) in [(0, "0"), (100, "100"), (1_000, "1,000"), (10_000, "10,000")] {
        let data = seeded.folder(skills).await?;
        let model = fake_provider::serve(fake_provider::Options::default()).await?;
        let mut node = Node::start_on(&data, Options::model("anthropic", &model.url()))?;
        let what = format!("`foot run` start → model request, {shown} skills");
        rows.push(row(what, &node, &model, &["run", "-p", "hello"]).await?);
        if skills == 1_000 {
            let what = format!("the same, {shown} skills, one activated");
            let args = ["run", "-p", "hello", "--skill", "code-review"];
            rows.push(row(what, &node, &model, &args).await?);
        }
        node.stop()?;
    }
    Ok(rows)
}

async fn row(what: String, node: &Node, model: &Handle, args: &[&str]) -> anyhow::Result<Row> {
    let mut times = Vec::new();
    for run in 0..WARM + RUNS {
        let time = once(node, model, args).await?;
        if run >= WARM {
            times.push(time);
        }
    }
    let row = Row::times(what, Unit::Milliseconds, &times);
    Ok(row.target(Stat::P50, 20.0).target(Stat::P95, 50.0))
}

async fn once(node: &Node, model: &Handle, args: &[&str]) -> anyhow::Result<Duration> {
    let b = node.bootstrap()?;
    let (mut command, _home) =
        foot_command(args, &[("BRAIN_URL", &b.url), ("BRAIN_TOKEN", &b.token)])?;
    model.log().clear();
    let start = Instant::now();
    let child = command.stdout(std::process::Stdio::piped()).spawn()?;
    let output = tokio::task::spawn_blocking(|| child.wait_with_output());
    anyhow::ensure!(model.log().wait(PATIENCE, |all| !all.is_empty()).await, "no request came");
    let asked = model.log().all().first().context("a request was recorded")?.at;
    anyhow::ensure!(output.await??.status.success(), "foot failed");
    Ok(asked - start)
}
