//! `foot skills validate`: offline, over any tree.

mod find;
mod fix;
mod report;
mod sarif;

use std::path::{Path, PathBuf};

use skill_lang::limits::SKILL_BYTES_MAX;
use skill_lang::load::{Input, load};
use skill_lang::validate::{FileReport, SKILL_FILE, report_conflicts};

use crate::config::{self, Environment, ProcessEnvironment};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::{Format, Output};

/// Files that one thread checks before another one is worth its start.
const FILES_PER_THREAD: usize = 64;

/// `foot skills validate`
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit code 6 when a skill is invalid, or with --strict when there is a warning. \
                  `--output sarif` writes SARIF 2.1.0."
)]
pub(crate) struct Arguments {
    /// SKILL.md files, skill folders or trees of them; without any: the working tree, then
    /// the user's folders
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Repair what can be repaired without asking
    #[arg(long)]
    fix: bool,
    /// Warnings count as failures
    #[arg(long)]
    strict: bool,
}

/// One file: what was found out, and its text for those who look.
struct Checked {
    report: FileReport,
    bytes: Vec<u8>,
}

/// Runs it.
pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit> {
    let files = files(arguments, &ProcessEnvironment)?;
    if arguments.fix {
        let (problems, repaired) = fix::fix(&files)?;
        out.note(&format!("repaired {problems} problems in {repaired} files"));
    }
    let checked = check_all(files);
    match out.format {
        Format::Text => out.text(&report::text(&checked))?,
        Format::Json => out.value(&report::json(&checked))?,
        Format::StreamJson => {
            for file in &checked {
                out.value(&file.report)?;
            }
        }
        Format::Sarif => out.value(&sarif::log(&checked))?,
    }
    if checked.is_empty() {
        out.note(&format!("no {SKILL_FILE} found"));
    }
    let fails = |checked: &Checked| {
        !checked.report.valid || arguments.strict && !checked.report.diagnostics.is_empty()
    };
    let missing = checked.is_empty() && !arguments.paths.is_empty();
    Ok(if missing || checked.iter().any(fails) { Exit::Invalid } else { Exit::Done })
}

fn files(arguments: &Arguments, env: &dyn Environment) -> Result<Vec<PathBuf>> {
    let mut found = find::Finder::default();
    for path in &arguments.paths {
        found.named(path)?;
    }
    if arguments.paths.is_empty() {
        found.working_tree(Path::new("."));
        let home = config::home(env).ok().map(|home| home.join("skills"));
        let user = config::user_home(env);
        let shared = [".agents/skills", ".claude/skills"]
            .map(|folder| user.as_ref().map(|user| user.join(folder)));
        for root in home.into_iter().chain(shared.into_iter().flatten()) {
            found.tree(&root);
        }
    }
    Ok(found.files())
}

/// Checks all files, in order, with as many threads as help.
fn check_all(files: Vec<PathBuf>) -> Vec<Checked> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = cores.min(files.len().div_ceil(FILES_PER_THREAD)).max(1);
    let share = files.len().div_ceil(threads).max(1);
    let mut checked: Vec<Checked> = std::thread::scope(|scope| {
        let check_share =
            |share: &[PathBuf]| share.iter().map(|file| check(file)).collect::<Vec<_>>();
        let shares: Vec<_> =
            files.chunks(share).map(|share| scope.spawn(move || check_share(share))).collect();
        let done = shares.into_iter().map(|share| share.join().expect("checking does not panic"));
        done.flatten().collect()
    });
    let mut reports: Vec<FileReport> = checked.iter().map(|file| file.report.clone()).collect();
    report_conflicts(&mut reports);
    for (checked, report) in checked.iter_mut().zip(reports) {
        checked.report = report;
    }
    checked
}

fn check(file: &Path) -> Checked {
    let path = shown(file);
    let folder = folder_name(file);
    let parent = file.parent().unwrap_or(Path::new("."));
    match read(file) {
        Ok(bytes) => {
            let exists = |name: &str| parent.join(name).is_file();
            let input = Input { path: &path, folder: &folder, bytes: &bytes, files: Some(&exists) };
            let report = FileReport::new(&path, load(input));
            Checked { report, bytes }
        }
        Err(error) => {
            Checked { report: report::unreadable(&path, &folder, &error), bytes: Vec::new() }
        }
    }
}

/// A file, and one byte more than the loader takes, so that it says so.
fn read(file: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    std::fs::File::open(file)?.take(SKILL_BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// As people named it, with `/` between its parts.
fn shown(file: &Path) -> String {
    let text = file.to_string_lossy();
    let text = text.strip_prefix("./").unwrap_or(&text);
    if std::path::MAIN_SEPARATOR == '/' { text.to_owned() } else { text.replace('\\', "/") }
}

/// Name of the folder that a file is in, also where it was named from inside.
fn folder_name(file: &Path) -> String {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    let named = parent.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    named.unwrap_or_else(|| {
        let parent = parent.unwrap_or(Path::new("."));
        let full = parent.canonicalize().unwrap_or_default();
        full.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    })
}

fn io_error(path: &Path, error: std::io::Error) -> Error {
    Error::file(path, error)
}

#[cfg(test)]
mod tests;
