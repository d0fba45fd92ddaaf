use api_types::skills::SkillScope::{Project, Resource, Vance};
use serde_json::{Value, json};

use super::*;
use crate::skills::tests::desk::{Desk, ctx, home, name, path, put, scope, skill_md};

struct Shelf {
    desk: Desk,
    manuals: Manuals,
}

fn shelf() -> Shelf {
    let shipped = [
        (path("_vance/manuals/basics.md"), &b"shipped basics\n"[..]),
        (path("_vance/manuals/deep/er.md"), &b"too deep"[..]),
    ];
    let bundled = Arc::new(Bundled::of(shipped));
    let desk = Desk::new();
    let manuals = Manuals::new(desk.store.clone(), bundled, desk.skills.clone());
    Shelf { desk, manuals }
}

fn folders(paths: Value, skills: &[Arc<LoadedSkill>]) -> Folders {
    let Value::Object(params) = json!({ "manualPaths": paths }) else { unreachable!() };
    Folders::new(&params, skills)
}

impl Shelf {
    async fn read(&self, folders: &Folders, name: &str) -> Result<(String, SkillScope), String> {
        let page = self.manuals.read(&ctx(), &home(), folders, name, (None, None)).await;
        page.map(|page| (page.content, page.source)).map_err(|error| error.to_string())
    }

    async fn list(&self, folders: &Folders) -> Vec<String> {
        let manuals = self.manuals.list(&ctx(), &home(), folders).await.unwrap();
        manuals.iter().map(|m| format!("{} {} {}", m.folder, m.name, m.source.cli_name())).collect()
    }
}

#[tokio::test]
async fn the_first_folder_counts_and_in_it_the_nearest_layer() {
    let shelf = shelf();
    shelf.desk.write(Vance, "docs/a/guide.md", "tenant a").await;
    shelf.desk.write(Project, "docs/b/guide.md", "project b").await;
    shelf.desk.write(Project, "docs/b/sub/other.md", "below").await;
    let both = folders(json!(["docs/a/", "docs/b"]), &[]);
    assert_eq!(shelf.read(&both, "guide").await.unwrap(), ("tenant a".into(), Vance));
    assert_eq!(shelf.list(&both).await, ["docs/a guide tenant", "_vance/manuals basics bundled"]);
    shelf.desk.write(Project, "docs/a/guide.md", "project a").await;
    for spelled in ["guide", "guide.md", "docs/b/guide.md", " guide "] {
        let read = shelf.read(&both, spelled).await.unwrap();
        assert_eq!(read, ("project a".into(), Project), "{spelled}");
    }
    assert_eq!(shelf.read(&both, "basics").await.unwrap(), ("shipped basics\n".into(), Resource));
    shelf.desk.write(Vance, "_vance/manuals/basics.md", "ours").await;
    assert_eq!(shelf.read(&both, "basics").await.unwrap(), ("ours".into(), Vance));
}

#[tokio::test]
async fn refusals_say_what_to_do() {
    let shelf = shelf();
    let none = folders(Value::Null, &[]);
    assert_eq!(
        shelf.read(&none, "basic").await.unwrap_err(),
        "there is no manual `basic` (did you mean `basics`?); `manual_list` shows all"
    );
    for bad in ["../basics", "a/../basics", "..\\basics"] {
        assert!(shelf.read(&none, bad).await.unwrap_err().contains("leads outside"), "{bad}");
    }
    assert!(shelf.read(&none, "").await.is_err());
    for bad in [json!("docs"), json!(["../docs"]), json!(["/docs"]), json!([1])] {
        let error = shelf.read(&folders(bad.clone(), &[]), "basics").await.unwrap_err();
        assert!(error.contains("params.manualPaths"), "{bad}: {error}");
    }
}

#[tokio::test]
async fn references_of_active_skills_are_read_at_the_skills_revision() {
    let shelf = shelf();
    let head = "manualPaths:\n  - docs/skill\nreferenceDocs:\n  - title: CI/CD guide\n    file: refs/pipe.md\n    loadMode: ON_DEMAND\n    summary: Pipes.\n";
    let set = vec![
        put("_vance/skills/s/SKILL.md", skill_md("S", head, "")),
        put("_vance/skills/s/refs/pipe.md", "first"),
        put("docs/skill/more.md", "more"),
    ];
    shelf.desk.apply(&home(), set).await.unwrap();
    let skill = shelf.desk.skills.load(&ctx(), &scope(), &name("s")).await.unwrap();
    let active = folders(Value::Null, &[skill]);
    shelf.desk.write(Project, "_vance/skills/s/refs/pipe.md", "second").await;
    assert_eq!(
        shelf.list(&active).await,
        [
            "docs/skill more project",
            "_vance/manuals basics bundled",
            "_vance/skills/s CI/CD guide project",
        ]
    );
    for spelled in ["CI/CD guide", "pipe", "pipe.md", "refs/pipe.md"] {
        let read = shelf.read(&active, spelled).await.unwrap();
        assert_eq!(read, ("first".into(), Project), "{spelled}");
    }
    assert!(shelf.read(&folders(Value::Null, &[]), "CI/CD guide").await.is_err(), "not active");
}

#[track_caller]
fn check_cut(text: &str, range: Range, content: &str, next: Option<usize>) {
    let page = page::cut("m", "f", Project, text.as_bytes(), range).unwrap();
    assert_eq!((page.content.as_str(), page.next_line), (content, next), "{text:?} {range:?}");
}

#[test]
fn parts_are_cut_by_lines_and_by_size() {
    check_cut("a\nb\nc", (None, None), "a\nb\nc", None);
    check_cut("a\nb\nc", (Some(2), Some(1)), "b\n", Some(3));
    check_cut("a\nb\nc", (Some(3), Some(9)), "c", None);
    check_cut("a\nb\nc", (Some(0), Some(0)), "a\n", Some(2));
    check_cut("", (None, None), "", None);
    let long = format!("{}\nend\n", "é".repeat(PAGE_BYTES_MAX));
    let page = page::cut("m", "f", Project, long.as_bytes(), (None, None)).unwrap();
    assert!(page.line_cut && page.content.len() <= PAGE_BYTES_MAX && page.next_line == Some(2));
    let many = "line\n".repeat(PAGE_BYTES_MAX);
    let page = page::cut("m", "f", Project, many.as_bytes(), (None, None)).unwrap();
    assert_eq!(page.next_line, Some(PAGE_BYTES_MAX / 5 + 1));
    let error = page::cut("m", "f", Project, b"a\n", (Some(5), None)).unwrap_err();
    assert_eq!(error.to_string(), "the manual `m` has 1 lines; line 5 is not among them");
}
