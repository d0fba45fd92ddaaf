//! Invariants of the project's shape that no compiler checks.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::bail;

/// Folders of `brain/src` that are features: they know neither drivers nor web crates.
const FEATURES: &[&str] = &[
    "bundled",
    "documents",
    "engines",
    "lanes",
    "manuals",
    "models/message",
    "recipes",
    "sessions",
    "skills",
    "tenants",
    "tools",
    "turns",
];
/// What features must not name.
const BARRED: &[&str] =
    &["rusqlite", "mongodb", "axum", "tonic", "tower_http", "crate::store", "crate::api"];

/// Checks all of them.
pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    let mut problems = Vec::new();
    for file in rust_files(root)? {
        let shown = file.strip_prefix(root).unwrap_or(&file).to_owned();
        if file.file_name().is_some_and(|name| name == "mod.rs") {
            problems.push(format!("{}: name it after its folder, beside it", shown.display()));
        }
        let text = fs::read_to_string(&file)?;
        check_feature(&shown, &text, &mut problems);
    }
    check_manifest(root, &mut problems)?;
    if problems.is_empty() {
        Ok(())
    } else {
        bail!("the project's shape:\n{}", problems.join("\n"))
    }
}

fn check_feature(file: &Path, text: &str, problems: &mut Vec<String>) {
    let Ok(inside) = file.strip_prefix("brain/src") else { return };
    let inside = inside.with_extension("");
    if !FEATURES.iter().any(|feature| inside.starts_with(feature))
        || inside.iter().any(|part| part == "tests")
    {
        return;
    }
    for (index, line) in
        text.lines().enumerate().take_while(|(_, line)| !line.contains("#[cfg(test)]"))
    {
        for barred in BARRED
            .iter()
            .filter(|barred| line.contains(*barred) && !line.trim_start().starts_with("//"))
        {
            problems.push(format!(
                "{}:{}: a feature must not know `{barred}`",
                file.display(),
                index + 1
            ));
        }
    }
}

/// Wire types stay light: every client compiles them.
fn check_manifest(root: &Path, problems: &mut Vec<String>) -> io::Result<()> {
    let manifest = fs::read_to_string(root.join("api-types/Cargo.toml"))?;
    for heavy in ["tokio", "axum", "reqwest", "rusqlite"] {
        if manifest.contains(heavy) {
            problems.push(format!("api-types/Cargo.toml: wire types must not depend on {heavy}"));
        }
    }
    Ok(())
}

fn rust_files(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let (path, name) = (entry.path(), entry.file_name());
            let hidden = name.to_string_lossy().starts_with('.')
                || name == "target"
                || name == "node_modules";
            if entry.file_type()?.is_dir() && !hidden {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
