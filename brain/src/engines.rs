//! Engines: the algorithm of a process. Stateless; a recipe names one.

mod ford;

use std::fmt::Debug;

use serde_json::{Map, Value};

pub use ford::Ford;

/// Most model calls of one turn that a recipe may ask for.
pub const ITERATIONS_MAX: usize = 200;

/// An algorithm.
pub trait Engine: Debug + Send + Sync {
    /// Its name in recipes.
    fn name(&self) -> &'static str;
    /// Tools that a process of it has before its recipe adds and removes.
    fn tools(&self) -> &'static [&'static str];
    /// Model calls of one turn, unless the recipe says otherwise.
    fn iterations(&self) -> usize;

    /// Path of its prompt, looked up through the cascade.
    fn prompt_path(&self) -> String {
        format!("_vance/prompts/{}-prompt.md", self.name())
    }

    /// How often a turn may ask the model, by the recipe's `maxIterations`.
    fn steps_max(&self, params: &Map<String, Value>) -> usize {
        let asked = params
            .get("maxIterations")
            .and_then(Value::as_u64)
            .and_then(|n| usize::try_from(n).ok());
        asked.unwrap_or(self.iterations()).clamp(1, ITERATIONS_MAX)
    }
}

/// All engines.
const ALL: &[&dyn Engine] = &[&Ford];

/// The engine of this name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Engine> {
    ALL.iter().copied().find(|engine| engine.name() == name)
}

/// All names.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|engine| engine.name())
}
