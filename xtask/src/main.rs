//! Chores of the project: `cargo xtask` lists them.

mod bench;
mod demo;
mod test;
mod tidy;
mod typescript;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use clap::Parser;

/// Chores of the project.
#[derive(Parser)]
#[command(name = "cargo xtask")]
enum Chore {
    /// Build everything, start a brain and get a first answer with a skill.
    Demo(demo::Args),
    /// Run all tests, and the checks of the project's shape.
    Test(test::Args),
    /// Check the project's shape only.
    Tidy,
    /// Export the wire types as TypeScript.
    Typescript(typescript::Args),
    /// Measure the targets and print the table.
    Bench(bench::Args),
}

fn main() -> anyhow::Result<()> {
    let root = root();
    match Chore::parse() {
        Chore::Demo(args) => demo::run(&root, &args),
        Chore::Test(args) => test::run(&root, &args),
        Chore::Tidy => tidy::run(&root),
        Chore::Typescript(args) => typescript::run(&root, &args),
        Chore::Bench(args) => bench::run(&root, &args),
    }
}

/// The project's folder.
fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_owned()
}

/// Where cargo puts what it builds.
fn target_folder(root: &Path) -> anyhow::Result<PathBuf> {
    let output = Command::new("cargo")
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root)
        .output()
        .context("can't run cargo")?;
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).context("cargo metadata is no JSON")?;
    let folder =
        metadata["target_directory"].as_str().context("cargo metadata names no target folder")?;
    Ok(folder.into())
}

/// Runs a command and fails with it.
fn must(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("can't run {command:?}"))?;
    if status.success() { Ok(()) } else { bail!("{command:?} failed: {status}") }
}

/// A cargo command in the project's folder.
fn cargo(root: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.args(args).current_dir(root);
    command
}
