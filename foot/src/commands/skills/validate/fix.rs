//! `--fix`: repairs that need no question, written whole or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};

use skill_lang::diagnostic::apply_fixes;

use super::{check, io_error};
use crate::error::Result;

/// A repair may make room for the next one, so often.
const ROUNDS_MAX: usize = 5;

/// Repairs all files; tells how many problems of how many files.
pub(super) fn fix(files: &[PathBuf]) -> Result<(usize, usize)> {
    let mut total = (0, 0);
    for file in files {
        let applied = fix_file(file)?;
        total.0 += applied;
        total.1 += usize::from(applied > 0);
    }
    Ok(total)
}

fn fix_file(file: &Path) -> Result<usize> {
    let mut total = 0;
    for _ in 0..ROUNDS_MAX {
        let checked = check(file);
        let Ok(text) = std::str::from_utf8(&checked.bytes) else { break };
        let (fixed, applied) = apply_fixes(text, &checked.report.diagnostics);
        if applied == 0 || fixed == text {
            break;
        }
        replace(file, &fixed).map_err(|error| io_error(file, error))?;
        total += applied;
    }
    Ok(total)
}

/// Writes beside the file, then renames. A link stays one.
fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    let file = file.canonicalize()?;
    let draft = file.with_extension(format!("md.{}", std::process::id()));
    let write = || {
        let mut new = std::fs::OpenOptions::new().write(true).create_new(true).open(&draft)?;
        new.set_permissions(std::fs::metadata(&file)?.permissions())?;
        new.write_all(text.as_bytes())?;
        new.sync_all()?;
        std::fs::rename(&draft, &file)
    };
    write().inspect_err(|_| drop(std::fs::remove_file(&draft)))
}
