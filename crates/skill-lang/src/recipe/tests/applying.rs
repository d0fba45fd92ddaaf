//! What a process is spawned with.

use serde_json::{Map, Value, json};

use super::recipe;

fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => panic!("a map"),
    }
}

#[test]
fn the_callers_parameters_win_over_the_profiles_over_the_recipes() {
    let recipe = recipe(
        "params: { a: 1, b: 1, c: 1, d: 1 }\nprofiles: { foot: { params: { b: 2, c: 2, d: 1 } } }",
    );
    let applied = recipe.apply("foot", &map(json!({ "c": 3, "e": 3 })));
    assert_eq!(
        json!(applied.params),
        json!({ "a": 1, "b": 2, "c": 3, "d": 1, "e": 3, "progress": "normal" })
    );
    assert_eq!(applied.overridden, ["b", "c"]);
    assert_eq!(applied.refused, [""; 0]);
}

#[test]
fn a_locked_recipe_takes_no_parameters_of_callers() {
    let recipe = recipe(
        "locked: true\nparams: { a: 1, progress: quiet }\nprofiles: { foot: { params: { a: 2 } } }",
    );
    let applied = recipe.apply("foot", &map(json!({ "a": 3, "b": 3 })));
    assert_eq!(json!(applied.params), json!({ "a": 2, "progress": "quiet" }));
    assert_eq!(applied.refused, ["a", "b"]);
    assert!(applied.locked);
}

#[test]
fn an_unknown_profile_gets_the_default_one() {
    let recipe = recipe(
        "profiles:\n  default: { promptPrefixAppend: d, session: { onIdle: NONE } }\n  foot: { promptPrefixAppend: f }",
    );
    let append = |profile| recipe.apply(profile, &Map::new()).prompt_prefix_append;
    assert_eq!(append("foot").as_deref(), Some("f"));
    assert_eq!(append("web").as_deref(), Some("d"));
    assert!(recipe.apply("foot", &Map::new()).session.is_some());
    assert_eq!(super::recipe("").apply("web", &Map::new()).prompt_prefix_append, None);
}

#[test]
fn tools_that_can_be_called_are_the_union_of_both_layers() {
    let recipe = recipe(
        "allowedToolsAdd: [a, x]
allowedToolsDefer: [b]
allowedToolsRemove: [r]
profiles: { foot: { allowedToolsAdd: [c, a], allowedToolsRemove: [s, r] } }",
    );
    let tools = recipe.apply("foot", &Map::new()).tools;
    assert_eq!(tools.add, ["a", "x", "b", "c"]);
    assert_eq!(tools.remove, ["r", "s"]);
    assert!(super::recipe("").apply("foot", &Map::new()).tools.is_empty());
}

#[test]
fn what_is_shown_is_the_nearest_block_and_what_is_removed_the_union() {
    let recipe = recipe(
        "allowedToolsAdd: [base]
allowedToolsRemove: [r0]
allowedToolsKeep: [k0]
modes:
  PLANNING: { allowedToolsAdd: [planning], allowedToolsRemove: [r1] }
  default: { allowedToolsRemove: [r2], allowedToolsKeep: [k2] }
profiles:
  foot: { allowedToolsRemove: [r3], modes: { planning: { allowedToolsDefer: [deferred], allowedToolsKeep: [k3] } } }
  web: { allowedToolsAdd: [web], modes: { default: {} } }
  default: { allowedToolsRemove: [r4], modes: { default: { allowedToolsAdd: [other] } } }",
    );
    let at = |profile, mode| recipe.apply(profile, &Map::new()).filter.at(mode);
    let planning = at("foot", "planning");
    assert_eq!((planning.primary, planning.deferred), (vec![], vec!["deferred".to_owned()]));
    assert_eq!(planning.removed, ["r1", "r3", "r0"]);
    assert_eq!(planning.keep, ["k3", "k0"]);
    assert_eq!(at("foot", "NORMAL").primary, ["other"]);
    assert_eq!(
        at("web", "NORMAL").primary,
        ["web"],
        "an empty block falls back to the lists for all modes"
    );
    assert_eq!(at("web", "NORMAL").removed, ["r2", "r0"]);
    assert_eq!(at("daemon", "NORMAL").primary, ["other"]);
    assert_eq!(
        super::recipe("allowedToolsAdd: [a]").apply("x", &Map::new()).filter.at("NORMAL").primary,
        ["a"]
    );
}

#[test]
fn a_snapshot_survives_storing() {
    let recipe = recipe(
        "modes: { PLANNING: { allowedToolsAdd: [a] } }\nguard: [{ script: s }]\nallowedSkills: []",
    );
    let applied = recipe.apply("foot", &Map::new());
    let stored = serde_json::to_string(&applied).unwrap();
    assert_eq!(serde_json::from_str::<super::super::Applied>(&stored).unwrap(), applied);
    assert_eq!(applied.allowed_skills, Some(Vec::new()));
}
