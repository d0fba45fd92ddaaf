//! `foot chat`: an interactive session.
//!
//! One task talks to the brain; a thread of the [`editor`] reads lines. While a line is typed,
//! what the brain says stands above it; while a turn runs, its answer streams and Ctrl-C ends it.

mod follow;
mod open;
mod skills;

mod editor;
mod input;
mod markdown;
mod screen;
mod spinner;

use std::time::Duration;

use api_types::events::UsageDto;
use api_types::frames::{
    ClientFrame, MESSAGE_BYTES_MAX, ProcessCancel, ProcessSteer, SessionBound, SteerMode,
};
use api_types::ids::{MessageId, RecipeName, Seq, SessionId};
use api_types::skills::ActiveSkillRefDto;

use self::editor::{Editor, SkillNames, Typed};
use self::follow::Wait;
use self::input::Input;
use self::screen::Screen;
use self::spinner::Spinner;
use crate::client::{Answer, Link, idempotency_key};
use crate::config::{self, ProcessEnvironment, Settings};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::{Format, Output};

/// Longest time without a connection.
const RETRY_TIME_MAX: Duration = Duration::from_secs(15 * 60);

/// `foot chat`
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Arguments {
    /// Go on with a session; without an ID with the newest one
    #[arg(long, value_name = "ID", num_args = 0..=1)]
    #[expect(clippy::option_option, reason = "a flag with an optional value")]
    pub(crate) resume: Option<Option<SessionId>>,
    /// Recipe of the new session
    #[arg(long, value_name = "RECIPE", conflicts_with = "resume")]
    pub(crate) recipe: Option<RecipeName>,
}

/// Talks until the user leaves.
pub(crate) async fn run(
    arguments: &Arguments,
    settings: Settings,
    out: &mut Output,
) -> Result<Exit> {
    if out.format != Format::Text {
        return Err(Error::usage("a chat is text; `foot run` has `--output json|stream-json`"));
    }
    let mut link = Link::open(settings.clone(), RETRY_TIME_MAX).await?;
    let opened = open::open(arguments, &settings, &mut link).await?;
    let history = config::home(&ProcessEnvironment).ok().map(|home| home.join("history"));
    let names = SkillNames::default();
    let editor = Editor::start(history, names.clone());
    let screen = Screen::new(out, editor.is_terminal());
    let mut chat = Chat::new(link, settings, opened, editor, screen, names);
    let exit = chat.talk().await;
    chat.screen.clear_status();
    chat.link.close().await;
    exit
}

/// An interactive session.
struct Chat<'a> {
    link: Link,
    settings: Settings,
    session: SessionBound,
    active: Vec<ActiveSkillRefDto>,
    editor: Editor,
    screen: Screen<'a>,
    names: SkillNames,
    /// The request for all names of skills.
    asked_for_names: Option<String>,
    /// What is waited for before the next line is asked for.
    wait: Wait,
    /// Inbox places that were dealt with while the reply that names ours was under way.
    dealt: Vec<Seq>,
    answer: Answer,
    open_turn: Option<Seq>,
    spinner: Spinner,
    last_seen: Option<MessageId>,
    /// The request for messages after events were lost.
    asked_for_messages: Option<String>,
    cancelled: bool,
}

/// What a line led to.
enum Done {
    Leave(Exit),
    GoOn,
}

impl<'a> Chat<'a> {
    fn new(
        link: Link,
        settings: Settings,
        session: SessionBound,
        editor: Editor,
        screen: Screen<'a>,
        names: SkillNames,
    ) -> Self {
        Self {
            link,
            settings,
            active: session.active_skills.clone(),
            session,
            editor,
            screen,
            names,
            asked_for_names: None,
            wait: Wait::Nothing,
            dealt: Vec::new(),
            answer: Answer::default(),
            open_turn: None,
            spinner: Spinner::begin(),
            last_seen: None,
            asked_for_messages: None,
            cancelled: false,
        }
    }

