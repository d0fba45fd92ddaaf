//! `foot run`: activations in order, then the prompt, in one request; prints the answer.

mod request;
mod sink;
mod watch;

use std::time::Duration;

use api_types::frames::{ClientFrame, Empty, ProcessCancel, ProcessMessages};
use tokio::time::Instant;

use self::sink::Sink;
use self::watch::{Act, Watch};
use crate::client::{Body, Error as ClientError, Incoming, Link, Next};
use crate::config::Settings;
use crate::error::Result;
use crate::exit::Exit;
use crate::output::Output;

/// Longest time without a connection.
const RETRY_TIME_MAX: Duration = Duration::from_secs(60);
/// Longest wait for the end of a turn that was cancelled.
const CANCEL_TIME_MAX: Duration = Duration::from_secs(5);

/// `foot run`
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The prompt; `-` reads it from standard input
    #[arg(short, long, allow_hyphen_values = true, value_name = "PROMPT")]
    pub(crate) prompt: Option<String>,
    /// `-`: the prompt comes from standard input
    #[arg(value_name = "-", conflicts_with = "prompt", value_parser = ["-"], hide_possible_values = true)]
    pub(crate) stdin: Option<String>,
    /// Recipe of the new session
    #[arg(long, value_name = "RECIPE")]
    pub(crate) recipe: Option<String>,
    /// Skill to activate before the prompt: `NAME [--once] [ARGUMENTS]`; may be repeated
    #[arg(long = "skill", value_name = "NAME ARGUMENTS", allow_hyphen_values = true)]
    pub(crate) skills: Vec<String>,
    /// Go on with this session
    #[arg(long, value_name = "ID", conflicts_with = "recipe")]
    pub(crate) session: Option<String>,
}

/// Runs it.
pub(crate) async fn run(
    arguments: &Arguments,
    settings: Settings,
    out: &mut Output,
) -> Result<Exit> {
    let bootstrap = request::bootstrap(arguments, &settings)?;
    let watch = Watch::new(bootstrap.initial_message.clone(), bootstrap.activations.len());
    let mut link = Link::open(settings, RETRY_TIME_MAX).await?;
    let asked = link.request(ClientFrame::SessionBootstrap(bootstrap));
    let mut run =
        Run { link, watch, sink: Sink::new(out), asked, cancel_until: None, lost_early: false };
    let exit = run.until_done().await?;
    run.link.close().await;
    Ok(exit)
}

struct Run<'a> {
    link: Link,
    watch: Watch,
    sink: Sink<'a>,
    /// The bootstrap.
    asked: String,
    /// The user has interrupted; the turn has until then to end.
    cancel_until: Option<Instant>,
    /// The connection was lost before the bootstrap was answered.
    lost_early: bool,
}

impl Run<'_> {
    async fn until_done(&mut self) -> Result<Exit> {
        loop {
            let deadline = self.cancel_until;
            tokio::select! {
                biased;
                _ = tokio::signal::ctrl_c() => {
                    if self.cancel_until.is_some() || !self.cancel() {
                        return self.interrupted();
                    }
                }
                () = until(deadline) => return self.interrupted(),
                next = self.link.next() => {
                    if self.take(next?)? {
                        break;
                    }
                }
            }
        }
        let result = self.watch.result();
        self.sink.finish(&result)?;
        Ok(if self.cancel_until.is_some() { Exit::Interrupted } else { result.exit() })
    }

    fn interrupted(&mut self) -> Result<Exit> {
        self.sink.finish(&self.watch.result())?;
        Ok(Exit::Interrupted)
    }

    /// Asks the brain to end the turn; `false` when there is nothing to ask for yet.
    fn cancel(&mut self) -> bool {
        let Some(process_name) = self.watch.process_name().cloned() else { return false };
        let turn_id = self.watch.open_turn();
        self.link.request(ClientFrame::ProcessCancel(ProcessCancel { process_name, turn_id }));
        self.cancel_until = Some(Instant::now() + CANCEL_TIME_MAX);
        self.sink.note("cancelling; once more to leave at once");
        true
    }

    /// Takes one thing in; `true` when all is done.
    fn take(&mut self, next: Next) -> Result<bool> {
        let acts = match next {
            Next::Lost(problem) => {
                self.lost_early |= self.watch.process_name().is_none();
                self.sink.note(&format!("connection lost ({problem}); trying again"));
                return Ok(false);
            }
            Next::Back => {
                self.sink.note("connected again");
                return Ok(false);
            }
            Next::Resync(reason) => {
                self.sink.note(&format!("{reason}; reading the messages again"));
                self.recover();
                return Ok(false);
            }
            Next::Frame(incoming) => self.frame(&incoming)?,
        };
        self.act(acts)
    }

    fn frame(&mut self, incoming: &Incoming) -> Result<Vec<Act>> {
        self.sink.frame(incoming)?;
        if let Body::Refused(to, error) = &incoming.body {
            if *to == self.asked {
                return Err(ClientError::Refused(Box::new(error.clone())).into());
            }
            self.sink.note(&error.error_message);
            return Ok(Vec::new());
        }
        let bound_before = self.watch.process_name().is_some();
        let acts = self.watch.on(&incoming.body);
        // The first bootstrap may have been taken, and its events told to a dead socket.
        if self.lost_early && !bound_before && self.watch.process_name().is_some() {
            self.recover();
        }
        Ok(acts)
    }

    fn act(&mut self, acts: Vec<Act>) -> Result<bool> {
        let mut done = false;
        for act in acts {
            match act {
                Act::Print(text) => self.sink.print(&text)?,
                Act::EndText => self.sink.end_text(),
                Act::Replace(text) => self.sink.replace(&text)?,
                Act::Note(text) => self.sink.note(&text),
                Act::LookAtProcess => {
                    self.link.request(ClientFrame::ProcessList(Empty {}));
                }
                Act::Done => done = true,
            }
        }
        Ok(done)
    }

    /// Events are missing: the messages and the process tell where things stand.
    fn recover(&mut self) {
        let Some(process_name) = self.watch.process_name().cloned() else { return };
        self.watch.events_missing();
        let messages = ProcessMessages { process_name, limit: None };
        self.link.request(ClientFrame::ProcessMessages(messages));
        self.link.request(ClientFrame::ProcessList(Empty {}));
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
