//! `foot login`, `logout`, `whoami`.

use std::io::{BufRead, IsTerminal};

use crate::cli::Global;
use crate::client::Api;
use crate::config::{self, BrainUrl, Flags, Login, LoginFile, ProcessEnvironment, Settings, Token};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::{Format, Output};

/// Longest line that is read as a token, in bytes.
const LINE_BYTES_MAX: u64 = 64 * 1024;

/// `foot login`
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The token is read from standard input, or taken from --token or BRAIN_TOKEN."
)]
pub(crate) struct LoginArguments {}

/// Checks a token and saves it.
pub(crate) async fn login(
    _arguments: &LoginArguments,
    global: &Global,
    out: &mut Output,
) -> Result<Exit> {
    let env = ProcessEnvironment;
    let mut flags = global.flags();
    let named = flags.url.is_some() || config::Environment::variable(&env, "BRAIN_URL").is_some();
    let given =
        flags.token.is_some() || config::Environment::variable(&env, "BRAIN_TOKEN").is_some();
    if named && !given {
        flags.token = Some(String::from(ask_for_token(out)?));
    }
    let settings = settings(&flags)?;
    let who = Api::new(settings.clone())?.whoami().await?;
    let login = Login {
        url: settings.url,
        tenant: Some(who.tenant_id.clone()),
        project: Some(settings.project),
        user: Some(who.user_id.clone()),
        token: settings.token,
    };
    let file = LoginFile::in_home(&config::home(&env)?);
    file.write(&login)?;
    out.note(&format!(
        "logged in at {} as {} of tenant {}; saved in {}",
        login.url,
        who.user_id,
        who.tenant_id,
        file.path().display()
    ));
    Ok(Exit::Done)
}

fn settings(flags: &Flags) -> Result<Settings> {
    Ok(Settings::find(flags, &ProcessEnvironment)?)
}

/// One line of standard input; a terminal does not show it.
fn ask_for_token(out: &mut Output) -> Result<Token> {
    let stdin = std::io::stdin();
    let hidden = stdin.is_terminal();
    let line = if hidden {
        out.note("Token (not shown):");
        hidden_line()?
    } else {
        let mut line = String::new();
        let read = std::io::Read::take(stdin.lock(), LINE_BYTES_MAX).read_line(&mut line);
        read.map_err(|error| Error::failed(format!("standard input: {error}")))?;
        line
    };
    if line.trim().is_empty() {
        return Err(Error::usage(
            "no token: give one on standard input, with --token or BRAIN_TOKEN",
        ));
    }
    Ok(line.parse().map_err(config::Error::Token)?)
}

/// Reads keys in raw mode, so that nothing is echoed.
fn hidden_line() -> Result<String> {
    use reedline::{EditCommand, Reedline, Signal};
    let _ = EditCommand::Clear;
    let prompt = reedline::DefaultPrompt::new(
        reedline::DefaultPromptSegment::Empty,
        reedline::DefaultPromptSegment::Empty,
    );
    let mut editor = Reedline::create().with_highlighter(Box::new(Hidden));
    match editor.read_line(&prompt) {
        Ok(Signal::Success(line)) => Ok(line),
        Ok(_) => Err(Error::Command { message: "interrupted".into(), exit: Exit::Interrupted }),
        Err(error) => Err(Error::failed(format!("terminal: {error}"))),
    }
}

/// Shows a dot for each character.
struct Hidden;

impl reedline::Highlighter for Hidden {
    fn highlight(&self, line: &str, _cursor: usize) -> reedline::StyledText {
        let mut text = reedline::StyledText::new();
        text.push((nu_ansi_term::Style::new(), "•".repeat(line.chars().count())));
        text
    }
}

/// Forgets the saved login.
pub(crate) fn logout(out: &mut Output) -> Result<Exit> {
    let file = LoginFile::in_home(&config::home(&ProcessEnvironment)?);
    let removed = file.remove()?;
    let path = file.path().display();
    out.note(&if removed { format!("removed {path}") } else { format!("there was no {path}") });
    Ok(Exit::Done)
}

/// Who the token speaks for.
pub(crate) async fn whoami(settings: Settings, out: &mut Output) -> Result<Exit> {
    let url: BrainUrl = settings.url.clone();
    let project = settings.project.clone();
    let who = Api::new(settings)?.whoami().await?;
    match out.format {
        Format::Text | Format::Sarif => {
            out.line(&format!("{} of tenant {} at {url}", who.user_id, who.tenant_id))?
        }
        Format::Json | Format::StreamJson => out.value(&serde_json::json!({
            "userId": who.user_id,
            "tenantId": who.tenant_id,
            "url": url,
            "projectId": project,
        }))?,
    }
    Ok(Exit::Done)
}
