//! From a clone to a first answer: build, start a brain, activate a skill in foot.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, bail};

use crate::{cargo, must, target_folder};

/// Options of `demo`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to ask.
    #[arg(long, default_value = "fn add(a: i32, b: i32) -> i32 { a - b }")]
    prompt: String,
    /// The skill to activate.
    #[arg(long, default_value = "code-review")]
    skill: String,
    /// Folder of the brain's data.
    #[arg(long, default_value = "data")]
    data: String,
    /// Leave the brain running when the answer is there.
    #[arg(long)]
    stay: bool,
}

/// Runs it.
pub(crate) fn run(root: &Path, args: &Args) -> anyhow::Result<()> {
    must(&mut cargo(root, &["build", "--locked", "--bin", "brain", "--bin", "foot"]))?;
    let bin = target_folder(root)?.join("debug");
    let (mut brain, url) = start(root, &bin, args)?;
    eprintln!("brain is at {url}; its data is in {}", args.data);
    let bootstrap = root.join(&args.data).join("bootstrap.json");
    let connection: serde_json::Value = serde_json::from_slice(&std::fs::read(&bootstrap)?)?;
    let token = connection["token"].as_str().context("bootstrap.json has no token")?;
    eprintln!("$ foot run --skill {} -p '{}'\n", args.skill, args.prompt);
    let status = Command::new(bin.join("foot"))
        .args([
            "run",
            "--skill",
            &args.skill,
            "-p",
            &args.prompt,
            "--url",
            &url,
            "--tenant",
            "default",
        ])
        .args(["--project", "home"])
        .env("BRAIN_TOKEN", token)
        .current_dir(root)
        .status()
        .context("can't run foot")?;
    if args.stay && status.success() {
        eprintln!("\nbrain goes on; in another terminal: {} chat", bin.join("foot").display());
        brain.wait()?;
        return Ok(());
    }
    brain.kill()?;
    brain.wait()?;
    if status.success() { Ok(()) } else { bail!("foot failed: {status}") }
}

/// Starts a brain on a free port and waits until it accepts connections.
fn start(root: &Path, bin: &Path, args: &Args) -> anyhow::Result<(Child, String)> {
    let mut brain = Command::new(bin.join("brain"))
        .args(["serve", "--data", &args.data, "--listen", "127.0.0.1:0"])
        .env("BRAIN_LOG", "warn")
        .current_dir(root)
        .stdout(Stdio::piped())
        .spawn()
        .context("can't start brain")?;
    let out = brain.stdout.take().context("brain has no output")?;
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line)?;
    let ready: serde_json::Value =
        serde_json::from_str(&line).context("brain did not become ready; its message is above")?;
    let url = ready["http"].as_str().context("brain names no address")?.to_owned();
    Ok((brain, url))
}
