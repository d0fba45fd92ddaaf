//! The command-line client.
//!
//! [`main`] reads the command line and hands over to one of `commands`. They talk to the brain
//! through `client` and write data through `output` only.

mod chat;
mod cli;
mod commands;

mod client;
mod config;
mod output;

mod error;
mod exit;

#[cfg(test)]
mod testing;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use self::error::Error;
use self::exit::Exit;
use self::output::Output;

/// Runs a command line.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match cli::Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            drop(error.print());
            return if error.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() };
        }
    };
    let mut out = Output::standard(cli.global.output);
    let exit = match commands::run(cli, &mut out) {
        Ok(exit) => exit,
        // Who reads has enough: `foot … | head`.
        Err(Error::Output(output::Error::Closed)) => Exit::Done,
        Err(error) => {
            out.note(&format!("foot: {error}"));
            error.exit()
        }
    };
    exit.into()
}
