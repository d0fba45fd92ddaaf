//! What a bound session costs while nothing happens.

use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use serde_json::json;
use tests::client::Client;
use tests::node::{Bootstrap, Node, Options};

use super::machine::resident_kib;
use super::measure::{Row, Stat, Unit};

const SESSIONS: usize = 10_000;
/// Sessions that are opened before the count begins: pools and caches have their size then.
const WARM: usize = 200;
/// Sessions that are opened at once.
const OPENING: usize = 32;
/// Descriptors for everything else.
const SPARE: usize = 200;
/// Time for buffers to be given back.
const REST: Duration = Duration::from_secs(3);

/// Resident memory for each of 10,000 sessions, or of as many as the system allows.
pub(crate) async fn rows() -> anyhow::Result<Vec<Row>> {
    let node = Node::start(Options::default())?;
    let bootstrap = node.bootstrap()?;
    let mut clients = open(&bootstrap, WARM).await?;
    tokio::time::sleep(REST).await;
    let before = resident_kib(node.pid())?;
    let count = SESSIONS.min(descriptors()?.saturating_sub(SPARE + WARM));
    clients.extend(open(&bootstrap, count).await?);
    tokio::time::sleep(REST).await;
    #[expect(clippy::cast_precision_loss, reason = "ten thousand sessions")]
    let each = (resident_kib(node.pid())? - before) / count as f64;
    let what = format!("resident memory of a bound, idle session, of {count}");
    Ok(vec![Row::value(what, Unit::KibiBytes, each).target(Stat::Value, 16.0)])
}

async fn open(bootstrap: &Bootstrap, count: usize) -> anyhow::Result<Vec<Client>> {
    let clients = (0..count).map(|_| async {
        let mut client = Client::connect(bootstrap).await?;
        client.ask("session-create", json!({"projectId": bootstrap.project})).await?;
        anyhow::Ok(client)
    });
    futures::stream::iter(clients).buffer_unordered(OPENING).try_collect().await
}

/// How many files this process may have open; the node inherits it.
fn descriptors() -> anyhow::Result<usize> {
    let limits = std::fs::read_to_string("/proc/self/limits")?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let soft = line.and_then(|line| line.split_whitespace().next()).unwrap_or_default();
    Ok(soft.parse().unwrap_or(usize::MAX))
}
