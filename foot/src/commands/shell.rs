//! `foot completions`, `foot man`.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::Output;

/// A script that a shell loads.
pub(crate) fn completions(shell: Shell, out: &mut Output) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "foot", &mut script);
    out.bytes(&script)?;
    Ok(Exit::Done)
}

/// The manual page.
pub(crate) fn man(out: &mut Output) -> Result<Exit> {
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(Cli::command()).render(&mut page);
    rendered.map_err(|error| Error::failed(format!("the manual page: {error}")))?;
    out.bytes(&page)?;
    Ok(Exit::Done)
}
