//! What a user does, from end to end, against the real commands and a fake model provider.

#![expect(clippy::unwrap_used, reason = "a test that meets the unexpected shall stop there")]

mod crash;
mod errors;
mod prompt;
mod run;
mod session;
mod skills;
mod tools;

use std::time::Duration;

use tests::fake_provider::{self, Handle};
use tests::node::{Node, Options};

/// A brain and its model provider.
struct Pair {
    node: Node,
    model: Handle,
}

/// A brain whose model speaks this wire format.
async fn pair(provider: &str) -> Pair {
    let model = fake_provider::serve(fake_provider::Options::default()).await.unwrap();
    let url = if provider == "openai" { format!("{}/v1", model.url()) } else { model.url() };
    let node = Node::start(Options::model(provider, &url)).unwrap();
    Pair { node, model }
}

/// Waits until something holds.
async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(tokio::time::Instant::now() < deadline, "{what}: not in time");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Runs a command of foot without holding up the test's runtime.
async fn foot(node: &Node, args: &[&str]) -> tests::node::Foot {
    let bootstrap = node.bootstrap().unwrap();
    let args: Vec<String> = args.iter().map(|a| (*a).to_owned()).collect();
    let run = move || {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        tests::node::foot(
            &args,
            &[("BRAIN_URL", &bootstrap.url), ("BRAIN_TOKEN", &bootstrap.token)],
        )
    };
    tokio::task::spawn_blocking(run).await.unwrap().unwrap()
}
