//! The command line.

use clap::{Args, Parser, Subcommand};

use crate::chat;
use crate::commands::{docs, login, recipes, run, sessions, skills};
use crate::config::Flags;
use crate::output::Format;

/// Client of the brain: skills, sessions and documents from a terminal.
#[derive(Debug, Parser)]
#[command(name = "foot", version, propagate_version = false, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Options of all commands.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// The brain [env: BRAIN_URL; default: ./data/bootstrap.json, then the saved login]
    #[arg(long, global = true)]
    pub(crate) url: Option<String>,
    /// Token [env: BRAIN_TOKEN]
    #[arg(long, global = true)]
    pub(crate) token: Option<String>,
    /// Tenant
    #[arg(long, global = true)]
    pub(crate) tenant: Option<String>,
    /// Project of new sessions, documents and skills
    #[arg(long, global = true)]
    pub(crate) project: Option<String>,
    /// Kind of client that recipes are chosen for [default: foot]
    #[arg(long, global = true)]
    pub(crate) profile: Option<String>,
    /// How data is printed
    #[arg(long, global = true, value_enum, default_value_t, hide_possible_values = false)]
    pub(crate) output: Format,
}

impl Global {
    /// What it says of the brain.
    pub(crate) fn flags(&self) -> Flags {
        Flags {
            url: self.url.clone(),
            token: self.token.clone(),
            tenant: self.tenant.clone(),
            project: self.project.clone(),
            profile: self.profile.clone(),
        }
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Talk; what `foot` without a command does
    Chat(chat::Arguments),
    /// Activate skills, send a prompt, print the answer
    Run(run::Arguments),
    /// Skills: look, check, push, pull
    #[command(subcommand)]
    Skills(skills::Command),
    /// Recipes: look
    #[command(subcommand)]
    Recipes(recipes::Command),
    /// Documents of the project
    #[command(subcommand)]
    Docs(docs::Command),
    /// Your sessions in the project
    Sessions {
        /// What to do; without it, list them
        #[command(subcommand)]
        command: Option<sessions::Command>,
    },
    /// Save where the brain is and who asks
    Login(login::LoginArguments),
    /// Forget the saved login
    Logout,
    /// Who the token speaks for
    Whoami,
    /// Completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// The manual page
    Man,
}
