//! Loads the real-world skills below the folder in `SKILL_CORPUS`; passes when it is not set.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use skill_lang::load::{Input, State, load};

fn skills_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("SKILL_CORPUS is readable");
    for entry in entries {
        let path = entry.expect("SKILL_CORPUS is readable").path();
        if path.is_dir() {
            skills_below(&path, found);
        } else if path.file_name().is_some_and(|name| name == "SKILL.md") {
            found.push(path);
        }
    }
}

#[test]
fn real_skills_load_and_every_other_file_says_why_not() {
    let Some(corpus) = std::env::var_os("SKILL_CORPUS") else {
        eprintln!("SKILL_CORPUS is not set: nothing loaded");
        return;
    };
    let mut paths = Vec::new();
    skills_below(Path::new(&corpus), &mut paths);
    assert!(!paths.is_empty(), "no SKILL.md below {}", corpus.display());
    let (mut valid, mut codes) = (0, BTreeMap::<&str, usize>::new());
    for path in &paths {
        let bytes = std::fs::read(path).expect("SKILL_CORPUS is readable");
        let folder = path.parent().and_then(Path::file_name).expect("a file has a folder");
        let shown = path.to_string_lossy();
        let folder = folder.to_string_lossy();
        let loaded = load(Input { path: &shown, folder: &folder, bytes: &bytes, files: None });
        for problem in &loaded.diagnostics {
            *codes.entry(problem.code.as_str()).or_default() += 1;
        }
        if loaded.state == State::Valid {
            valid += 1;
            assert!(!loaded.head.description.is_empty(), "{shown}");
            let body = loaded.body_of(&bytes);
            assert_eq!(body.as_bytes(), &bytes[bytes.len() - body.len()..], "{shown}");
        } else {
            let error = loaded.errors().next().expect("what does not load has an error");
            assert!(error.line > 0 && error.column > 0, "{error}");
            eprintln!("{error}");
        }
    }
    eprintln!("{valid} of {} load; problems by code: {codes:#?}", paths.len());
    assert!(valid * 1000 >= paths.len() * 985, "{valid} of {} load", paths.len());
}
