//! What foot can do, one noun each.

pub(crate) mod run;
pub(crate) mod skills;

pub(crate) mod docs;
pub(crate) mod recipes;
pub(crate) mod sessions;

pub(crate) mod login;
pub(crate) mod shell;

use crate::chat;
use crate::cli::{Cli, Command, Global};
use crate::client::Api;
use crate::config::{ProcessEnvironment, Settings};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::{Format, Output};

/// Runs a command.
pub(crate) fn run(cli: Cli, out: &mut Output) -> Result<Exit> {
    let Cli { global, command } = cli;
    let command = command.unwrap_or_else(|| Command::Chat(chat::Arguments::default()));
    let validates = matches!(command, Command::Skills(skills::Command::Validate(_)));
    if global.output == Format::Sarif && !validates {
        return Err(Error::usage("`--output sarif` is for `foot skills validate`"));
    }
    match command {
        Command::Chat(arguments) => {
            let settings = settings(&global)?;
            block_on(chat::run(&arguments, settings, out))
        }
        Command::Run(arguments) => {
            let settings = settings(&global)?;
            block_on(run::run(&arguments, settings, out))
        }
        Command::Skills(command) => skills::run(command, &global, out),
        Command::Recipes(command) => block_on(recipes::run(&command, &api(&global)?, out)),
        Command::Docs(command) => block_on(docs::run(command, &api(&global)?, out)),
        Command::Sessions { command } => {
            let command = command.unwrap_or(sessions::Command::List);
            block_on(sessions::run(&command, &api(&global)?, out))
        }
        Command::Completions { shell } => shell::completions(shell, out),
        Command::Man => shell::man(out),
        Command::Login(arguments) => block_on(login::login(&arguments, &global, out)),
        Command::Logout => login::logout(out),
        Command::Whoami => block_on(login::whoami(settings(&global)?, out)),
    }
}

fn settings(global: &Global) -> Result<Settings> {
    Ok(Settings::find(&global.flags(), &ProcessEnvironment)?)
}

fn api(global: &Global) -> Result<Api> {
    Ok(Api::new(settings(global)?)?)
}

/// One thread is enough, and it starts at once.
fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::failed(format!("no runtime: {error}")))?;
    let done = runtime.block_on(work);
    // A thread that reads standard input may never end.
    runtime.shutdown_background();
    done
}
