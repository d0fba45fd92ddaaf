//! What a layer makes of its files.

use api_types::skills::SkillScope::Project;
use skill_lang::diagnostic::Code;

use super::desk::*;
use crate::bundled::Bundled;
use crate::skills::catalogue::Layer;
use crate::skills::head_parser::SKILLS;

fn codes(layer: &Layer, of: &str) -> Vec<Code> {
    layer.get(&name(of)).unwrap().diagnostics().map(|problem| problem.code).collect()
}

async fn project_layer(desk: &Desk) -> Layer {
    let visible = desk.skills.visible(&ctx(), &scope()).await.unwrap();
    let (_, layer) = visible.layers.iter().find(|(scope, _)| *scope == Project).unwrap();
    (**layer).clone()
}

#[tokio::test]
async fn two_folders_of_one_name_are_a_conflict_until_one_is_renamed() {
    let desk = Desk::new();
    desk.write(Project, "_vance/skills/a-b/SKILL.md", skill_md("One", "", "1")).await;
    desk.write(Project, "_vance/skills/A_B/SKILL.md", skill_md("Two", "", "2")).await;
    assert_eq!(desk.listing().await, ["a-b project invalid"]);
    let layer = project_layer(&desk).await;
    let entry = layer.get(&name("a-b")).unwrap();
    let conflicts: Vec<_> =
        entry.diagnostics().filter(|p| p.code == Code::NameConflict).map(|p| &*p.path).collect();
    assert_eq!(conflicts, ["_vance/skills/A_B/SKILL.md", "_vance/skills/a-b/SKILL.md"]);
    desk.apply(&home(), vec![rename("_vance/skills/A_B/SKILL.md", "_vance/skills/two/SKILL.md")])
        .await
        .unwrap();
    assert_eq!(desk.listing().await, ["a-b project valid", "two project valid"]);
    assert_eq!(codes(&project_layer(&desk).await, "two"), [], "parsed anew for its new folder");
}

#[tokio::test]
async fn a_file_that_is_absent_is_an_error_until_it_comes() {
    let desk = Desk::new();
    let docs = "referenceDocs:\n  - title: R\n    file: ref.md\n";
    desk.write(Project, "_vance/skills/x/SKILL.md", skill_md("X", docs, "body")).await;
    assert_eq!(codes(&project_layer(&desk).await, "x"), [Code::FileNotFound]);
    assert_eq!(desk.listing().await, ["x project invalid"]);
    desk.write(Project, "_vance/skills/x/ref.md", "text").await;
    assert_eq!(desk.listing().await, ["x project valid"]);
    desk.remove(Project, "_vance/skills/x/ref.md").await;
    assert_eq!(desk.listing().await, ["x project invalid"]);
}

#[tokio::test]
async fn folders_that_are_no_names_are_reported_and_other_files_ignored() {
    let desk = Desk::new();
    desk.write(Project, "_vance/skills/b!d/SKILL.md", skill_md("Bad", "", "")).await;
    desk.write(Project, "_vance/skills/deep/er/SKILL.md", skill_md("Deep", "", "")).await;
    desk.write(Project, "_vance/skills/README.md", "text").await;
    assert_eq!(desk.listing().await, Vec::<String>::new());
    let visible = desk.skills.visible(&ctx(), &scope()).await.unwrap();
    let reported: Vec<_> = visible.nameless().map(|(_, entry)| entry.folder().name()).collect();
    assert_eq!(reported, ["b!d"]);
    desk.remove(Project, "_vance/skills/b!d/SKILL.md").await;
    let visible = desk.skills.visible(&ctx(), &scope()).await.unwrap();
    assert_eq!(visible.nameless().count(), 0);
}

#[test]
fn what_is_shipped_has_no_errors() {
    let bundled = Bundled::shipped();
    let layer = Layer::of_files(bundled.below(SKILLS));
    for entry in layer.entries().values().chain(layer.nameless()) {
        let errors: Vec<String> =
            entry.diagnostics().filter(|p| p.is_error()).map(ToString::to_string).collect();
        assert_eq!(errors, Vec::<String>::new());
    }
    assert!(layer.get(&name("code-review")).is_some());
}

#[test]
fn a_broken_bundled_skill_is_left_out_and_reported() {
    let files = [
        (path("_vance/skills/good/SKILL.md"), skill_md("Good", "", "").leak().as_bytes()),
        (path("_vance/skills/bad/SKILL.md"), &b"no head"[..]),
    ];
    let bundled = Bundled::of(files);
    let mut reported = Vec::new();
    let layer = Layer::of_files(bundled.below(SKILLS))
        .without_broken(|entry| reported.push(entry.folder().name().to_owned()));
    assert_eq!(reported, ["bad"]);
    assert!(layer.get(&name("good")).is_some() && layer.get(&name("bad")).is_none());
}
