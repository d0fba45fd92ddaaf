//! The port of tenants on SQLite.

use api_types::ids::{ProjectId, TenantId};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Params, params};

use super::rows::parse;
use super::{Embedded, soon};
use crate::ctx::SystemCtx;
use crate::port::{Error, Result};
use crate::tenants::{Bootstrap, Identity, Store, TokenDigest};

pub(super) const SCHEMA: &str = "
    CREATE TABLE tenants (
        tenant TEXT PRIMARY KEY,
        created_at INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE projects (
        tenant TEXT NOT NULL,
        project TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        PRIMARY KEY (tenant, project)
    ) WITHOUT ROWID;
    CREATE TABLE users (
        tenant TEXT NOT NULL,
        user TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        PRIMARY KEY (tenant, user)
    ) WITHOUT ROWID;
    CREATE TABLE tokens (
        digest BLOB PRIMARY KEY,
        tenant TEXT NOT NULL,
        user TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX tokens_user ON tokens (tenant, user);
";

#[async_trait]
impl Store for Embedded {
    async fn bootstrap(&self, _: &SystemCtx, first: &Bootstrap) -> Result<bool> {
        let first = first.clone();
        self.write(soon(), move |c| bootstrap(c, &first)).await
    }

    async fn replace_token(
        &self,
        _: &SystemCtx,
        identity: &Identity,
        token: &TokenDigest,
    ) -> Result<()> {
        let (identity, token) = (identity.clone(), token.clone());
        self.write(soon(), move |c| replace_token(c, &identity, &token)).await
    }

    async fn identify(&self, token: &TokenDigest) -> Result<Option<Identity>> {
        let token = token.clone();
        self.read(soon(), move |c| identify(c, &token)).await
    }

    async fn project_exists(&self, tenant: &TenantId, project: &ProjectId) -> Result<bool> {
        let (tenant, project) = (tenant.clone(), project.clone());
        self.read(soon(), move |c| project_exists(c, &tenant, &project)).await
    }

    async fn any_tenant(&self, _: &SystemCtx) -> Result<Option<TenantId>> {
        self.read(soon(), any_tenant).await
    }
}

fn bootstrap(conn: &Connection, first: &Bootstrap) -> Result<bool> {
    if any_tenant(conn)?.is_some() {
        return Ok(false);
    }
    let (tenant, user, at) = (first.tenant.as_str(), first.user.as_str(), first.at.0);
    conn.execute("INSERT INTO tenants VALUES (?1, ?2)", params![tenant, at])?;
    let project = first.project.as_str();
    conn.execute("INSERT INTO projects VALUES (?1, ?2, ?3)", params![tenant, project, at])?;
    conn.execute("INSERT INTO users VALUES (?1, ?2, ?3)", params![tenant, user, at])?;
    insert_token(conn, tenant, user, &first.token)?;
    Ok(true)
}

fn insert_token(conn: &Connection, tenant: &str, user: &str, token: &TokenDigest) -> Result<()> {
    conn.execute("INSERT INTO tokens VALUES (?1, ?2, ?3)", params![token.0, tenant, user])?;
    Ok(())
}

fn replace_token(conn: &Connection, identity: &Identity, token: &TokenDigest) -> Result<()> {
    let (tenant, user) = (identity.tenant.as_str(), identity.user.as_str());
    if !has_user(conn, tenant, user)? {
        return Err(Error::NotFound { what: format!("user {user} of tenant {tenant}") });
    }
    conn.execute("DELETE FROM tokens WHERE tenant = ?1 AND user = ?2", params![tenant, user])?;
    insert_token(conn, tenant, user, token)
}

fn identify(conn: &Connection, token: &TokenDigest) -> Result<Option<Identity>> {
    let mut statement = conn.prepare_cached("SELECT tenant, user FROM tokens WHERE digest = ?1")?;
    let mut rows = statement.query([token.0])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    Ok(Some(Identity { tenant: parse(row, 0)?, user: parse(row, 1)? }))
}

/// `_tenant` is there with its tenant, `_user_<login>` with its user.
fn project_exists(conn: &Connection, tenant: &TenantId, project: &ProjectId) -> Result<bool> {
    let tenant = tenant.as_str();
    if *project == ProjectId::tenant_layer() {
        return exists(conn, "SELECT 1 FROM tenants WHERE tenant = ?1", [tenant]);
    }
    if let Some(owner) = project.layer_owner() {
        return has_user(conn, tenant, owner);
    }
    let sql = "SELECT 1 FROM projects WHERE tenant = ?1 AND project = ?2";
    exists(conn, sql, params![tenant, project.as_str()])
}

fn has_user(conn: &Connection, tenant: &str, user: &str) -> Result<bool> {
    exists(conn, "SELECT 1 FROM users WHERE tenant = ?1 AND user = ?2", params![tenant, user])
}

fn exists(conn: &Connection, sql: &str, params: impl Params) -> Result<bool> {
    Ok(conn.prepare_cached(sql)?.query_row(params, |_| Ok(())).optional()?.is_some())
}

fn any_tenant(conn: &Connection) -> Result<Option<TenantId>> {
    let mut statement =
        conn.prepare_cached("SELECT tenant FROM tenants ORDER BY tenant LIMIT 1")?;
    let mut rows = statement.query([])?;
    rows.next()?.map(|row| parse(row, 0)).transpose()
}
