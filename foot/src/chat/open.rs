//! The session that a chat is about: a new one, a named one, or the newest.

use api_types::frames::{
    ClientFrame, ReplyFrame, SessionBound, SessionCreate, SessionListRequest, SessionResume,
};
use api_types::ids::SessionId;
use api_types::sessions::SessionStatus;

use super::Arguments;
use crate::client::{Body, Error as ClientError, Link, Next};
use crate::config::Settings;
use crate::error::{Error, Result};

pub(super) async fn open(
    arguments: &Arguments,
    settings: &Settings,
    link: &mut Link,
) -> Result<SessionBound> {
    let request = match &arguments.resume {
        None => ClientFrame::SessionCreate(SessionCreate {
            project_id: settings.project.clone(),
            chat_recipe: arguments.recipe.clone(),
        }),
        Some(named) => {
            let session_id = match named {
                Some(id) => id.clone(),
                None => newest(settings, link).await?,
            };
            ClientFrame::SessionResume(SessionResume { session_id, takeover: false, cursor: None })
        }
    };
    match ask(link, request).await? {
        ReplyFrame::SessionCreate(bound) | ReplyFrame::SessionResume(bound) => Ok(bound),
        other => Err(unexpected(settings, &other)),
    }
}

async fn newest(settings: &Settings, link: &mut Link) -> Result<SessionId> {
    let project_id = Some(settings.project.clone());
    let request = ClientFrame::SessionList(SessionListRequest { project_id });
    match ask(link, request).await? {
        ReplyFrame::SessionList(list) => {
            let living =
                |status| !matches!(status, SessionStatus::Closed | SessionStatus::Archived);
            let found = list.sessions.into_iter().find(|session| living(session.status));
            found.map(|session| session.session_id).ok_or_else(|| {
                let message = format!("no session in project {} to go on with", settings.project);
                Error::failed(message)
            })
        }
        other => Err(unexpected(settings, &other)),
    }
}

fn unexpected(settings: &Settings, reply: &ReplyFrame) -> Error {
    let problem = format!("it answers with another reply: {reply:?}");
    ClientError::Protocol { url: settings.url.clone(), problem }.into()
}

/// Waits for the answer; nothing else is of interest yet.
async fn ask(link: &mut Link, request: ClientFrame) -> Result<ReplyFrame> {
    let asked = link.request(request);
    loop {
        let Next::Frame(incoming) = link.next().await? else { continue };
        match incoming.body {
            Body::Reply(to, reply) if to == asked => return Ok(reply),
            Body::Refused(to, error) if to == asked => {
                return Err(ClientError::Refused(Box::new(error)).into());
            }
            _ => {}
        }
    }
}
