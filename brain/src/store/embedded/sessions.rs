//! The port of sessions on SQLite.

mod rows;

use api_types::ids::{SessionId, TenantId};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, named_params, params};

use super::rows::{bad_token, slice};
use super::{Embedded, soon};
use crate::ctx::{OpCtx, SystemCtx};
use crate::port::{Error, Page, Result, Slice};
use crate::runtime::Timestamp;
use crate::sessions::{Binding, NewSession, Session, SessionFilter, Store, TITLE_CHARS_MAX};
use rows::{COLUMNS, session, status_text};

pub(super) const SCHEMA: &str = "
    CREATE TABLE sessions (
        tenant TEXT NOT NULL,
        id TEXT NOT NULL,
        project TEXT NOT NULL,
        user TEXT NOT NULL,
        profile TEXT NOT NULL,
        chat TEXT NOT NULL,
        status TEXT NOT NULL,
        title TEXT,
        created_at INTEGER NOT NULL,
        last_activity_at INTEGER NOT NULL,
        revision INTEGER NOT NULL,
        bound_to TEXT,
        bind_epoch INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (tenant, id)
    ) WITHOUT ROWID;
    CREATE INDEX sessions_activity ON sessions (tenant, last_activity_at, id);
    CREATE INDEX sessions_user ON sessions (tenant, user, last_activity_at, id);
    CREATE INDEX sessions_bound ON sessions (tenant, id) WHERE bound_to IS NOT NULL;
";

#[async_trait]
impl Store for Embedded {
    async fn create(&self, ctx: &OpCtx, new: NewSession) -> Result<Session> {
        let tenant = ctx.tenant.clone();
        self.write(ctx.deadline, move |c| create(c, &tenant, &new)).await
    }

    async fn get(&self, ctx: &OpCtx, id: &SessionId) -> Result<Session> {
        let (tenant, id) = (ctx.tenant.clone(), id.clone());
        self.read(ctx.deadline, move |c| get(c, &tenant, &id)).await
    }

    async fn list(
        &self,
        ctx: &OpCtx,
        filter: &SessionFilter,
        page: Page,
    ) -> Result<Slice<Session>> {
        let (tenant, filter) = (ctx.tenant.clone(), filter.clone());
        self.read(ctx.deadline, move |c| list(c, &tenant, &filter, &page)).await
    }

    async fn update(&self, ctx: &OpCtx, session: &Session) -> Result<Session> {
        let (tenant, session) = (ctx.tenant.clone(), session.clone());
        self.write(ctx.deadline, move |c| update(c, &tenant, &session)).await
    }

    async fn touch(
        &self,
        ctx: &OpCtx,
        id: &SessionId,
        at: Timestamp,
        title: Option<&str>,
    ) -> Result<()> {
        let (tenant, id, title) = (ctx.tenant.clone(), id.clone(), title.map(cut));
        self.write(ctx.deadline, move |c| touch(c, &tenant, &id, at, title)).await
    }

    async fn bind(
        &self,
        ctx: &OpCtx,
        id: &SessionId,
        connection: &str,
        takeover: bool,
    ) -> Result<Binding> {
        let (tenant, id, to) = (ctx.tenant.clone(), id.clone(), connection.to_owned());
        self.write(ctx.deadline, move |c| bind(c, &tenant, &id, to, takeover)).await
    }

    async fn unbind(&self, ctx: &OpCtx, id: &SessionId, binding: &Binding) -> Result<()> {
        let (tenant, id, binding) = (ctx.tenant.clone(), id.clone(), binding.clone());
        self.write(ctx.deadline, move |c| unbind(c, &tenant, &id, &binding)).await
    }

    async fn binding(&self, ctx: &OpCtx, id: &SessionId) -> Result<Option<Binding>> {
        let (tenant, id) = (ctx.tenant.clone(), id.clone());
        self.read(ctx.deadline, move |c| binding(c, &tenant, &id).map(|(now, _)| now)).await
    }

    async fn unbind_all(&self, _: &SystemCtx) -> Result<()> {
        let sql = "UPDATE sessions SET bound_to = NULL WHERE bound_to IS NOT NULL";
        self.write(soon(), move |c| Ok(c.execute(sql, []).map(|_| ())?)).await
    }
}

fn no_session(id: &SessionId) -> Error {
    Error::NotFound { what: format!("session {id}") }
}

fn cut(title: &str) -> String {
    title.chars().take(TITLE_CHARS_MAX).collect()
}

fn create(conn: &Connection, tenant: &TenantId, new: &NewSession) -> Result<Session> {
    let sql = "INSERT OR IGNORE INTO sessions \
         (tenant, id, project, user, profile, chat, status, created_at, last_activity_at, revision) \
         VALUES (:tenant, :id, :project, :user, :profile, :chat, 'INIT', :at, :at, 1)";
    conn.prepare_cached(sql)?.execute(named_params! {
        ":tenant": tenant.as_str(), ":id": new.id.as_str(), ":project": new.project.as_str(),
        ":user": new.user.as_str(), ":profile": new.profile.as_str(), ":chat": new.chat.as_str(),
        ":at": new.at.0,
    })?;
    let session = get(conn, tenant, &new.id)?;
    // The same request again names the same owner and place; another one took a foreign id.
    let same = (&session.project, &session.user) == (&new.project, &new.user);
    if same {
        Ok(session)
    } else {
        Err(Error::AlreadyExists { what: format!("session {}", new.id) })
    }
}

