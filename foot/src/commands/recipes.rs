//! `foot recipes`

use api_types::ids::RecipeName;
use api_types::recipes::RecipeSummaryDto;

use crate::client::Api;
use crate::error::Result;
use crate::exit::Exit;
use crate::output::{Format, Output, cut, printable, table};

/// Longest description of a line, in characters.
const DESCRIPTION_CHARS_MAX: usize = 100;

/// `foot recipes`
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// The recipes of the project's scope
    List,
    /// A recipe as it is stored
    Show {
        /// The recipe
        name: RecipeName,
    },
}

/// Runs it.
pub(crate) async fn run(command: &Command, api: &Api, out: &mut Output) -> Result<Exit> {
    match command {
        Command::List => list(api, out).await,
        Command::Show { name } => show(name, api, out).await,
    }
}

async fn list(api: &Api, out: &mut Output) -> Result<Exit> {
    let found = api.recipes(&api.settings().project).await?;
    match out.format {
        Format::Json => out.value(&found)?,
        Format::StreamJson => {
            for recipe in &found.recipes {
                out.value(recipe)?;
            }
        }
        Format::Text | Format::Sarif => out.text(&text(&found.recipes))?,
    }
    for broken in &found.broken {
        out.note(&printable(broken));
    }
    Ok(Exit::Done)
}

fn text(recipes: &[RecipeSummaryDto]) -> String {
    if recipes.is_empty() {
        return String::new();
    }
    let row = |recipe: &RecipeSummaryDto| {
        let layer = recipe.source.cli_name().to_owned();
        let about = cut(&recipe.description, DESCRIPTION_CHARS_MAX);
        vec![recipe.name.to_string(), layer, recipe.engine.clone(), about]
    };
    let rows: Vec<_> = recipes.iter().map(row).collect();
    table(&["NAME", "LAYER", "ENGINE", "DESCRIPTION"], &rows)
}

async fn show(name: &RecipeName, api: &Api, out: &mut Output) -> Result<Exit> {
    let recipe = api.recipe(&api.settings().project, name).await?;
    match out.format {
        Format::Json | Format::StreamJson => out.value(&recipe)?,
        Format::Text | Format::Sarif => {
            out.note(&format!("{} from {}", recipe.name, recipe.source.cli_name()));
            out.text(&printable(&recipe.text))?;
        }
    }
    Ok(Exit::Done)
}
