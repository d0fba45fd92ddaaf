use api_types::ids::Profile;
use api_types::skills::SkillScope::{Project, Resource, Vance};
use serde_json::{Map, json};

use super::*;
use crate::skills::tests::desk::{Desk, ctx, home, path, put, rename, scope, skill_md};

fn recipe(description: &str, more: &str) -> String {
    format!("description: {description}\nengine: ford\n{more}")
}

fn desk() -> (Desk, Recipes) {
    let desk = Desk::new();
    let shipped = [
        (path("_vance/recipes/default.yaml"), recipe("shipped", "")),
        (path("_vance/recipes/analyze.yaml"), recipe("shipped", "")),
    ];
    let shipped = shipped.map(|(path, text)| (path, text.leak().as_bytes()));
    let recipes = Recipes::new(desk.store.clone(), Arc::new(Bundled::of(shipped)));
    (desk, recipes)
}

fn called(text: &str) -> RecipeName {
    text.parse().unwrap()
}

async fn resolved(recipes: &Recipes, name: &str) -> Result<(String, SkillScope), String> {
    let found = recipes.resolve(&ctx(), &home(), &called(name)).await;
    found.map(|f| (f.recipe.description.clone(), f.scope)).map_err(|error| error.to_string())
}

#[tokio::test]
async fn the_nearest_file_counts_and_every_write_is_seen_at_once() {
    let (desk, recipes) = desk();
    assert_eq!(resolved(&recipes, "default").await.unwrap(), ("shipped".into(), Resource));
    desk.write(Vance, "_vance/recipes/default.yaml", recipe("ours", "")).await;
    assert_eq!(resolved(&recipes, "default").await.unwrap(), ("ours".into(), Vance));
    desk.write(Project, "_vance/recipes/default.yaml", recipe("mine", "")).await;
    assert_eq!(resolved(&recipes, "default").await.unwrap(), ("mine".into(), Project));
    let shown = recipes.show(&ctx(), &home(), &called("default")).await.unwrap();
    assert_eq!((shown.text, shown.scope), (recipe("mine", ""), Project));
    let at_tenant = recipes.resolve(&ctx(), &ProjectId::tenant_layer(), &called("default")).await;
    assert_eq!(at_tenant.unwrap().scope, Vance);
    desk.remove(Project, "_vance/recipes/default.yaml").await;
    desk.remove(Vance, "_vance/recipes/default.yaml").await;
    assert_eq!(resolved(&recipes, "default").await.unwrap(), ("shipped".into(), Resource));
}

#[tokio::test]
async fn a_plain_name_is_also_looked_up_below_user() {
    let (desk, recipes) = desk();
    desk.write(Project, "_vance/recipes/_user/mine.yaml", recipe("own", "")).await;
    assert_eq!(resolved(&recipes, "mine").await.unwrap(), ("own".into(), Project));
    assert_eq!(resolved(&recipes, "_user/mine").await.unwrap(), ("own".into(), Project));
    desk.write(Vance, "_vance/recipes/mine.yaml", recipe("exact", "")).await;
    assert_eq!(resolved(&recipes, "mine").await.unwrap(), ("exact".into(), Vance));
}

#[tokio::test]
async fn broken_and_stray_files_are_reported() {
    let (desk, recipes) = desk();
    let at = "_vance/recipes/";
    desk.write(Project, &format!("{at}analyze.yaml"), "description: no engine\n").await;
    desk.write(Project, &format!("{at}other.yml"), recipe("ending", "")).await;
    desk.write(Project, &format!("{at}My Own.yaml"), recipe("mapped", "")).await;
    desk.write(Project, &format!("{at}my-own.yaml"), recipe("called so", "")).await;
    desk.write(Project, &format!("{at}b!d.yaml"), recipe("no name", "")).await;
    desk.write(Project, &format!("{at}_x/deep.yaml"), recipe("deep", "")).await;
    let listing = recipes.list(&ctx(), &home()).await.unwrap();
    let names: Vec<_> = listing.recipes.iter().map(|found| found.name.as_str()).collect();
    assert_eq!(names, ["default", "my-own"]);
    let mut broken: Vec<_> = listing.broken.iter().map(|b| b.path.file_name()).collect();
    broken.sort_unstable();
    assert_eq!(broken, ["My Own.yaml", "analyze.yaml", "b!d.yaml", "other.yml"]);
    assert!(listing.broken.iter().all(|b| b.diagnostics.iter().any(|p| p.is_error())));
    assert_eq!(resolved(&recipes, "my-own").await.unwrap().0, "called so");
    assert_eq!(resolved(&recipes, "_x/deep").await.unwrap().0, "deep");
    let error = resolved(&recipes, "analyze").await.unwrap_err();
    assert!(error.contains("_vance/recipes/analyze.yaml:1:"), "{error}");
    let shown = recipes.show(&ctx(), &home(), &called("analyze")).await.unwrap();
    assert_eq!(shown.text, "description: no engine\n");
    assert_eq!(
        resolved(&recipes, "defualt").await.unwrap_err(),
        "there is no recipe `defualt` here (did you mean `default`?); `foot recipes list` shows all"
    );
    let moved = rename(&format!("{at}My Own.yaml"), &format!("{at}other-own.yaml"));
    desk.apply(&home(), vec![moved]).await.unwrap();
    assert_eq!(resolved(&recipes, "other-own").await.unwrap().0, "mapped");
}

#[tokio::test]
async fn a_snapshot_carries_parameters_and_resolved_skills() {
    let (desk, recipes) = desk();
    let more = "locked: true\npromptMode: OVERWRITE\nparams:\n  model: echo\ndefaultActiveSkills: [tidy]\nallowedToolsAdd: [x]\n";
    let set = vec![
        put("_vance/recipes/work.yaml", recipe("work", more)),
        put("_vance/skills/tidy/SKILL.md", skill_md("Tidy", "", "")),
    ];
    desk.apply(&home(), set).await.unwrap();
    let profile: Profile = "foot".parse().unwrap();
    let Ok(params) = serde_json::from_value::<Map<_, _>>(json!({ "model": "other" })) else {
        unreachable!()
    };
    let (scope, at) = (scope(), crate::runtime::Timestamp(5));
    let spawn = Spawn { scope: &scope, profile: &profile, params: &params, at };
    let made = recipes.snapshot(&ctx(), &desk.skills, &called("work"), spawn).await.unwrap();
    assert_eq!(made.refused, ["model"]);
    assert_eq!(made.spec.params["model"], "echo");
    assert!(made.spec.locked && made.spec.prompt_overwrite && made.spec.tools_add.contains("x"));
    let skill = &made.active_skills[0];
    assert!(skill.from_recipe && !skill.one_shot && skill.resolved_from_scope == Project);
    desk.remove(Project, "_vance/skills/tidy/SKILL.md").await;
    let error = recipes.snapshot(&ctx(), &desk.skills, &called("work"), spawn).await.unwrap_err();
    assert_eq!(error.reason(), "unknown_skill");
}

#[tokio::test]
async fn what_is_shipped_can_be_used() {
    let desk = Desk::new();
    let recipes = Recipes::new(desk.store.clone(), Arc::default());
    let listing = recipes.list(&ctx(), &home()).await.unwrap();
    assert!(listing.broken.is_empty(), "{:?}", listing.broken);
    for name in ["default", "analyze", "code-read", "quick-lookup"] {
        resolved(&recipes, name).await.unwrap();
    }
}
