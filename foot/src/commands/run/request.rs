//! The one request that `foot run` sends.

use std::io::Read;

use api_types::frames::{
    ACTIVATIONS_MAX, Activation, MESSAGE_BYTES_MAX, SKILL_ARGS_BYTES_MAX, SessionBootstrap,
};
use skill_lang::invocation;

use super::Arguments;
use crate::client::idempotency_key;
use crate::config::Settings;
use crate::error::{Error, Result};

/// Reads the arguments, and standard input where they say so.
pub(super) fn bootstrap(arguments: &Arguments, settings: &Settings) -> Result<SessionBootstrap> {
    let wrong = |error: &dyn std::fmt::Display| Error::usage(error.to_string());
    let activations = activations(&arguments.skills)?;
    let initial_message = prompt(arguments)?;
    if initial_message.is_none() && activations.is_empty() {
        return Err(Error::usage(
            "nothing to do: give a prompt (`-p PROMPT`, or `-` to read it from standard input) or a skill (`--skill NAME`)",
        ));
    }
    let session_id = arguments.session.as_deref().map(str::parse).transpose();
    let chat_recipe = arguments.recipe.as_deref().map(str::parse).transpose();
    let session_id = session_id.map_err(|error| wrong(&error))?;
    Ok(SessionBootstrap {
        project_id: session_id.is_none().then(|| settings.project.clone()),
        session_id,
        chat_recipe: chat_recipe.map_err(|error| wrong(&error))?,
        activations,
        initial_message,
        idempotency_key: Some(idempotency_key()),
        takeover: false,
        cursor: None,
    })
}

/// Each `--skill`, in order.
fn activations(lines: &[String]) -> Result<Vec<Activation>> {
    if lines.len() > ACTIVATIONS_MAX {
        let message = format!("{} skills, at most {ACTIVATIONS_MAX} at once", lines.len());
        return Err(Error::usage(message));
    }
    lines.iter().map(|line| activation(line)).collect()
}

fn activation(line: &str) -> Result<Activation> {
    let wrong = |error: &dyn std::fmt::Display| Error::usage(format!("--skill {line:?}: {error}"));
    let invocation = invocation::parse(line).map_err(|error| wrong(&error))?;
    if invocation.rest.len() > SKILL_ARGS_BYTES_MAX {
        let length = invocation.rest.len();
        return Err(Error::usage(format!(
            "--skill {}: {length} bytes of arguments, at most {SKILL_ARGS_BYTES_MAX}",
            invocation.name
        )));
    }
    Ok(Activation {
        skill_name: invocation.name.parse().map_err(|error| wrong(&error))?,
        one_shot: invocation.once,
        args: invocation.args().map(str::to_owned),
    })
}

fn prompt(arguments: &Arguments) -> Result<Option<String>> {
    let text = match (&arguments.prompt, &arguments.stdin) {
        (Some(prompt), _) if prompt != "-" => prompt.clone(),
        (None, None) => return Ok(None),
        _ => from_stdin()?,
    };
    if text.len() > MESSAGE_BYTES_MAX {
        let message = format!(
            "the prompt has {} bytes, at most {MESSAGE_BYTES_MAX}; put long texts into a document (`foot docs put`)",
            text.len()
        );
        return Err(Error::usage(message));
    }
    if text.trim().is_empty() {
        return Err(Error::usage("the prompt is empty"));
    }
    Ok(Some(text))
}

fn from_stdin() -> Result<String> {
    let limit = MESSAGE_BYTES_MAX as u64 + 1;
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(limit).read_to_end(&mut bytes);
    read.map_err(|error| Error::failed(format!("standard input: {error}")))?;
    if bytes.len() as u64 == limit {
        let message = format!("standard input has more than {MESSAGE_BYTES_MAX} bytes");
        return Err(Error::usage(message));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::usage(format!("standard input is not UTF-8 at byte {at}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expect: Result<(&str, bool, Option<&str>), &str>) {
        let got = activation(line).map_err(|error| error.to_string());
        match (got, expect) {
            (Ok(got), Ok((name, once, args))) => {
                let got = (&*got.skill_name.to_string(), got.one_shot, got.args.as_deref());
                assert_eq!(got, (name, once, args));
            }
            (Err(error), Err(part)) => assert!(error.contains(part), "{error}"),
            (got, _) => panic!("{line:?}: {got:?}"),
        }
    }

    #[test]
    fn a_skill_line_is_read_as_in_the_chat() {
        check("code-review", Ok(("code-review", false, None)));
        check("Code-Review --once src", Ok(("code-review", true, Some("src"))));
        check("fix\n  x\n", Ok(("fix", false, Some("  x\n"))));
        check("", Err("name a skill"));
        check("../x y", Err("not allowed"));
        check("list", Err("reserved"));
        check(&format!("a {}", "x".repeat(SKILL_ARGS_BYTES_MAX + 1)), Err("at most 65536"));
    }
}
