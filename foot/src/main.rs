//! `foot`: the client of the brain.

use std::process::ExitCode;

fn main() -> ExitCode {
    foot::main(std::env::args_os())
}