    async fn talk(&mut self) -> Result<Exit> {
        self.greet()?;
        let mut interrupted = false;
        loop {
            let typed = self.typed().await?;
            if typed == Typed::Interrupt {
                if std::mem::replace(&mut interrupted, true) {
                    return Ok(Exit::Interrupted);
                }
                self.screen.note("once more to leave")?;
                continue;
            }
            interrupted = false;
            let line = match typed {
                Typed::Line(line) => line,
                Typed::Broken(problem) => return Err(Error::failed(problem)),
                Typed::End | Typed::Interrupt => return Ok(Exit::Done),
            };
            if let Done::Leave(exit) = self.line(&line).await? {
                return Ok(exit);
            }
        }
    }

    fn greet(&mut self) -> Result<()> {
        let SessionBound { session_id, project_id, session_created, .. } = &self.session;
        let how = if *session_created { "new session" } else { "session" };
        let hint = if self.editor.is_terminal() { "; /help tells what there is" } else { "" };
        let text = format!("{how} {session_id} in project {project_id}{hint}");
        self.screen.note(&text)?;
        if self.editor.is_terminal() {
            self.ask_for_names();
        }
        if !self.session.session_created {
            self.ask_for_messages();
        }
        Ok(())
    }

    /// The next line; what the brain says meanwhile stands above it.
    async fn typed(&mut self) -> Result<Typed> {
        loop {
            let badge = skills::badge(&self.active);
            tokio::select! {
                biased;
                typed = self.editor.line(&badge) => return Ok(typed),
                _ = tokio::signal::ctrl_c() => return Ok(Typed::Interrupt),
                next = self.link.next() => self.hear(next?)?,
            }
        }
    }

    async fn line(&mut self, line: &str) -> Result<Done> {
        match input::read(line) {
            Input::Empty => {}
            Input::Quit => return Ok(Done::Leave(Exit::Done)),
            Input::Help => self.screen.lines(&input::help())?,
            Input::Wrong(text) => self.screen.note(&text)?,
            Input::SkillList => self.list_skills().await?,
            Input::Message(text) if text.len() > MESSAGE_BYTES_MAX => {
                let length = text.len();
                let text = format!(
                    "{length} bytes, at most {MESSAGE_BYTES_MAX}; put long texts into a document"
                );
                self.screen.note(&text)?;
            }
            Input::Message(text) => return self.say(text).await,
            Input::Skill(invocation) => return self.activate(invocation).await,
            Input::SkillClear(name) => return self.clear(name).await,
        }
        Ok(Done::GoOn)
    }

    async fn say(&mut self, text: &str) -> Result<Done> {
        let request = ClientFrame::ProcessSteer(ProcessSteer {
            process_name: self.session.chat_process_name.clone(),
            content: text.to_owned(),
            idempotency_key: Some(idempotency_key()),
            mode: SteerMode::Steer,
        });
        self.ask_and_follow(request).await
    }

    /// Sends a request and stays with it until it is dealt with.
    async fn ask_and_follow(&mut self, request: ClientFrame) -> Result<Done> {
        self.dealt.clear();
        self.cancelled = false;
        self.spinner = Spinner::begin();
        self.wait = Wait::Reply(self.link.request(request));
        while self.wait != Wait::Nothing {
            tokio::select! {
                biased;
                _ = tokio::signal::ctrl_c() => {
                    if std::mem::replace(&mut self.cancelled, true) {
                        return Ok(Done::Leave(Exit::Interrupted));
                    }
                    self.cancel()?;
                }
                next = self.link.next() => self.hear(next?)?,
                () = tokio::time::sleep(spinner::FRAME_TIME) => self.screen.tick(&self.spinner),
            }
        }
        self.screen.clear_status();
        Ok(Done::GoOn)
    }

    fn cancel(&mut self) -> Result<()> {
        let process_name = self.session.chat_process_name.clone();
        let cancel = ProcessCancel { process_name, turn_id: self.open_turn };
        self.link.request(ClientFrame::ProcessCancel(cancel));
        Ok(self.screen.note("cancelling; once more to leave")?)
    }
}

/// All tokens of a step.
fn tokens(usage: &UsageDto) -> u64 {
    usage.tokens_in + usage.tokens_out + usage.cache_read + usage.cache_write
}

#[cfg(test)]
mod tests;
