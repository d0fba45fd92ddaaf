//! Arguments of an activation, as a body sees them.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

/// What a portable body writes where the arguments belong.
pub const ARGUMENTS_PLACEHOLDER: &str = "$ARGUMENTS";

/// Arguments of one activation: the variable `args` of a template, the placeholder of a portable body.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ArgsView {
    /// All that followed the skill's name, byte for byte.
    pub text: String,
    /// The same, divided at white space.
    pub words: Vec<String>,
    /// Values of declared arguments; `text` and `words` are no names for one.
    #[serde(flatten)]
    pub named: Map<String, Value>,
}

impl ArgsView {
    /// Arguments without declared names.
    pub fn raw(text: &str) -> ArgsView {
        let words = text.split_whitespace().map(str::to_owned).collect();
        ArgsView { text: text.to_owned(), words, named: Map::new() }
    }
}

/// Whether a portable body asks for arguments.
pub fn has_placeholder(body: &str) -> bool {
    placeholders(body).next().is_some()
}

/// Places of the placeholder; a longer word that begins like it is another word.
fn placeholders(body: &str) -> impl Iterator<Item = usize> {
    body.match_indices(ARGUMENTS_PLACEHOLDER).map(|(at, _)| at).filter(|at| {
        let next = body[at + ARGUMENTS_PLACEHOLDER.len()..].chars().next();
        !next.is_some_and(|next| next.is_alphanumeric() || next == '_')
    })
}

/// Replaces the placeholders in one pass: what arguments hold is not looked at again.
pub(super) fn fill<'b>(body: &'b str, args: Option<&ArgsView>) -> Cow<'b, str> {
    let Some(args) = args.filter(|_| has_placeholder(body)) else { return Cow::Borrowed(body) };
    let mut filled = String::with_capacity(body.len());
    let mut from = 0;
    for at in placeholders(body) {
        filled.push_str(&body[from..at]);
        filled.push_str(&args.text);
        from = at + ARGUMENTS_PLACEHOLDER.len();
    }
    filled.push_str(&body[from..]);
    Cow::Owned(filled)
}
