//! Recipes: an engine with its parameters, prompt, tool changes and skills, in one YAML document.
//!
//! [`load`] reads a document with every problem as a diagnostic; [`Recipe::apply`] makes the snapshot that a process
//! is spawned with. Both are pure.

mod apply;
mod load;
mod model;

#[cfg(test)]
mod tests;

pub use self::apply::{Applied, ToolChanges, ToolFilter, VisibleTools};
pub use self::load::{Input, Loaded, load};
pub use self::model::{
    Guard, GuardScript, GuardTrigger, OnDisconnect, OnIdle, OnSuspend, ProfileBlock, PromptMode,
    Recipe, SessionPolicy, ToolLists,
};

/// Longest recipe, in bytes.
pub const RECIPE_BYTES_MAX: usize = 256 << 10;
/// Guards of a recipe.
pub const GUARDS_MAX: usize = 16;
/// Rounds a guard may ask for unless it says otherwise.
pub const GUARD_ROUNDS_DEFAULT: u32 = 2;
/// Most rounds a guard may ask for.
pub const GUARD_ROUNDS_MAX: u32 = 100;
/// Name of the profile and mode that stand in for those a recipe does not have.
pub const DEFAULT: &str = "default";
