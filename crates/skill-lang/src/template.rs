//! Templates of native skill bodies, turn prompts and recipe prompts.
//!
//! The language is Jinja as minijinja speaks it, and the Pebble dialect that the product's skills and recipes are
//! written in is accepted beside it: a pre-pass over the tags ([`rewrite`]) turns Pebble constructs into their Jinja
//! equivalents and remembers where each byte came from, so every error names a place in the text the author wrote.
//!
//! A template is hostile until proven otherwise, since anyone who may write a document may write one. It sees plain
//! values only, has no loader and no methods, and runs under the limits below. Values are data: they are never
//! compiled, whatever braces they hold.

mod cache;
mod check;
mod context;
mod engine;
mod expression;
mod filters;
mod functions;
mod layout;
mod lexer;
mod lint;
mod nesting;
mod position;
mod predicates;
mod print;
mod rewrite;
mod segments;
mod source_map;

#[cfg(test)]
mod tests;

use minijinja::Environment;

pub use self::cache::Cache;
pub use self::context::Context;
pub use self::lint::{Lint, lints};
use self::position::Position;
use self::source_map::SourceMap;

/// Longest template source, in bytes.
pub const SOURCE_BYTES_MAX: usize = 1 << 20;
/// Longest rendered text, in bytes.
pub const OUTPUT_BYTES_MAX: usize = 1_000_000;
/// Work of one rendering: one unit is an instruction or about 64 bytes of data.
pub const FUEL_MAX: u64 = 50_000;
/// Depth of loops, conditions and macro calls while rendering; a macro call counts four.
pub const RECURSION_MAX: usize = 100;
/// Depth of brackets, interpolations and conditional expressions inside one tag.
pub const NESTING_MAX: usize = 64;
/// Words, signs and literals in one tag, interpolations included.
pub const TAG_TOKENS_MAX: usize = 500;
/// Longest regular expression of `is matching`, in bytes.
pub const PATTERN_BYTES_MAX: usize = 1_000;
/// Different regular expressions written out in one template.
pub const PATTERNS_MAX: usize = 32;

/// The text is not a template; the place is that of the original source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (line {line}, column {column})")]
pub struct SyntaxError {
    /// What is wrong and, where one is known, the remedy.
    pub message: String,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
}

/// A rendering that did not end with a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The work limit was reached.
    #[error("the template does too much work (limit: {FUEL_MAX} steps){}", at(.line))]
    Fuel {
        /// Line of the original source, if known.
        line: Option<usize>,
    },
    /// The rendered text would be too long.
    #[error("the rendered text is longer than {OUTPUT_BYTES_MAX} bytes")]
    Output,
    /// An expression failed.
    #[error("{message}{}", at(.line))]
    Evaluation {
        /// What failed.
        message: String,
        /// Line of the original source, if known.
        line: Option<usize>,
    },
}

fn at(line: &Option<usize>) -> String {
    line.map(|line| format!(" (line {line})")).unwrap_or_default()
}

/// Checks that `source` is a template: tags, expressions, and every filter, test and function it names.
///
/// # Errors
/// The first problem, with its place in `source`.
pub fn check(source: &str) -> Result<(), SyntaxError> {
    Template::compile(source).map(|_| ())
}

/// A compiled template; rendering it takes no lock, so one may serve all threads.
#[derive(Debug)]
pub struct Template {
    program: Program,
    source_bytes: usize,
}

#[derive(Debug)]
enum Program {
    /// No tag at all: the text is its own rendering.
    Plain(Box<str>),
    Compiled {
        engine: Box<Environment<'static>>,
        map: SourceMap,
        lines: position::Lines,
    },
}

impl Template {
    /// Compiles `source`.
    ///
    /// # Errors
    /// The first problem, with its place in `source`.
    pub fn compile(source: &str) -> Result<Template, SyntaxError> {
        if source.len() > SOURCE_BYTES_MAX {
            let message = format!(
                "the template has {} bytes, at most {SOURCE_BYTES_MAX} are read",
                source.len()
            );
            return Err(SyntaxError { message, line: 1, column: 1 });
        }
        if !segments::has_tag(source) {
            return Ok(Template {
                program: Program::Plain(source.into()),
                source_bytes: source.len(),
            });
        }
        let lines = position::Lines::of(source);
        let failed = |failure: Failure| failure.locate(source, &lines);
        let rewritten = rewrite::rewrite(source).map_err(failed)?;
        let engine = Box::new(engine::load(&rewritten).map_err(failed)?);
        let program = Program::Compiled { engine, map: rewritten.map, lines };
        Ok(Template { program, source_bytes: source.len() })
    }

    /// Length of its source, in bytes.
    pub fn source_bytes(&self) -> usize {
        self.source_bytes
    }

    /// Whether it uses a variable of this name that it does not set itself.
    pub fn mentions(&self, variable: &str) -> bool {
        match &self.program {
            Program::Plain(_) => false,
            Program::Compiled { engine, .. } => engine::mentions(engine, variable),
        }
    }

    /// Renders with the fields of `variables` as variables.
    ///
    /// # Errors
    /// A limit was reached or an expression failed.
    pub fn render<S: serde::Serialize + ?Sized>(&self, variables: &S) -> Result<String, Error> {
        self.render_in(&Context::new(variables))
    }

    /// Renders in a prepared context, which is cheaper when several templates share their variables.
    ///
    /// # Errors
    /// A limit was reached or an expression failed.
    pub fn render_in(&self, context: &Context) -> Result<String, Error> {
        match &self.program {
            Program::Plain(text) if text.len() > OUTPUT_BYTES_MAX => Err(Error::Output),
            Program::Plain(text) => Ok(text.to_string()),
            Program::Compiled { engine, map, lines } => {
                engine::render(engine, context, |offset| lines.line(map.original(offset)))
            }
        }
    }
}

/// A problem found at a byte offset of the original source.
#[derive(Debug)]
struct Failure {
    message: String,
    offset: usize,
}

impl Failure {
    fn new(offset: usize, message: impl Into<String>) -> Failure {
        Failure { message: message.into(), offset }
    }

    fn locate(self, source: &str, lines: &position::Lines) -> SyntaxError {
        let Position { line, column } = lines.position(source, self.offset);
        SyntaxError { message: self.message, line, column }
    }
}
