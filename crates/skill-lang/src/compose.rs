//! The section of the system prompt that active skills write.
//!
//! A message of its own behind the base prompt, so that skills come and go without touching the cached prefix. Pure:
//! the same skills and variables make the same bytes.
//!
//! Layout decisions: the section has no blank line at either end; of a body or reference the blank lines in front and
//! all white space behind are dropped, everything between is kept byte for byte, the indentation of the first line
//! included; descriptions are trimmed; titles and summaries are put on one line.

mod arguments;
mod system;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde_json::{Map, Value};

pub use self::arguments::{ARGUMENTS_PLACEHOLDER, ArgsView, has_placeholder};
pub use self::system::{PromptError, SystemPrompt, system_prompt};
use crate::template::{self, Context, SyntaxError, Template};

/// First line of the section.
const HEADING: &str = "## Active Skills";
/// Second line of the section.
const INTRODUCTION: &str = "These skills are active. Follow their instructions below, and use the tools and references they name.";
/// In front of the titles that wait to be asked for.
const ON_DEMAND: &str = "On-demand references — load via `manual_read`:";
/// The variable that holds the arguments of a skill.
const ARGS: &str = "args";

/// An active skill, as far as its section goes.
#[derive(Debug, Clone)]
pub struct ActiveSkillView<'a> {
    /// Plain name.
    pub name: &'a str,
    /// Never a template; may be empty.
    pub description: &'a str,
    /// What follows the head of its file.
    pub body: Body<'a>,
    /// Arguments of its activation; `None` if the skill does not consume any.
    pub args: Option<ArgsView>,
    /// INLINE references as title and content, in order of declaration. Never templates.
    pub inline_docs: Vec<(&'a str, &'a str)>,
    /// ON_DEMAND references as title and summary, in order of declaration.
    pub on_demand: Vec<(&'a str, Option<&'a str>)>,
}

/// The body of a skill.
#[derive(Debug, Clone, Copy)]
pub enum Body<'a> {
    /// Text of a portable skill; only the arguments placeholder is replaced.
    Text(&'a str),
    /// Source of a template, to be compiled here.
    Source(&'a str),
    /// A template compiled before, see [`template::Cache`].
    Compiled(&'a Template),
}

impl<'a> Body<'a> {
    /// The body of a skill file, which its head declares to be a template or text.
    pub fn new(body: &'a str, is_template: bool) -> Body<'a> {
        if is_template { Body::Source(body) } else { Body::Text(body) }
    }
}

/// What the skills have written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Text of the message; `None` if no skill is left to speak of.
    pub text: Option<String>,
    /// Skills that are missing in it.
    pub dropped: Vec<Dropped>,
}

/// A skill that could not be composed. Nothing of it is in the section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: Error,
}

/// Why a skill could not be composed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The body is no template.
    #[error("its body is not a valid template: {0}")]
    Syntax(#[from] SyntaxError),
    /// The body could not be rendered.
    #[error("its body could not be rendered: {0}")]
    Render(#[from] template::Error),
}

/// Composes the section of `skills`, in their order, with the variables of the turn.
pub fn compose(skills: &[ActiveSkillView], variables: &Map<String, Value>) -> Section {
    let context = turn_context(skills, variables);
    let mut text = String::with_capacity(expected_bytes(skills));
    text.push_str(HEADING);
    push_line(&mut text, &[INTRODUCTION]);
    let mut dropped = Vec::new();
    for skill in skills {
        match render(skill.body, skill.args.as_ref(), &context) {
            Ok(body) => block(&mut text, skill, &body),
            Err(reason) => dropped.push(Dropped { name: skill.name.to_owned(), reason }),
        }
    }
    let is_empty = dropped.len() == skills.len();
    Section { text: (!is_empty).then_some(text), dropped }
}

/// About the length of the section, so that it is written without being copied while it grows.
fn expected_bytes(skills: &[ActiveSkillView]) -> usize {
    const FRAME_BYTES: usize = 256;
    let of_skill = |skill: &ActiveSkillView| {
        let body = match skill.body {
            Body::Text(body) | Body::Source(body) => body.len(),
            Body::Compiled(template) => template.source_bytes(),
        };
        let docs: usize =
            skill.inline_docs.iter().map(|(_, content)| content.len() + FRAME_BYTES).sum();
        let listed = skill.on_demand.len() * FRAME_BYTES;
        body + skill.description.len() + docs + listed + FRAME_BYTES
    };
    FRAME_BYTES + skills.iter().map(of_skill).sum::<usize>()
}

/// Renders a turn prompt of a skill, its `action` or the body of a `shot`, in the same way as a body.
///
/// # Errors
/// The prompt is no template, or could not be rendered. It must not be sent then.
pub fn turn_prompt(
    body: Body,
    args: Option<&ArgsView>,
    variables: &Map<String, Value>,
) -> Result<Option<String>, Error> {
    let rendered = render(body, args, &without_args(variables))?;
    Ok(Some(edges(&rendered)).filter(|text| !text.is_empty()).map(str::to_owned))
}

/// The variables of the turn, which are converted once, and only if a template asks for them.
fn turn_context(skills: &[ActiveSkillView], variables: &Map<String, Value>) -> Context {
    if skills.iter().all(|skill| matches!(skill.body, Body::Text(_))) {
        return Context::new(&());
    }
    without_args(variables)
}

/// `args` belongs to skills; one among the variables of the turn would reach skills that do not consume any.
fn without_args(variables: &Map<String, Value>) -> Context {
    if !variables.contains_key(ARGS) {
        return Context::new(variables);
    }
    let mut variables = variables.clone();
    variables.shift_remove(ARGS);
    Context::new(&variables)
}

fn render<'b>(
    body: Body<'b>,
    args: Option<&ArgsView>,
    context: &Context,
) -> Result<Cow<'b, str>, Error> {
    let compiled;
    let template = match body {
        Body::Text(text) => return Ok(arguments::fill(text, args)),
        Body::Compiled(template) => template,
        Body::Source(source) => {
            compiled = Template::compile(source)?;
            &compiled
        }
    };
    let rendered = match args {
        Some(args) => template.render_in(&context.with(ARGS, args)),
        None => template.render_in(context),
    };
    Ok(Cow::Owned(rendered?))
}

fn block(text: &mut String, skill: &ActiveSkillView, body: &str) {
    push_line(text, &["\n--- Skill: ", skill.name, " ---"]);
    let description = skill.description.trim();
    if !description.is_empty() {
        push_line(text, &[description]);
    }
    let body = edges(body);
    if !body.is_empty() {
        push_line(text, &["\n", body]);
    }
    for (title, content) in &skill.inline_docs {
        push_line(text, &["\n--- Reference Doc: ", &one_line(title), " ---"]);
        push_line(text, &[edges(content)]);
    }
    if !skill.on_demand.is_empty() {
        push_line(text, &["\n", ON_DEMAND]);
    }
    for (title, summary) in &skill.on_demand {
        match summary.map(one_line).filter(|summary| !summary.is_empty()) {
            Some(summary) => push_line(text, &["- ", &one_line(title), " — ", &summary]),
            None => push_line(text, &["- ", &one_line(title)]),
        }
    }
}

/// A line end stands between lines, so the section has none at its end.
fn push_line(text: &mut String, parts: &[&str]) {
    text.push('\n');
    for part in parts {
        text.push_str(part);
    }
}

/// The text without the blank lines in front and without white space behind.
fn edges(text: &str) -> &str {
    let text = text.trim_end();
    let content = text.len() - text.trim_start().len();
    let line = text[..content].rfind('\n').map_or(0, |at| at + 1);
    &text[line..]
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
