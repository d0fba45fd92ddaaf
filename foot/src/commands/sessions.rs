//! `foot sessions`

use api_types::ids::SessionId;
use api_types::sessions::{ChatMessageDto, ChatRole, SessionDto, SessionStatus, SessionSummaryDto};

use crate::client::Api;
use crate::error::Result;
use crate::exit::Exit;
use crate::output::{Format, Output, cut, one_line, printable, table, time};

/// Longest title of a line, in characters.
const TITLE_CHARS_MAX: usize = 80;

/// `foot sessions`
#[derive(Clone, Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Your sessions in the project, newest activity first; what `foot sessions` does
    List,
    /// A session with its processes
    Show {
        /// The session
        id: SessionId,
    },
    /// What was said in a session
    Messages {
        /// The session
        id: SessionId,
    },
    /// End a session for good
    Close {
        /// The session
        id: SessionId,
    },
}

/// Runs it.
pub(crate) async fn run(command: &Command, api: &Api, out: &mut Output) -> Result<Exit> {
    match command {
        Command::List => list(api, out).await?,
        Command::Show { id } => {
            let session = api.session(id).await?;
            match out.format {
                Format::Json | Format::StreamJson => out.value(&session)?,
                Format::Text | Format::Sarif => out.text(&show(&session))?,
            }
        }
        Command::Messages { id } => messages(id, api, out).await?,
        Command::Close { id } => {
            api.close_session(id).await?;
            out.note(&format!("{id} is closed"));
        }
    }
    Ok(Exit::Done)
}

async fn list(api: &Api, out: &mut Output) -> Result<()> {
    let project = &api.settings().project;
    let found = api.sessions(project).await?;
    match out.format {
        Format::Json => out.value(&found)?,
        Format::StreamJson => {
            for session in &found.sessions {
                out.value(session)?;
            }
        }
        Format::Text | Format::Sarif if found.sessions.is_empty() => {
            out.note(&format!("no sessions in project {project}"));
        }
        Format::Text | Format::Sarif => {
            let rows: Vec<_> = found.sessions.iter().map(row).collect();
            out.text(&table(&["ID", "STATUS", "LAST ACTIVITY", "TITLE"], &rows))?;
        }
    }
    Ok(())
}

fn row(session: &SessionSummaryDto) -> Vec<String> {
    let title = cut(session.title.as_deref().unwrap_or("-"), TITLE_CHARS_MAX);
    let status = status(session.status).to_owned();
    vec![session.session_id.to_string(), status, time(session.last_activity_at), title]
}

fn status(status: SessionStatus) -> &'static str {
    match status {
        SessionStatus::Init => "init",
        SessionStatus::Running => "running",
        SessionStatus::Idle => "idle",
        SessionStatus::Suspended => "suspended",
        SessionStatus::Archived => "archived",
        SessionStatus::Closed => "closed",
    }
}

fn show(session: &SessionDto) -> String {
    let summary = &session.summary;
    let mut rows = vec![
        vec!["session".to_owned(), summary.session_id.to_string()],
        vec!["project".to_owned(), summary.project_id.to_string()],
        vec!["status".to_owned(), status(summary.status).to_owned()],
        vec!["created".to_owned(), time(summary.created_at)],
        vec!["active".to_owned(), time(summary.last_activity_at)],
        vec!["title".to_owned(), one_line(summary.title.as_deref().unwrap_or("-"))],
    ];
    for process in &session.processes {
        let skills: Vec<_> = process.active_skills.iter().map(|s| s.name.as_str()).collect();
        let skills = if skills.is_empty() {
            String::new()
        } else {
            format!(", skills: {}", skills.join(", "))
        };
        rows.push(vec![
            "process".to_owned(),
            format!("{} ({}, {}{skills})", process.name, process.recipe, process.engine),
        ]);
    }
    let header: Vec<&str> = Vec::new();
    table(&header, &rows).trim_start_matches('\n').to_owned()
}

async fn messages(id: &SessionId, api: &Api, out: &mut Output) -> Result<()> {
    let messages = api.messages(id).await?;
    match out.format {
        Format::Json => out.value(&serde_json::json!({ "messages": messages }))?,
        Format::StreamJson => {
            for message in &messages {
                out.value(message)?;
            }
        }
        Format::Text | Format::Sarif => {
            for message in &messages {
                out.text(&said(message))?;
            }
        }
    }
    Ok(())
}

fn said(message: &ChatMessageDto) -> String {
    let who = match (message.role, &message.sender) {
        (_, Some(sender)) => one_line(sender),
        (ChatRole::Assistant, None) => "assistant".to_owned(),
        (ChatRole::User, None) => "user".to_owned(),
        (ChatRole::System, None) => "system".to_owned(),
    };
    let text = printable(message.content.trim_end());
    format!("── {who}, {} ({})\n{text}\n\n", time(message.created_at), message.process_name)
}
