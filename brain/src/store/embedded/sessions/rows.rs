//! Rows of sessions.

use api_types::ids::Revision;
use api_types::sessions::SessionStatus;
use rusqlite::Row;

use crate::port::Result;
use crate::runtime::Timestamp;
use crate::sessions::Session;
use crate::store::embedded::fault;
use crate::store::embedded::rows::parse;

/// What [`session`] reads, in its order.
pub(super) const COLUMNS: &str =
    "id, project, user, profile, chat, status, title, created_at, last_activity_at, revision";

pub(super) fn session(row: &Row<'_>) -> Result<Session> {
    Ok(Session {
        id: parse(row, 0)?,
        project: parse(row, 1)?,
        user: parse(row, 2)?,
        profile: parse(row, 3)?,
        chat: parse(row, 4)?,
        status: parse_status(row.get_ref(5)?.as_str().map_err(rusqlite::Error::from)?)?,
        title: row.get(6)?,
        created_at: Timestamp(row.get(7)?),
        last_activity_at: Timestamp(row.get(8)?),
        revision: Revision(row.get(9)?),
    })
}

/// As clients read it.
pub(super) fn status_text(status: SessionStatus) -> &'static str {
    match status {
        SessionStatus::Init => "INIT",
        SessionStatus::Running => "RUNNING",
        SessionStatus::Idle => "IDLE",
        SessionStatus::Suspended => "SUSPENDED",
        SessionStatus::Archived => "ARCHIVED",
        SessionStatus::Closed => "CLOSED",
    }
}

fn parse_status(text: &str) -> Result<SessionStatus> {
    Ok(match text {
        "INIT" => SessionStatus::Init,
        "RUNNING" => SessionStatus::Running,
        "IDLE" => SessionStatus::Idle,
        "SUSPENDED" => SessionStatus::Suspended,
        "ARCHIVED" => SessionStatus::Archived,
        "CLOSED" => SessionStatus::Closed,
        other => return Err(fault(format!("the store holds a broken session status {other:?}"))),
    })
}