fn get(conn: &Connection, tenant: &TenantId, id: &SessionId) -> Result<Session> {
    let sql = format!("SELECT {COLUMNS} FROM sessions WHERE tenant = ?1 AND id = ?2");
    let mut statement = conn.prepare_cached(&sql)?;
    let found = statement.query_row(params![tenant.as_str(), id.as_str()], |row| Ok(session(row)));
    found.optional()?.transpose()?.ok_or_else(|| no_session(id))
}

fn list(
    conn: &Connection,
    tenant: &TenantId,
    filter: &SessionFilter,
    page: &Page,
) -> Result<Slice<Session>> {
    let (before, before_id) = match &page.after {
        Some(token) => list_token(token)?,
        None => (i64::MAX, ""),
    };
    let user = if filter.user.is_some() { "AND user = :user" } else { "AND :user IS NULL" };
    let sql = format!(
        "SELECT {COLUMNS} FROM sessions WHERE tenant = :tenant {user} \
         AND (:project IS NULL OR project = :project) \
         AND (last_activity_at, id) < (:before, :before_id) \
         ORDER BY last_activity_at DESC, id DESC LIMIT :rows"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let mut found = statement.query(named_params! {
        ":tenant": tenant.as_str(), ":user": filter.user.as_ref().map(AsRef::as_ref),
        ":project": filter.project.as_ref().map(AsRef::as_ref),
        ":before": before, ":before_id": before_id, ":rows": page.rows() + 1,
    })?;
    let mut sessions = Vec::new();
    while let Some(row) = found.next()? {
        sessions.push(session(row)?);
    }
    Ok(slice(sessions, page, |s| format!("{}:{}", s.last_activity_at.0, s.id)))
}

fn list_token(token: &str) -> Result<(i64, &str)> {
    let parts = token.split_once(':').and_then(|(at, id)| Some((at.parse().ok()?, id)));
    parts.ok_or_else(|| bad_token(token))
}

fn update(conn: &Connection, tenant: &TenantId, new: &Session) -> Result<Session> {
    let sql = "UPDATE sessions SET status = ?3, title = ?4, revision = revision + 1 \
               WHERE tenant = ?1 AND id = ?2 AND revision = ?5";
    let title = new.title.as_deref().map(cut);
    let (status, revision) = (status_text(new.status), new.revision.0);
    let args = params![tenant.as_str(), new.id.as_str(), status, title, revision];
    let changed = conn.prepare_cached(sql)?.execute(args)?;
    let now = get(conn, tenant, &new.id)?;
    if changed == 0 {
        let what = format!("session {}", new.id);
        return Err(Error::Conflict { what, current: now.revision });
    }
    Ok(now)
}

/// A first title counts as a write, so that an update that has not seen it can't undo it.
fn touch(
    conn: &Connection,
    tenant: &TenantId,
    id: &SessionId,
    at: Timestamp,
    title: Option<String>,
) -> Result<()> {
    let sql = "UPDATE sessions SET last_activity_at = max(last_activity_at, ?3), \
               revision = revision + (title IS NULL AND ?4 IS NOT NULL), title = ifnull(title, ?4) \
               WHERE tenant = ?1 AND id = ?2";
    conn.prepare_cached(sql)?.execute(params![tenant.as_str(), id.as_str(), at.0, title])?;
    Ok(())
}

/// Who holds the session, and the last epoch.
fn binding(conn: &Connection, tenant: &TenantId, id: &SessionId) -> Result<(Option<Binding>, u64)> {
    let sql = "SELECT bound_to, bind_epoch FROM sessions WHERE tenant = ?1 AND id = ?2";
    let mut statement = conn.prepare_cached(sql)?;
    let found = statement.query_row(params![tenant.as_str(), id.as_str()], |row| {
        let (connection, epoch): (Option<String>, u64) = (row.get(0)?, row.get(1)?);
        Ok((connection.map(|connection| Binding { connection, epoch }), epoch))
    });
    found.optional()?.ok_or_else(|| no_session(id))
}

fn bind(
    conn: &Connection,
    tenant: &TenantId,
    id: &SessionId,
    to: String,
    takeover: bool,
) -> Result<Binding> {
    let (now, epoch) = binding(conn, tenant, id)?;
    if now.is_some_and(|b| b.connection != to) && !takeover {
        let what = format!("a binding of session {id} to another connection");
        return Err(Error::AlreadyExists { what });
    }
    let epoch = epoch + 1;
    let sql = "UPDATE sessions SET bound_to = ?3, bind_epoch = ?4, \
               status = CASE status WHEN 'INIT' THEN 'IDLE' ELSE status END \
               WHERE tenant = ?1 AND id = ?2";
    conn.prepare_cached(sql)?.execute(params![tenant.as_str(), id.as_str(), to, epoch])?;
    Ok(Binding { connection: to, epoch })
}

fn unbind(conn: &Connection, tenant: &TenantId, id: &SessionId, binding: &Binding) -> Result<()> {
    let sql = "UPDATE sessions SET bound_to = NULL \
               WHERE tenant = ?1 AND id = ?2 AND bound_to = ?3 AND bind_epoch = ?4";
    let args = params![tenant.as_str(), id.as_str(), binding.connection, binding.epoch];
    conn.prepare_cached(sql)?.execute(args)?;
    Ok(())
}
