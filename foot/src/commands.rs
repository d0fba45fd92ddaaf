//! What foot can do, one noun each.

pub(crate) mod login;
pub(crate) mod run;

use crate::cli::{Cli, Command, Global};
use crate::config::{ProcessEnvironment, Settings};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::Output;

/// Runs a command.
pub(crate) fn run(cli: Cli, out: &mut Output) -> Result<Exit> {
    let Cli { global, command } = cli;
    match command {
        Command::Run(arguments) => {
            let settings = settings(&global)?;
            block_on(run::run(&arguments, settings, out))
        }
        Command::Login(arguments) => block_on(login::login(&arguments, &global, out)),
        Command::Logout => login::logout(out),
        Command::Whoami => block_on(login::whoami(settings(&global)?, out)),
    }
}

fn settings(global: &Global) -> Result<Settings> {
    Ok(Settings::find(&global.flags(), &ProcessEnvironment)?)
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
