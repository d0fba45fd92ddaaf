//! Parsing and linting `SKILL.md` files.

use std::path::{Path, PathBuf};

use skill_lang::load::{Input, load};

use super::measure::{Row, Stat, Unit, repeat};
use super::written;

/// Files that are made up when there are no real ones.
const MADE_UP: usize = 2_000;
/// Rounds over all files.
const ROUNDS: usize = 20;

struct File {
    path: String,
    folder: String,
    bytes: Vec<u8>,
}

/// Real files below `SKILL_CORPUS`, or made-up ones.
pub(crate) fn rows() -> anyhow::Result<Vec<Row>> {
    let made_up = (0..MADE_UP).map(|number| File {
        path: format!("{}/SKILL.md", written::name(number)),
        folder: written::name(number),
        bytes: written::skill(number).into_bytes(),
    });
    let mut rows = vec![row("made-up files", &made_up.collect::<Vec<_>>())];
    if let Some(corpus) = std::env::var_os("SKILL_CORPUS") {
        let mut files = Vec::new();
        below(Path::new(&corpus), &mut files)?;
        anyhow::ensure!(!files.is_empty(), "no SKILL.md below {}", Path::new(&corpus).display());
        rows.push(row("real files", &files));
    }
    Ok(rows)
}

fn row(which: &str, files: &[File]) -> Row {
    let mut valid = 0;
    let rounds = repeat(ROUNDS, |_| {
        let loads = files.iter().map(|f| {
            load(Input { path: &f.path, folder: &f.folder, bytes: &f.bytes, files: None })
        });
        valid = loads.filter(skill_lang::load::Loaded::is_valid).count();
    });
    let fastest = rounds.iter().min().map_or(f64::NAN, std::time::Duration::as_secs_f64);
    let count = files.len();
    let kib = files.iter().map(|file| file.bytes.len()).sum::<usize>() / count / 1024;
    let what = format!("load on one core: {count} {which} of {kib} KiB on average, {valid} valid");
    #[expect(clippy::cast_precision_loss, reason = "counts of files are small")]
    Row::value(what, Unit::PerSecond, count as f64 / fastest).target(Stat::Value, 10_000.0)
}

fn below(folder: &Path, found: &mut Vec<File>) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path: PathBuf = entry?.path();
        if path.is_dir() {
            below(&path, found)?;
        } else if path.file_name().is_some_and(|name| name == "SKILL.md") {
            let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
            found.push(File {
                folder: folder.to_string_lossy().into_owned(),
                bytes: std::fs::read(&path)?,
                path: path.to_string_lossy().into_owned(),
            });
        }
    }
    Ok(())
}
