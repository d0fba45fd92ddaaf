//! `foot skills`: the skill toolbox.

mod explain;
mod folder;
mod list;
mod pull;
mod push;
mod show;
mod validate;

pub(crate) use self::folder::FILE_BYTES_MAX;

use std::str::FromStr;

use api_types::ids::SkillName;
use api_types::skills::{DiagnosticDto, SeverityDto, SkillScope, SkillState, SkillSummaryDto};

use crate::cli::Global;
use crate::commands::{api, block_on};
use crate::error::Result;
use crate::exit::Exit;
use crate::output::Output;

/// `foot skills`
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// The skills of the project's scope
    List,
    /// One skill, and why it is the one
    Show(show::Arguments),
    /// Which skills a text would trigger, and why
    Explain(explain::Arguments),
    /// Check skills on this machine; needs no brain
    Validate(validate::Arguments),
    /// Store skill folders in a layer
    Push(push::Arguments),
    /// Write a skill's files into a folder
    Pull(pull::Arguments),
}

/// Runs it.
pub(crate) fn run(command: Command, global: &Global, out: &mut Output) -> Result<Exit> {
    match command {
        Command::Validate(arguments) => validate::run(&arguments, out),
        Command::List => block_on(list::run(&api(global)?, out)),
        Command::Show(arguments) => block_on(show::run(&arguments, &api(global)?, out)),
        Command::Explain(arguments) => block_on(explain::run(&arguments, &api(global)?, out)),
        Command::Push(arguments) => block_on(push::run(&arguments, &api(global)?, out)),
        Command::Pull(arguments) => block_on(pull::run(&arguments, &api(global)?, out)),
    }
}

/// `NAME[@layer]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameAtLayer {
    name: SkillName,
    layer: Option<SkillScope>,
}

impl FromStr for NameAtLayer {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (name, layer) = match text.split_once('@') {
            None => (text, None),
            Some((name, layer)) => (name, Some(read_layer(layer)?)),
        };
        Ok(Self { name: name.parse().map_err(|error| format!("{error}"))?, layer })
    }
}

fn read_layer(text: &str) -> std::result::Result<SkillScope, String> {
    SkillScope::from_cli(text).ok_or_else(|| {
        let names: Vec<_> = SkillScope::ALL.iter().map(|scope| scope.cli_name()).collect();
        format!("no layer {text:?}; there are {}", names.join(", "))
    })
}

impl std::fmt::Display for NameAtLayer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.name)?;
        self.layer.map_or(Ok(()), |layer| write!(f, "@{}", layer.cli_name()))
    }
}

fn state(skill: &SkillSummaryDto) -> &'static str {
    match skill.state {
        SkillState::Valid => "valid",
        SkillState::Disabled => "disabled",
        SkillState::Invalid => "invalid",
    }
}

fn diagnostic_line(diagnostic: &DiagnosticDto) -> String {
    let severity = match diagnostic.severity {
        SeverityDto::Warning => "warning",
        SeverityDto::Error => "error",
    };
    let DiagnosticDto { code, message, path, line, column, .. } = diagnostic;
    format!("{path}:{line}:{column}: {severity}[{code}]: {message}")
}

#[cfg(test)]
mod tests;
