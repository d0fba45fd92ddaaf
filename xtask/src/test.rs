//! All tests, from one command.

use std::path::Path;

use crate::{cargo, must, tidy, typescript};

/// Options of `test`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Leave out formatting and lints.
    #[arg(long)]
    quick: bool,
}

/// Shape, lints, TypeScript, then every test of the workspace.
pub(crate) fn run(root: &Path, args: &Args) -> anyhow::Result<()> {
    tidy::run(root)?;
    if !args.quick {
        must(&mut cargo(root, &["fmt", "--all", "--check"]))?;
        must(&mut cargo(
            root,
            &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"],
        ))?;
    }
    typescript::check(root)?;
    // The scenarios start the built commands, so these have to be there first.
    must(&mut cargo(root, &["build", "--workspace", "--bins", "--locked"]))?;
    must(&mut cargo(root, &["test", "--workspace", "--locked"]))?;
    Ok(())
}
