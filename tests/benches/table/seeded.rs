//! Data folders with many skills, made once by a real node over REST and used by several benchmarks.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::json;
use tempfile::TempDir;
use tests::node::{Bootstrap, Node, Options};

use super::written;

/// Documents of one change set.
const SET: usize = 1_000;

/// The folders, by their number of skills.
#[derive(Default)]
pub(crate) struct Seeded {
    folders: BTreeMap<usize, TempDir>,
}

impl Seeded {
    /// A data folder with so many skills that no node uses now.
    pub(crate) async fn folder(&mut self, skills: usize) -> anyhow::Result<PathBuf> {
        if let Some(folder) = self.folders.get(&skills) {
            return Ok(folder.path().join("data"));
        }
        let folder = tempfile::tempdir()?;
        let data = folder.path().join("data");
        let mut node = Node::start_on(&data, Options::default())?;
        put(&node.bootstrap()?, skills).await?;
        node.stop()?;
        self.folders.insert(skills, folder);
        Ok(data)
    }
}

async fn put(to: &Bootstrap, skills: usize) -> anyhow::Result<()> {
    let url = format!("{}/brain/{}/documents/changes?projectId={}", to.url, to.tenant, to.project);
    let client = reqwest::Client::new();
    for from in (0..skills).step_by(SET) {
        let change = |number| {
            json!({
                "op": "put",
                "path": format!("_vance/skills/{}/SKILL.md", written::name(number)),
                "text": written::skill(number),
                "expected": "any",
            })
        };
        let changes: Vec<_> = (from..skills.min(from + SET)).map(change).collect();
        let request = client.post(&url).bearer_auth(&to.token).json(&json!({"changes": changes}));
        let answer = request.send().await?;
        let status = answer.status();
        anyhow::ensure!(status.is_success(), "{status}: {}", answer.text().await?);
    }
    Ok(())
}
