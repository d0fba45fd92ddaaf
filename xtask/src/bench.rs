//! Measures the targets, from a release build.

use std::path::Path;

use crate::{cargo, must};

/// Options of `bench`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only these benchmarks: `loader`, `resolver`, `turns`, `start`, `foot`, ….
    names: Vec<String>,
}

/// Builds what is measured, then runs the table.
pub(crate) fn run(root: &Path, args: &Args) -> anyhow::Result<()> {
    must(&mut cargo(root, &["build", "--release", "--locked", "--workspace", "--bins"]))?;
    let mut table = cargo(root, &["bench", "--locked", "-p", "tests", "--bench", "table", "--"]);
    must(table.args(&args.names))
}
