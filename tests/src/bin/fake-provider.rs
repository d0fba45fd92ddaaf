//! The fake model provider as a program; see `tests::fake_provider`.

use std::net::SocketAddr;

use clap::Parser;
use tests::fake_provider::{Options, serve};

/// A model provider that answers by script, goes wrong on demand and records what it was asked.
///
/// POST /_script tells it what to answer, GET /_requests shows what it was asked, DELETE /_requests forgets that.
#[derive(Parser)]
#[command(name = "fake-provider")]
struct Arguments {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Wait before each chunk, in milliseconds.
    #[arg(long, default_value_t = 0)]
    delay_ms: u64,
    /// Keep no requests: for benchmarks.
    #[arg(long)]
    no_record: bool,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let handle = serve(Options {
        listen: arguments.listen,
        delay_ms: arguments.delay_ms,
        record: !arguments.no_record,
    })
    .await?;
    announce(&handle.url());
    tokio::signal::ctrl_c().await?;
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the line that whoever started this waits for")]
fn announce(url: &str) {
    println!("{}", serde_json::json!({"event": "ready", "http": url}));
}
