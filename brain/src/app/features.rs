//! The features that turns are made of, over one store.

use std::sync::Arc;

use api_types::ids::DocumentPath;

use crate::bundled::Bundled;
use crate::bus::Bus;
use crate::documents::access::Members;
use crate::documents::{self, Cascade, Documents, ParsedHead};
use crate::manuals::Manuals;
use crate::models::{self, Providers};
use crate::recipes::{self, Recipes};
use crate::runtime::{Clock, IdGen};
use crate::skills::{Skills, head_parser, locks};
use crate::store::embedded::Embedded;
use crate::tools::{Registry, RegistryParts};
use crate::turns::{Prompts, TurnParts};

/// Documents, what is looked up among them, and turns.
pub(super) struct Features {
    pub(super) documents: Arc<Documents>,
    pub(super) skills: Arc<Skills>,
    pub(super) recipes: Arc<Recipes>,
    pub(super) turns: TurnParts,
}

impl Features {
    pub(super) fn wire(
        store: &Arc<Embedded>,
        models: models::Config,
        bus: &Arc<dyn Bus>,
        clock: &Arc<dyn Clock>,
        ids: &Arc<IdGen>,
    ) -> Result<Self, models::Error> {
        let bundled = Arc::new(Bundled::default());
        let stored: Arc<dyn documents::Store> = store.clone();
        let policy = Arc::new(Members::new(store.clone()));
        let parser = Arc::new(stored_head);
        let documents =
            Arc::new(Documents::new(stored.clone(), policy, parser, clock.clone(), ids.clone()));
        let skills =
            Arc::new(Skills::new(stored.clone(), bundled.clone(), Arc::new(locks::NoLocks)));
        let recipes = Arc::new(Recipes::new(stored.clone(), bundled.clone()));
        let manuals = Arc::new(Manuals::new(stored.clone(), bundled.clone(), skills.clone()));
        let tools = RegistryParts {
            documents: documents.clone(),
            manuals,
            recipes: recipes.clone(),
            clock: clock.clone(),
        };
        let turns = TurnParts {
            skills: skills.clone(),
            providers: Arc::new(Providers::new(models, ids)?),
            tools: Arc::new(Registry::built_in(&tools)),
            prompts: Arc::new(Prompts::new(Arc::new(Cascade::new(stored, bundled)))),
            bus: bus.clone(),
            clock: clock.clone(),
        };
        Ok(Self { documents, skills, recipes, turns })
    }
}

/// What is stored beside a document, so that nobody parses it again.
fn stored_head(path: &DocumentPath, body: &[u8]) -> Option<ParsedHead> {
    head_parser::parse(path, body).or_else(|| recipes::parse_head(path, body))
}
