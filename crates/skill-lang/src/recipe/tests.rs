//! What authors write, what they are told, and what a process gets.

mod applying;
mod loading;

use super::{Input, Loaded, Recipe, load};

fn loaded(text: &str) -> Loaded {
    load(Input { path: "_vance/recipes/r.yaml", stem: "r", bytes: text.as_bytes() })
}

/// A recipe of the two required keys and `more`.
#[track_caller]
fn recipe(more: &str) -> Recipe {
    let Loaded { recipe, diagnostics } = loaded(&format!("description: d\nengine: ford\n{more}"));
    assert_eq!(diagnostics, [], "{more}");
    recipe.expect("a recipe")
}
