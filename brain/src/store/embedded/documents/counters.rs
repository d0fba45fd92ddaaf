//! The counters of all projects, in memory: every turn compares them.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use api_types::ids::{ProjectId, Revision, TenantId};
use rusqlite::Connection;

use crate::documents::Revisions;
use crate::port::Result;
use crate::store::embedded::rows::parse;

/// Set by the writer after its commits, so a reader who sees a number also sees its documents.
#[derive(Debug, Default)]
pub(in crate::store::embedded) struct Counters {
    tenants: RwLock<HashMap<TenantId, HashMap<ProjectId, Revisions>>>,
}

impl Counters {
    pub(in crate::store::embedded) fn load(conn: &Connection) -> Result<Self> {
        let counters = Self::default();
        let sql = "SELECT tenant, project, revision, config_revision FROM document_projects";
        let mut statement = conn.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let revisions = Revisions { all: Revision(row.get(2)?), config: Revision(row.get(3)?) };
            counters.set(parse(row, 0)?, parse(row, 1)?, revisions);
        }
        Ok(counters)
    }

    pub(super) fn get(&self, tenant: &TenantId, projects: &[ProjectId]) -> Vec<Revisions> {
        let tenants = self.tenants.read().unwrap_or_else(PoisonError::into_inner);
        let known = tenants.get(tenant);
        let of = |p| known.and_then(|t| t.get(p)).copied().unwrap_or_default();
        projects.iter().map(of).collect()
    }

    pub(super) fn set(&self, tenant: TenantId, project: ProjectId, revisions: Revisions) {
        let mut tenants = self.tenants.write().unwrap_or_else(PoisonError::into_inner);
        tenants.entry(tenant).or_default().insert(project, revisions);
    }
}
