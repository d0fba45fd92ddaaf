//! Texts that are looked up through project, tenant layer and bundle: prompts and their like.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use api_types::ids::{DocumentPath, ProjectId, Revision, TenantId};

use super::error::Error;
use super::model::At;
use super::store::Store;
use crate::bundled::Bundled;
use crate::ctx::OpCtx;
use crate::port;

/// Most texts that are kept; when there are more, all are dropped and read again.
const TEXTS_MAX: usize = 4_096;

type Key = (TenantId, ProjectId, String);
/// The layers' configuration revisions at which a text was read, and the text.
type Found = (Vec<Revision>, Arc<str>);

/// Looks texts up, fresh each time: a kept text is used only while no layer's configuration changed.
pub struct Cascade {
    store: Arc<dyn Store>,
    bundled: Arc<Bundled>,
    texts: Mutex<HashMap<Key, Found>>,
}

impl Cascade {
    /// The cascade over this store and the bundle.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, bundled: Arc<Bundled>) -> Self {
        Self { store, bundled, texts: Mutex::default() }
    }

    /// The nearest text at `path`.
    ///
    /// # Errors
    /// `path` is no path, or no layer has it; those of the store.
    pub async fn text(
        &self,
        ctx: &OpCtx,
        project: &ProjectId,
        path: &str,
    ) -> Result<Arc<str>, Error> {
        let mut layers = vec![project.clone()];
        if project != &ProjectId::tenant_layer() {
            layers.push(ProjectId::tenant_layer());
        }
        let revisions = self.store.revisions(ctx, &layers).await?;
        let revisions: Vec<Revision> = revisions.into_iter().map(|r| r.config).collect();
        let key = (ctx.tenant.clone(), project.clone(), path.to_owned());
        if let Some((at, text)) = self.texts().get(&key)
            && at == &revisions
        {
            return Ok(Arc::clone(text));
        }
        let text = self.read(ctx, &layers, path).await?;
        let mut texts = self.texts();
        if texts.len() >= TEXTS_MAX {
            texts.clear();
        }
        texts.insert(key, (revisions, Arc::clone(&text)));
        Ok(text)
    }

    fn texts(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Found>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn read(&self, ctx: &OpCtx, layers: &[ProjectId], path: &str) -> Result<Arc<str>, Error> {
        let parsed: DocumentPath = path.parse()?;
        for layer in layers {
            match self.store.get(ctx, layer, &parsed, At::Latest).await {
                Ok(document) => return Ok(String::from_utf8_lossy(&document.body).into()),
                Err(port::Error::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let bundled = self.bundled.get(&parsed).map(String::from_utf8_lossy);
        bundled.map(Into::into).ok_or_else(|| Error::NotFound { what: format!("document {path}") })
    }
}
