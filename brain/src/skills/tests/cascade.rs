//! The cascade over real layers.

use std::collections::BTreeSet;
use std::sync::Arc;

use api_types::ids::{ProjectId, SkillName};
use api_types::skills::SkillScope::{self, Project, Resource, User, Vance};
use async_trait::async_trait;

use super::desk::*;
use crate::bundled::Bundled;
use crate::ctx::OpCtx;
use crate::port;
use crate::skills::error::Error;
use crate::skills::locks::{Locks, NoLocks};

const AT: &str = "_vance/skills/tidy/SKILL.md";

fn bundled() -> Bundled {
    let text = skill_md("Bundled", "", "from the bundle");
    Bundled::of([(path(AT), text.leak().as_bytes())])
}

async fn full() -> Desk {
    let desk = Desk::with(bundled(), Arc::new(NoLocks));
    for layer in [User, Project, Vance] {
        desk.write(layer, AT, skill_md(layer.cli_name(), "", layer.cli_name())).await;
    }
    desk
}

/// Verdicts as `layer: reason`, nearest first.
async fn explained(desk: &Desk) -> Vec<String> {
    let resolution = desk.skills.explain(&ctx(), &scope(), &name("tidy")).await.unwrap();
    resolution
        .candidates()
        .iter()
        .map(|r| format!("{}: {}", r.scope().cli_name(), r.reason()))
        .collect()
}

/// Body of the copy that an activation gets, or the machine's reason.
async fn activated(desk: &Desk, layer: Option<SkillScope>) -> String {
    match desk.skills.load_from(&ctx(), &scope(), &name("tidy"), layer).await {
        Ok(skill) => skill.body.trim().to_owned(),
        Err(error) => error.reason().to_owned(),
    }
}

#[tokio::test]
async fn one_name_in_all_layers_deleted_one_after_another() {
    let desk = full().await;
    assert_eq!(
        explained(&desk).await,
        [
            "user: the user copy counts",
            "project: the user copy is nearer and counts",
            "tenant: the user copy is nearer and counts",
            "bundled: the user copy is nearer and counts",
        ]
    );
    for layer in [User, Project, Vance, Resource] {
        let shown = desk.skills.show(&ctx(), &scope(), &name("tidy"), Some(layer)).await.unwrap();
        assert_eq!(shown.copy.scope(), layer);
        assert!(shown.text.starts_with("---\ntitle: "));
    }
    for (layer, next) in [(User, "project"), (Project, "tenant"), (Vance, "from the bundle")] {
        assert_eq!(activated(&desk, None).await, layer.cli_name());
        assert_eq!(activated(&desk, Some(layer)).await, layer.cli_name());
        desk.remove(layer, AT).await;
        assert_eq!(activated(&desk, None).await, next);
        assert_eq!(activated(&desk, Some(layer)).await, "unknown_skill");
    }
    assert_eq!(explained(&desk).await, ["bundled: the bundled copy counts"]);
}

#[tokio::test]
async fn the_listing_and_an_activation_agree_at_every_state() {
    let states = ["", "enabled: false\n", "arguments: wrong\n"];
    for inner in 0..states.len() {
        for outer in 0..states.len() {
            let desk = Desk::new();
            desk.write(Project, AT, skill_md("Inner", states[inner], "inner")).await;
            desk.write(Vance, AT, skill_md("Outer", states[outer], "outer")).await;
            let (listed, by_name) = [
                ("tidy project valid", "inner"),
                ("tidy project disabled", "skill_disabled"),
                ("tidy project invalid", "skill_invalid"),
            ][inner];
            assert_eq!(desk.listing().await, [listed]);
            assert_eq!(activated(&desk, None).await, by_name);
            let at_outer = match (inner, outer) {
                (_, 1) => "skill_disabled",
                (_, 2) => "skill_invalid",
                (1, _) => "skill_disabled",
                _ => "outer",
            };
            assert_eq!(activated(&desk, Some(Vance)).await, at_outer, "{inner} {outer}");
        }
    }
}

struct Locked(SkillScope);

#[async_trait]
impl Locks for Locked {
    async fn locked(&self, _: &OpCtx, of: &ProjectId) -> port::Result<Arc<BTreeSet<SkillName>>> {
        let names = (*of == project(self.0)).then(|| name("tidy"));
        Ok(Arc::new(names.into_iter().collect()))
    }
}

#[tokio::test]
async fn a_locked_name_is_the_locking_layers() {
    let desk = Desk::with(bundled(), Arc::new(Locked(Vance)));
    desk.write(User, AT, skill_md("Mine", "", "mine")).await;
    assert_eq!(activated(&desk, None).await, "from the bundle");
    desk.write(Vance, AT, skill_md("Ours", "", "ours")).await;
    assert_eq!(activated(&desk, None).await, "ours");
    assert_eq!(activated(&desk, Some(User)).await, "skill_locked");
    assert_eq!(
        explained(&desk).await[0],
        "user: the name is locked (`skills.locked`), so the tenant copy counts"
    );
}

#[tokio::test]
async fn refusals_say_what_where_and_what_to_do() {
    let desk = full().await;
    let load = async |text: &str, layer| {
        desk.skills.load_from(&ctx(), &scope(), &name(text), layer).await.unwrap_err()
    };
    assert_eq!(
        load("tdiy", None).await.to_string(),
        "there is no skill `tdiy` here (did you mean `tidy`?); `/skill list` shows all"
    );
    assert!(matches!(load("nothing-like-it", None).await, Error::Unknown { suggestion: None, .. }));
    assert_eq!(
        load("tidy", Some(SkillScope::Local)).await.to_string(),
        "the local layer has no copy of the skill `tidy`; it is in: user, project, tenant, bundled"
    );
    desk.write(User, AT, skill_md("Off", "enabled: false\n", "")).await;
    assert_eq!(
        load("tidy", None).await.to_string(),
        "the skill `tidy` is switched off in the user layer; set `enabled: true` in \
         _vance/skills/tidy/SKILL.md, or delete that copy"
    );
    desk.write(User, AT, "no head at all").await;
    let broken = load("tidy", None).await;
    assert_eq!(broken.reason(), "skill_invalid");
    let message = broken.to_string();
    assert!(message.contains("_vance/skills/tidy/SKILL.md:1:1: error[missing-head]"), "{message}");
}

#[tokio::test]
async fn system_projects_count_once_and_users_are_apart() {
    let desk = full().await;
    let mut at_tenant = scope();
    at_tenant.project = ProjectId::tenant_layer();
    let scopes: Vec<SkillScope> =
        at_tenant.projects().into_iter().map(|(layer, _)| layer).collect();
    assert_eq!(scopes, [User, Vance]);
    let mut of_john = scope();
    of_john.user = Some("john".parse().unwrap());
    let skill = desk.skills.load(&ctx(), &of_john, &name("tidy")).await.unwrap();
    assert_eq!(skill.scope, Project);
    of_john.user = None;
    assert_eq!(desk.skills.load(&ctx(), &of_john, &name("tidy")).await.unwrap().scope, Project);
    let mut foreign = ctx();
    foreign.tenant = "other".parse().unwrap();
    assert_eq!(desk.skills.load(&foreign, &scope(), &name("tidy")).await.unwrap().scope, Resource);
}
