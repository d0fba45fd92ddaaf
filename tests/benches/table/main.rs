//! The targets, measured in one run on one machine, as a table: `cargo xtask bench [NAME…]`.
//!
//! No test asserts a time: a row says what was measured and how far it is from its target. Each
//! benchmark warms up, repeats, and gives the distribution; the disk's own stands below the table.

#![expect(clippy::print_stdout, reason = "the table is what this program is for")]

mod compose;
mod foot_run;
mod inside;
mod loader;
mod long_session;
mod machine;
mod measure;
mod memory;
mod own_time;
mod resolver;
mod seeded;
mod start;
mod turns;
mod written;

use std::pin::Pin;

use self::measure::Row;
use self::seeded::Seeded;

type Rows<'a> = Pin<Box<dyn Future<Output = anyhow::Result<Vec<Row>>> + 'a>>;

/// A name for the command line, and what it measures.
type Benchmark = (&'static str, fn(&mut Seeded) -> Rows<'_>);

const BENCHMARKS: &[Benchmark] = &[
    ("loader", |_| Box::pin(async { loader::rows() })),
    ("resolver", |_| Box::pin(resolver::rows())),
    ("compose", |_| Box::pin(async { compose::rows() })),
    ("own-time", |_| Box::pin(own_time::rows())),
    ("long-session", |seeded| Box::pin(long_session::rows(seeded))),
    ("turns", |_| Box::pin(turns::rows())),
    ("start", |seeded| Box::pin(start::rows(seeded))),
    ("foot", |seeded| Box::pin(foot_run::rows(seeded))),
    ("memory", |_| Box::pin(memory::rows())),
];

fn main() -> anyhow::Result<()> {
    // Cargo adds flags of its own.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let unknown = wanted.iter().find(|name| BENCHMARKS.iter().all(|(known, _)| known != name));
    if let Some(unknown) = unknown {
        let names: Vec<_> = BENCHMARKS.iter().map(|(name, _)| *name).collect();
        anyhow::bail!("no benchmark {unknown:?}; there are: {}", names.join(", "));
    }
    // Plain HTTP only, but the client wants a provider of cryptography all the same.
    drop(rustls::crypto::ring::default_provider().install_default());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(run(&wanted))
}

async fn run(wanted: &[String]) -> anyhow::Result<()> {
    let mut seeded = Seeded::default();
    let (mut rows, mut failed) = (Vec::new(), 0);
    for (name, measure) in BENCHMARKS {
        if !wanted.is_empty() && wanted.iter().all(|wanted| wanted != name) {
            continue;
        }
        eprintln!("measuring {name} …");
        match measure(&mut seeded).await {
            Ok(more) => {
                more.iter().for_each(|row| eprintln!("  {row}"));
                rows.extend(more);
            }
            Err(error) => {
                failed += 1;
                eprintln!("  {name} failed: {error:#}");
            }
        }
    }
    println!("| what | target | measured | measured / target |\n| --- | --- | --- | --- |");
    rows.iter().for_each(|row| println!("{row}"));
    println!("\n{}", machine::line()?);
    anyhow::ensure!(failed == 0, "{failed} benchmarks failed");
    Ok(())
}
