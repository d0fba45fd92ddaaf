use std::fs;

use super::*;

const GOOD: &str = "---\nname: good\ndescription: d\n---\nBody.\n";
const NO_DESCRIPTION: &str = "---\nname: bad\n---\nBody.\n";
const WARNED: &str = "---\nname: warned\ndescription: a: b\n---\n";

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn named(paths: &[&Path]) -> Vec<String> {
    let mut found = find::Finder::default();
    for path in paths {
        found.named(path).unwrap();
    }
    found.files().iter().map(|file| file.display().to_string()).collect()
}

fn arguments(paths: &[&Path], strict: bool, fix: bool) -> Arguments {
    Arguments { paths: paths.iter().map(|path| (*path).to_owned()).collect(), fix, strict }
}

#[track_caller]
fn check_exit(text: &str, strict: bool, expect: Exit) {
    let folder = tree(&[("skills/warned/SKILL.md", text)]);
    let (mut out, ..) = crate::testing::output(Format::Json);
    assert_eq!(run(&arguments(&[folder.path()], strict, false), &mut out).unwrap(), expect);
}

#[test]
fn the_exit_code_tells_whether_all_is_valid() {
    check_exit("---\nname: warned\ndescription: d\n---\n", true, Exit::Done);
    check_exit(WARNED, false, Exit::Done);
    check_exit(WARNED, true, Exit::Invalid);
    check_exit(NO_DESCRIPTION, false, Exit::Invalid);
}

#[test]
fn a_file_a_folder_and_a_tree_can_be_named() {
    let folder = tree(&[
        ("a/good/SKILL.md", GOOD),
        ("a/.hidden/x/SKILL.md", GOOD),
        ("a/good/references/r.md", ""),
        (".git/y/SKILL.md", GOOD),
    ]);
    let root = folder.path();
    assert_eq!(named(&[root]).len(), 2);
    assert_eq!(named(&[&root.join("a/good")]).len(), 1);
    assert_eq!(named(&[&root.join("a/good/SKILL.md"), root]).len(), 2);
    let mut found = find::Finder::default();
    assert_eq!(found.named(&root.join("a/good/references/r.md")).unwrap_err().exit(), Exit::Usage);
    assert_eq!(found.named(&root.join("absent")).unwrap_err().exit(), Exit::Failed);
}

#[test]
fn a_working_tree_has_skills_in_hidden_folders_of_their_own() {
    let folder = tree(&[
        (".claude/skills/a/SKILL.md", GOOD),
        (".agents/skills/b/SKILL.md", GOOD),
        (".foot/skills/c/SKILL.md", GOOD),
        (".other/d/SKILL.md", GOOD),
        ("node_modules/e/SKILL.md", GOOD),
        ("skills/f/SKILL.md", GOOD),
    ]);
    let mut found = find::Finder::default();
    found.working_tree(folder.path());
    let names: Vec<_> = found.files().iter().map(|file| folder_name(file)).collect();
    assert_eq!(names, ["f", "c", "b", "a"]);
}

#[cfg(unix)]
#[test]
fn links_are_followed_once_and_never_in_circles() {
    let folder = tree(&[("in/a/SKILL.md", GOOD), ("out/b/SKILL.md", GOOD)]);
    let root = folder.path();
    for (target, link) in
        [("..", "in/up"), (".", "in/self"), ("../out", "in/far"), ("../out", "in/more")]
    {
        std::os::unix::fs::symlink(target, root.join(link)).unwrap();
    }
    assert_eq!(named(&[&root.join("in")]).len(), 2);
}

#[test]
fn no_skill_at_a_named_path_is_a_failure() {
    let folder = tree(&[("a/readme.md", "")]);
    let (mut out, _, notes) = crate::testing::output(Format::Text);
    let exit = run(&arguments(&[folder.path()], false, false), &mut out).unwrap();
    assert_eq!((exit, notes.text().as_str()), (Exit::Invalid, "no SKILL.md found\n"));
}

#[test]
fn repairs_are_written_and_checked_again() {
    let folder = tree(&[("skills/warned/SKILL.md", WARNED)]);
    let (mut out, _, notes) = crate::testing::output(Format::Text);
    let exit = run(&arguments(&[folder.path()], true, true), &mut out).unwrap();
    let text = fs::read_to_string(folder.path().join("skills/warned/SKILL.md")).unwrap();
    assert_eq!(text, "---\nname: warned\ndescription: \"a: b\"\n---\n");
    assert_eq!((exit, notes.text().as_str()), (Exit::Done, "repaired 1 problems in 1 files\n"));
}

/// Reports about a tree, with its own folder as `T`.
fn golden(format: Format) -> String {
    let folder = tree(&[
        ("skills/bad/SKILL.md", NO_DESCRIPTION),
        ("skills/good/SKILL.md", GOOD),
        ("skills/warned/SKILL.md", WARNED),
        (
            "skills/docs/SKILL.md",
            "---\nname: docs\ntitle: \u{1b}[31mDocs\ndescription: d\nversion: 1.0.0\nreferenceDocs:\n  - {title: a, file: a b.md}\n---\n",
        ),
    ]);
    let (mut out, data, _) = crate::testing::output(format);
    run(&arguments(&[folder.path()], false, false), &mut out).unwrap();
    data.text().replace(&folder.path().display().to_string(), "T")
}

#[test]
fn people_see_the_place() {
    insta::assert_snapshot!(golden(Format::Text));
}

#[test]
fn scripts_read_json() {
    insta::assert_snapshot!(golden(Format::Json));
}

#[test]
fn code_hosts_read_sarif() {
    insta::assert_snapshot!(golden(Format::Sarif));
}
