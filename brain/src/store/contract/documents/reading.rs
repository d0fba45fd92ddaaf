//! What reads answer.

use super::*;

pub(super) async fn changed_gives_deltas_with_tombstones(store: &dyn Store) {
    for at in ["c", "a", "b"] {
        write(store, at, "1").await;
    }
    apply(store, vec![put("z", "2", Expected::Any), put("a", "2", Expected::Any)]).await.unwrap();
    apply(store, vec![rename("b", "d", Action::Move)]).await.unwrap();
    let all = ["c@1", "a@4", "z@4", "-b@5", "d@5"];
    for limit in [1, 2, 3, 10] {
        assert_eq!(changed(store, 0, "", limit).await, all, "pages of {limit}");
    }
    assert_eq!(changed(store, 4, "", 10).await, all[3..]);
    assert!(changed(store, 5, "", 10).await.is_empty());
    // A tombstone ends when the path is used again.
    write(store, "b", "3").await;
    assert_eq!(changed(store, 4, "", 10).await, ["d@5", "b@6"]);
}

pub(super) async fn changed_below_a_folder(store: &dyn Store) {
    for at in
        ["_vance/skills/a/SKILL.md", "_vance/skills-old/a", "_vance/skills0", "_vance/logs/l", "n"]
    {
        write(store, at, "1").await;
    }
    apply(store, vec![rename("_vance/skills/a/SKILL.md", "_vance/trash/1_a", Action::Trash)])
        .await
        .unwrap();
    assert_eq!(changed(store, 0, "_vance/skills", 1).await, ["-_vance/skills/a/SKILL.md@6"]);
    assert_eq!(changed(store, 0, "_vance/logs", 1).await, ["_vance/logs/l@4"]);
    assert_eq!(changed(store, 0, "_vance/trash", 1).await, ["_vance/trash/1_a@6"]);
    assert_eq!(changed(store, 0, "_vance", 1).await.len(), 5);
    assert_eq!(changed(store, 0, "n", 1).await.len(), 0);
}

pub(super) async fn lists_page_by_path(store: &dyn Store) {
    let names = ["b", "a/2", "a/1", "a", "a-b", "ä", "a/1/x"];
    apply(store, names.iter().map(|n| put(n, "x", Expected::Any)).collect()).await.unwrap();
    apply(store, vec![rename("b", "gone", Action::Move), purge("gone")]).await.unwrap();
    assert_eq!(paths(store, "").await, ["a", "a-b", "a/1", "a/1/x", "a/2", "ä"]);
    assert_eq!(paths(store, "a").await, ["a/1", "a/1/x", "a/2"]);
    assert_eq!(paths(store, "a/1").await, ["a/1/x"]);
    let mut page = Page::first(1);
    for expect in ["a/1", "a/1/x", "a/2"] {
        let (slice, at) = store.list(&ctx(), &home(), "a", page.clone()).await.unwrap();
        assert_eq!(slice.rows[0].path.as_str(), expect);
        assert_eq!(at.all, Revision(2));
        page.after = slice.next;
    }
    assert_eq!(page.after, None);
}

pub(super) async fn parsed_heads_come_back(store: &dyn Store) {
    let json = serde_json::value::RawValue::from_string(r#"{"b":1,"a":2}"#.into()).unwrap();
    let head = Some(ParsedHead { version: 3, json: json.into() });
    let mut change = put("a", "x", Expected::Any);
    if let Change::Put { shape, .. } = &mut change {
        shape.head = head;
    }
    apply(store, vec![change]).await.unwrap();
    apply(store, vec![rename("a", "b", Action::Move)]).await.unwrap();
    let slice = store.changed(&ctx(), &home(), Revision(0), "", Page::default()).await.unwrap();
    let heads: Vec<_> = slice
        .rows
        .iter()
        .map(|row| row.head.as_ref().map(|h| (h.version, h.json.get().to_owned())))
        .collect();
    assert_eq!(heads, [None, Some((3, r#"{"b":1,"a":2}"#.to_owned()))]);
}

pub(super) async fn old_revisions_stay_readable(store: &dyn Store) {
    let id = write(store, "a", "one").await.id;
    write(store, "other", "x").await;
    write(store, "a", "two").await;
    apply(store, vec![rename("a", "b", Action::Move)]).await.unwrap();
    let at = |r| At::Revision(Revision(r));
    let mut seen = Vec::new();
    for r in 0..=5 {
        seen.push((body(store, "a", at(r)).await, body(store, "b", at(r)).await));
    }
    let (one, two) = (Some("one".to_owned()), Some("two".to_owned()));
    let expect = [
        (None, None),
        (one.clone(), None),
        (one, None),
        (two.clone(), None),
        (None, two.clone()),
        (None, two),
    ];
    assert_eq!(seen, expect);
    let (_, old) = store.get_by_id(&ctx(), &id, at(2)).await.unwrap();
    assert_eq!((old.row.path.as_str(), old.row.revision.0, &old.body[..]), ("a", 1, &b"one"[..]));
    assert_eq!(code(store.get_by_id(&ctx(), &id, at(0)).await), ErrorCode::NotFound);
}

pub(super) async fn odd_paths_are_found_again(store: &dyn Store) {
    let odd =
        ["\u{10ffff}", "\u{10ffff}/x", "%", "a%b_c", "'; DROP TABLE documents; --", "日本/語"];
    apply(store, odd.iter().map(|p| put(p, p, Expected::Absent)).collect()).await.unwrap();
    for p in odd {
        assert_eq!(body(store, p, At::Latest).await.as_deref(), Some(p));
    }
    assert_eq!(paths(store, "").await.len(), odd.len());
    assert_eq!(changed(store, 0, "", 2).await.len(), odd.len());
    assert_eq!(paths(store, "\u{10ffff}").await, ["\u{10ffff}/x"]);
}
