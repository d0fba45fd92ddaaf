//! Skills in full, and what stays when they change.

use api_types::skills::SkillScope::Project;

use super::desk::*;
use crate::skills::error::Error;

const AT: &str = "_vance/skills/Big_One/SKILL.md";
const DOCS: &str = "referenceDocs:\n  - title: Inline\n    file: refs/in.md\n  - title: Later\n    file: refs/later.md\n    loadMode: ON_DEMAND\n    summary: For later.\n";

async fn desk() -> Desk {
    let desk = Desk::new();
    let set = vec![
        put(AT, skill_md("One", DOCS, "first")),
        put("_vance/skills/Big_One/refs/in.md", "in first"),
        put("_vance/skills/Big_One/refs/later.md", "later first"),
    ];
    desk.apply(&home(), set).await.unwrap();
    desk
}

#[tokio::test]
async fn what_was_pinned_is_read_again_after_edits_renames_and_deletes() {
    let desk = desk().await;
    let name = name("big-one");
    let first = desk.skills.load(&ctx(), &scope(), &name).await.unwrap();
    assert_eq!((&*first.body, &*first.inline_docs[0].content), ("first\n", "in first"));
    let later: Vec<_> = first.on_demand().map(|doc| doc.title.as_str()).collect();
    assert_eq!(later, ["Later"]);

    desk.write(Project, "_vance/skills/Big_One/refs/in.md", "in second").await;
    desk.write(Project, AT, skill_md("Two", DOCS, "second")).await;
    let second = desk.skills.load(&ctx(), &scope(), &name).await.unwrap();
    assert_eq!((&*second.body, &*second.inline_docs[0].content), ("second\n", "in second"));
    desk.apply(&home(), vec![rename(AT, "_vance/trash/9_SKILL.md")]).await.unwrap();
    assert!(desk.skills.load(&ctx(), &scope(), &name).await.is_err());

    // As after a restart: nothing is kept in memory.
    let fresh = crate::skills::Skills::new(
        desk.store.clone(),
        std::sync::Arc::default(),
        std::sync::Arc::new(crate::skills::locks::NoLocks),
    );
    for (skill, body) in [(&first, "first\n"), (&second, "second\n")] {
        let again =
            fresh.load_pinned(&ctx(), &scope(), &name, Project, skill.revision).await.unwrap();
        assert_eq!((&*again.body, &again.head.title), (body, &skill.head.title));
        assert_eq!(again.inline_docs, skill.inline_docs);
        let later = fresh.file_of(&ctx(), &again, "refs/later.md").await.unwrap();
        assert_eq!(later, "later first");
    }
    desk.apply(&home(), vec![purge("_vance/trash/9_SKILL.md")]).await.unwrap();
    let fresh = crate::skills::Skills::new(
        desk.store.clone(),
        std::sync::Arc::default(),
        std::sync::Arc::new(crate::skills::locks::NoLocks),
    );
    let gone = fresh.load_pinned(&ctx(), &scope(), &name, Project, first.revision).await;
    assert!(matches!(gone, Err(Error::Gone { .. })));
}

#[tokio::test]
async fn files_are_read_from_the_folder_and_from_nowhere_else() {
    let desk = desk().await;
    desk.write(Project, "_vance/skills/other/SKILL.md", skill_md("Other", "", "")).await;
    let read = async |path: &str| {
        let read = desk.skills.read_file(&ctx(), &scope(), &name("big-one"), None, path).await;
        read.map(|(body, _)| String::from_utf8(body.to_vec()).unwrap())
    };
    assert_eq!(read("refs/later.md").await.unwrap(), "later first");
    let skill = desk.skills.load(&ctx(), &scope(), &name("big-one")).await.unwrap();
    for bad in ["../other/SKILL.md", "/etc/passwd", "refs/../../other/SKILL.md", "refs", "", "x"] {
        assert_eq!(read(bad).await.unwrap_err().reason(), "unknown_skill_file", "{bad}");
        let file = desk.skills.file_of(&ctx(), &skill, bad).await;
        assert_eq!(file.unwrap_err().reason(), "unknown_skill_file", "{bad}");
    }
}

#[tokio::test]
async fn inline_references_have_a_limit() {
    let desk = desk().await;
    let large = "x".repeat(usize::try_from(crate::skills::INLINE_BYTES_MAX).unwrap() + 1);
    desk.write(Project, "_vance/skills/Big_One/refs/in.md", large).await;
    let error = desk.skills.load(&ctx(), &scope(), &name("big-one")).await.unwrap_err();
    assert_eq!(error.reason(), "skill_too_large");
}
