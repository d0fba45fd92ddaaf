//! The nouns of sessions.

use api_types::ids::{LaneId, Profile, ProjectId, Revision, SessionId, UserLogin};
use api_types::sessions::{SessionStatus, ThinkProcessStatus};

use crate::runtime::Timestamp;

/// Longest title, in characters.
pub const TITLE_CHARS_MAX: usize = 250;

/// A session to be made.
#[derive(Clone, Debug)]
pub struct NewSession {
    /// Its id; making it again is a no-op.
    pub id: SessionId,
    /// Its project.
    pub project: ProjectId,
    /// Its owner.
    pub user: UserLogin,
    /// The client kind that made it.
    pub profile: Profile,
    /// Its chat process, which is made next.
    pub chat: LaneId,
    /// When.
    pub at: Timestamp,
}

/// A session.
#[derive(Clone, Debug)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// Its project.
    pub project: ProjectId,
    /// Its owner.
    pub user: UserLogin,
    /// The client kind that made it.
    pub profile: Profile,
    /// Its chat process.
    pub chat: LaneId,
    /// Its own state; `Running` is derived from its processes by readers.
    pub status: SessionStatus,
    /// First user message, cut to 250 characters.
    pub title: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When something last happened.
    pub last_activity_at: Timestamp,
    /// Counts its writes.
    pub revision: Revision,
}

impl Session {
    /// What people are shown: a session that lives runs while one of its processes does.
    #[must_use]
    pub fn rollup(&self, processes: impl IntoIterator<Item = ThinkProcessStatus>) -> SessionStatus {
        let lives = matches!(
            self.status,
            SessionStatus::Init | SessionStatus::Idle | SessionStatus::Running
        );
        if lives && processes.into_iter().any(|status| status == ThinkProcessStatus::Running) {
            return SessionStatus::Running;
        }
        self.status
    }
}

/// Which sessions.
#[derive(Clone, Debug, Default)]
pub struct SessionFilter {
    /// Only this user's.
    pub user: Option<UserLogin>,
    /// Only in this project.
    pub project: Option<ProjectId>,
}

/// The connection that holds a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The connection.
    pub connection: String,
    /// Grows with each binding; unbinding needs it.
    pub epoch: u64,
}
