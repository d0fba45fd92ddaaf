//! The contract of tenants.

use super::{suite, tenant};
use crate::ctx::SystemCtx;
use crate::port::Error;
use crate::runtime::Timestamp;
use crate::tenants::{Bootstrap, Identity, Store, TokenDigest};

suite! {
    an_empty_store_has_no_tenant,
    bootstrap_happens_once,
    a_replaced_token_is_void,
    projects_belong_to_their_tenant,
}

fn first(name: &str) -> Bootstrap {
    Bootstrap {
        tenant: tenant(name),
        project: "home".parse().unwrap(),
        user: "admin".parse().unwrap(),
        token: TokenDigest::of(name),
        at: Timestamp(7),
    }
}

fn admin(name: &str) -> Identity {
    Identity { tenant: tenant(name), user: "admin".parse().unwrap() }
}

async fn an_empty_store_has_no_tenant(store: &dyn Store) {
    assert_eq!(store.any_tenant(&SystemCtx::new()).await.unwrap(), None);
    assert_eq!(store.identify(&TokenDigest::of("")).await.unwrap(), None);
    for project in ["_tenant", "_user_admin", "home"] {
        let exists = store.project_exists(&tenant("default"), &project.parse().unwrap()).await;
        assert!(!exists.unwrap(), "{project}");
    }
}

async fn bootstrap_happens_once(store: &dyn Store) {
    let system = SystemCtx::new();
    let wanted = first("default");
    let both = tokio::join!(store.bootstrap(&system, &wanted), store.bootstrap(&system, &wanted));
    let done = [both.0.unwrap(), both.1.unwrap()];
    assert_eq!(done.iter().filter(|d| **d).count(), 1);
    assert!(!store.bootstrap(&system, &first("other")).await.unwrap());
    assert_eq!(store.any_tenant(&system).await.unwrap(), Some(tenant("default")));
    let found = store.identify(&TokenDigest::of("default")).await.unwrap();
    assert_eq!(found, Some(admin("default")));
    assert_eq!(store.identify(&TokenDigest::of("other")).await.unwrap(), None);
}

async fn a_replaced_token_is_void(store: &dyn Store) {
    let system = SystemCtx::new();
    store.bootstrap(&system, &first("default")).await.unwrap();
    let new = TokenDigest::of("new");
    store.replace_token(&system, &admin("default"), &new).await.unwrap();
    assert_eq!(store.identify(&TokenDigest::of("default")).await.unwrap(), None);
    assert_eq!(store.identify(&new).await.unwrap(), Some(admin("default")));
    let unknown = Identity { user: "nobody".parse().unwrap(), ..admin("default") };
    let refused = store.replace_token(&system, &unknown, &TokenDigest::of("x")).await;
    assert!(matches!(refused, Err(Error::NotFound { .. })), "{refused:?}");
}

async fn projects_belong_to_their_tenant(store: &dyn Store) {
    store.bootstrap(&SystemCtx::new(), &first("default")).await.unwrap();
    let cases = [
        ("default", "home", true),
        ("default", "_tenant", true),
        ("default", "_user_admin", true),
        ("default", "_user_nobody", false),
        ("default", "_other", false),
        ("default", "elsewhere", false),
        ("other", "home", false),
        ("other", "_tenant", false),
        ("other", "_user_admin", false),
    ];
    for (of, project, expect) in cases {
        let exists = store.project_exists(&tenant(of), &project.parse().unwrap()).await.unwrap();
        assert_eq!(exists, expect, "{of}/{project}");
    }
}
