//! What every adapter must do, said once: plain functions over a port, applied to each adapter.

mod documents;
mod lanes;
mod sessions;
mod tenants;

use std::sync::Arc;

use api_types::ids::TenantId;

use super::embedded::{Embedded, OpenMode};
use crate::ctx::{Actor, OpCtx};

/// An embedded store and the folder that it lives in.
struct Fixture {
    store: Arc<Embedded>,
    _folder: Option<tempfile::TempDir>,
}

impl Fixture {
    fn threaded() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Embedded::open(OpenMode::Folder(folder.path().into())).unwrap();
        Self { store, _folder: Some(folder) }
    }

    fn inline() -> Self {
        Self { store: Embedded::open(OpenMode::InMemory).unwrap(), _folder: None }
    }
}

/// Runs each case on each adapter.
macro_rules! suite {
    ($($case:ident),+ $(,)?) => {
        mod threaded {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $case() {
                    super::$case(&*crate::store::contract::Fixture::threaded().store).await;
                }
            )+
        }
        mod inline {
            $(
                #[tokio::test(start_paused = true)]
                async fn $case() {
                    super::$case(&*crate::store::contract::Fixture::inline().store).await;
                }
            )+
        }
    };
}
use suite;

fn tenant(name: &str) -> TenantId {
    name.parse().unwrap()
}

fn ctx() -> OpCtx {
    ctx_of("acme")
}

fn ctx_of(name: &str) -> OpCtx {
    OpCtx::new(tenant(name), Actor::User("jane".parse().unwrap()))
}
