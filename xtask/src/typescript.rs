//! The wire types as TypeScript, checked in, so that a browser's build needs no Rust.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::{cargo, must};

/// Where the exported files stand.
const FOLDER: &str = "api-types/typescript";

/// Options of `typescript`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only tell whether the checked-in files are up to date.
    #[arg(long)]
    check: bool,
}

/// Exports, or checks.
pub(crate) fn run(root: &Path, args: &Args) -> anyhow::Result<()> {
    if args.check { check(root) } else { export(root, &root.join(FOLDER)) }
}

/// Fails if the checked-in files differ from the types.
pub(crate) fn check(root: &Path) -> anyhow::Result<()> {
    let fresh = std::env::temp_dir().join(format!("brain-typescript-{}", std::process::id()));
    export(root, &fresh)?;
    let same = contents(&fresh)? == contents(&root.join(FOLDER))?;
    fs::remove_dir_all(&fresh)?;
    if same {
        Ok(())
    } else {
        bail!("{FOLDER} is out of date: run `cargo xtask typescript` and commit it")
    }
}

fn export(root: &Path, folder: &Path) -> anyhow::Result<()> {
    drop(fs::remove_dir_all(folder));
    fs::create_dir_all(folder)?;
    let mut command = cargo(
        root,
        &[
            "test",
            "--quiet",
            "-p",
            "api-types",
            "--features",
            "typescript",
            "--locked",
            "export_bindings",
        ],
    );
    command.env("TS_RS_EXPORT_DIR", folder).stdout(std::process::Stdio::null());
    must(&mut command)?;
    let mut names: Vec<String> = contents(folder)?.into_iter().map(|(name, _)| name).collect();
    names.sort();
    let lines: String = names
        .iter()
        .filter_map(|name| name.strip_suffix(".ts"))
        .map(|stem| format!("export type {{ {stem} }} from \"./{stem}\";\n"))
        .collect();
    fs::write(folder.join("index.ts"), lines).context("can't write the index")
}

fn contents(folder: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let mut files: Vec<(String, String)> = Vec::new();
    if !folder.exists() {
        return Ok(files);
    }
    for entry in fs::read_dir(folder)? {
        let path: PathBuf = entry?.path();
        if path.is_file() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.push((name, fs::read_to_string(&path)?));
        }
    }
    files.sort();
    Ok(files)
}
