//! The engine: what it knows, what it forbids, and how its errors become ours.

use std::io;
use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior};

use super::rewrite::Rewritten;
use super::{
    Context, Error, FUEL_MAX, Failure, OUTPUT_BYTES_MAX, filters, functions, predicates, print,
};

/// The name under which an engine holds its only template.
const NAME: &str = "template";

/// Filters, tests and functions never change, so all engines share one set. A constant in all but syntax.
static BASE: LazyLock<Environment<'static>> = LazyLock::new(base);

fn base() -> Environment<'static> {
    let mut engine = Environment::new();
    engine.set_undefined_behavior(UndefinedBehavior::Chainable);
    engine.set_auto_escape_callback(|_| AutoEscape::None);
    engine.set_fuel(Some(FUEL_MAX));
    // Errors carry the byte range of their expression in this mode only.
    engine.set_debug(true);
    engine.set_formatter(print::format);
    let syntax = SyntaxConfig::builder().keep_trailing_newline(true).build();
    engine.set_syntax(syntax.expect("the usual delimiters are valid"));
    filters::register(&mut engine);
    predicates::register(&mut engine);
    functions::register(&mut engine);
    engine
}

/// Compiles a rewritten template.
pub(super) fn load(rewritten: &Rewritten) -> Result<Environment<'static>, Failure> {
    let mut engine = BASE.clone();
    if !rewritten.patterns.is_empty() {
        predicates::register_compiled(&mut engine, &rewritten.patterns);
    }
    engine.set_recursion_limit(rewritten.recursion_limit);
    match engine.add_template_owned(NAME, rewritten.text.clone()) {
        Ok(()) => Ok(engine),
        Err(error) => Err(failure(&error, rewritten)),
    }
}

fn failure(error: &minijinja::Error, rewritten: &Rewritten) -> Failure {
    let offset = match error.range() {
        Some(range) => range.start,
        None => error.line().map_or(0, |line| line_start(&rewritten.text, line)),
    };
    Failure::new(rewritten.map.original(offset), describe(error))
}

fn line_start(text: &str, line: usize) -> usize {
    let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    line.checked_sub(2).and_then(|nth| breaks.map(|(at, _)| at + 1).nth(nth)).unwrap_or(0)
}

fn describe(error: &minijinja::Error) -> String {
    match error.detail() {
        Some(detail) => detail.to_owned(),
        None => error.kind().to_string(),
    }
}

/// Renders the template of `engine`; `line_of` finds the original line of an offset in the rewritten text.
pub(super) fn render(
    engine: &Environment<'static>,
    context: &Context,
    line_of: impl Fn(usize) -> usize,
) -> Result<String, Error> {
    let template = engine.get_template(NAME).expect("an engine is made with its template");
    let mut output = Bounded { text: Vec::new(), is_full: false };
    match template.render_captured_to(context.value(), &mut output) {
        Ok(_) => Ok(String::from_utf8(output.text).expect("the engine writes text")),
        Err(_) if output.is_full => Err(Error::Output),
        Err(error) => {
            let line = error.range().map(|range| line_of(range.start));
            match error.kind() {
                ErrorKind::OutOfFuel => Err(Error::Fuel { line }),
                _ => Err(Error::Evaluation { message: describe(&error), line }),
            }
        }
    }
}

/// Whether the template of `engine` uses a variable that it does not set.
pub(super) fn mentions(engine: &Environment<'static>, variable: &str) -> bool {
    let template = engine.get_template(NAME).expect("an engine is made with its template");
    // Finding variables parses the template again, which most need not pay for.
    template.source().contains(variable) && template.undeclared_variables(false).contains(variable)
}

/// Output that stops at its limit instead of growing with the template's wishes.
struct Bounded {
    text: Vec<u8>,
    is_full: bool,
}

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.text.len() + bytes.len() > OUTPUT_BYTES_MAX {
            self.is_full = true;
            return Err(io::Error::from(io::ErrorKind::WriteZero));
        }
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether a filter of this name exists.
pub(super) fn has_filter(name: &str) -> bool {
    let probe = BASE.empty_state().apply_filter(name, &[]);
    !matches!(probe, Err(error) if error.kind() == ErrorKind::UnknownFilter)
}

/// Whether a test of this name exists.
pub(super) fn has_test(name: &str) -> bool {
    let probe = BASE.empty_state().perform_test(name, &[]);
    !matches!(probe, Err(error) if error.kind() == ErrorKind::UnknownTest)
}

/// Whether a function of this name exists.
pub(super) fn has_function(name: &str) -> bool {
    BASE.empty_state()
        .lookup(name)
        .is_some_and(|value| value.kind() == minijinja::value::ValueKind::Plain)
}
