//! Skills and documents between a folder and the brain.

use std::fs;
use std::path::Path;

use super::run::system_texts;
use super::{foot, pair};

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A folder with two portable skills, one of them with a reference.
fn collection() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let head = |name: &str| format!("---\nname: {name}\ndescription: Helps with {name}.\n---\n");
    let body =
        "# Charts\nKeep {{ .Values.image }} and ${{ github.ref }} as they are.\n---\nMore.\n";
    write(&folder.path().join("helm-charts/SKILL.md"), &format!("{}{body}", head("helm-charts")));
    write(&folder.path().join("helm-charts/references/values.md"), "values\n");
    write(&folder.path().join("小説/SKILL.md"), &format!("{}# 小説\n", head("小説")));
    folder
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pushed_skill_is_listed_activated_and_pulled_unchanged() {
    let pair = pair("anthropic").await;
    let folder = collection();
    let path = folder.path().to_str().unwrap();
    let pushed = foot(&pair.node, &["skills", "push", path, "--layer", "project"]).await;
    assert_eq!(pushed.code, 0, "{}", pushed.err);
    let listed = foot(&pair.node, &["skills", "list"]).await;
    assert!(listed.out.contains("helm-charts") && listed.out.contains("小説"), "{}", listed.out);
    let run =
        foot(&pair.node, &["run", "--skill", "helm-charts", "--skill", "小説", "-p", "hi"]).await;
    assert_eq!(run.code, 0, "{}", run.err);
    let section = system_texts(&pair.model.log().all()[0].body())[1].clone();
    assert!(
        section.contains("Keep {{ .Values.image }} and ${{ github.ref }} as they are.\n---\nMore."),
        "{section}"
    );
    assert!(section.find("helm-charts").unwrap() < section.find("--- Skill: 小説 ---").unwrap());
    let back = tempfile::tempdir().unwrap();
    let pulled =
        foot(&pair.node, &["skills", "pull", "helm-charts", back.path().to_str().unwrap()]).await;
    assert_eq!(pulled.code, 0, "{}", pulled.err);
    for file in ["SKILL.md", "references/values.md"] {
        let found = [back.path().join("helm-charts").join(file), back.path().join(file)];
        let found = found.iter().find(|path| path.exists()).unwrap();
        assert_eq!(
            fs::read(found).unwrap(),
            fs::read(folder.path().join("helm-charts").join(file)).unwrap()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_nearer_copy_wins_and_the_other_is_shown_by_its_layer() {
    let pair = pair("anthropic").await;
    let folder = tempfile::tempdir().unwrap();
    write(
        &folder.path().join("code-review/SKILL.md"),
        "---\nname: code-review\ndescription: Ours.\n---\nOur way.\n",
    );
    let path = folder.path().to_str().unwrap();
    assert_eq!(foot(&pair.node, &["skills", "push", path, "--layer", "tenant"]).await.code, 0);
    let why = foot(&pair.node, &["skills", "show", "code-review", "--why"]).await;
    assert!(why.out.contains("tenant") && why.out.contains("bundled"), "{}", why.out);
    let ours = foot(&pair.node, &["skills", "show", "code-review"]).await;
    assert!(ours.out.contains("Our way."), "{}", ours.out);
    let theirs = foot(&pair.node, &["skills", "show", "code-review@bundled"]).await;
    assert_eq!(theirs.code, 0, "{}", theirs.err);
    assert!(!theirs.out.contains("Our way."), "{}", theirs.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_comes_back_from_its_history_and_from_the_trash() {
    let pair = pair("anthropic").await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("note.md");
    let path = file.to_str().unwrap().to_owned();
    write(&file, "one\n");
    assert_eq!(foot(&pair.node, &["docs", "put", "documents/note.md", &path]).await.code, 0);
    write(&file, "two\n");
    assert_eq!(foot(&pair.node, &["docs", "put", "documents/note.md", &path]).await.code, 0);
    let diff = foot(&pair.node, &["docs", "diff", "documents/note.md"]).await;
    assert!(diff.out.contains("-one") && diff.out.contains("+two"), "{} {}", diff.out, diff.err);
    let restored =
        foot(&pair.node, &["docs", "restore", "documents/note.md", "--revision", "1"]).await;
    assert_eq!(restored.code, 0, "{}", restored.err);
    assert_eq!(foot(&pair.node, &["docs", "cat", "documents/note.md"]).await.out, "one\n");
    assert_eq!(foot(&pair.node, &["docs", "rm", "documents/note.md"]).await.code, 0);
    assert_ne!(foot(&pair.node, &["docs", "cat", "documents/note.md"]).await.code, 0);
    let stale =
        foot(&pair.node, &["docs", "put", "documents/note.md", &path, "--if-revision", "1"]).await;
    assert_eq!(stale.code, 1, "{} {}", stale.out, stale.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn validate_tells_the_place_and_its_exit_code_tells_the_result() {
    let pair = pair("anthropic").await;
    let folder = collection();
    let path = folder.path().to_str().unwrap();
    let good = foot(&pair.node, &["skills", "validate", path, "--output", "json"]).await;
    assert_eq!(good.code, 0, "{}", good.out);
    write(
        &folder.path().join("bad/SKILL.md"),
        "---\nname: bad\ndescription: x\nname: worse\n---\n",
    );
    let bad = foot(&pair.node, &["skills", "validate", path, "--output", "json"]).await;
    assert_eq!(bad.code, 6, "{}", bad.out);
    let report: serde_json::Value = serde_json::from_str(&bad.out).unwrap();
    let broken =
        report["files"].as_array().unwrap().iter().find(|file| file["valid"] == false).unwrap();
    assert_eq!(broken["diagnostics"][0]["line"], 4, "{broken}");
}

#[tokio::test(flavor = "multi_thread")]
async fn explain_tells_what_matched_what_missed_and_what_was_skipped() {
    let pair = pair("anthropic").await;
    let folder = collection();
    assert_eq!(
        foot(&pair.node, &["skills", "push", folder.path().to_str().unwrap()]).await.code,
        0
    );
    let run =
        foot(&pair.node, &["skills", "explain", "please do a code review", "--output", "json"])
            .await;
    assert_eq!(run.code, 0, "{}", run.err);
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let skills = found["skills"].as_array().unwrap();
    let of = |name: &str| skills.iter().find(|skill| skill["name"] == name).unwrap();
    assert_eq!(skills[0]["name"], "code-review", "what fires stands first");
    assert_eq!(of("code-review")["triggers"][0]["found"][0], "code review");
    assert_eq!(of("commit-message")["fires"], false);
    assert_eq!(of("helm-charts")["skipped"], "it has no triggers");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_layers_copy_is_activated_by_its_layer() {
    let pair = pair("anthropic").await;
    let folder = tempfile::tempdir().unwrap();
    write(
        &folder.path().join("code-review/SKILL.md"),
        "---\nname: code-review\ndescription: Ours.\n---\nOur way.\n",
    );
    let path = folder.path().to_str().unwrap();
    assert_eq!(foot(&pair.node, &["skills", "push", path, "--layer", "project"]).await.code, 0);
    for (skill, ours) in
        [("code-review", true), ("code-review@bundled", false), ("code-review@project", true)]
    {
        let run = foot(&pair.node, &["run", "--skill", skill, "-p", skill]).await;
        assert_eq!(run.code, 0, "{}", run.err);
        let request = pair.model.log().all().pop().unwrap().body();
        assert_eq!(system_texts(&request)[1].contains("Our way."), ours, "{skill}");
    }
    let run = foot(&pair.node, &["run", "--skill", "code-review@user", "-p", "x"]).await;
    assert_eq!(run.code, 1, "{}", run.err);
}
