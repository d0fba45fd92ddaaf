//! Tools: what a model can call. One file for each family; [`Registry`] knows all of them.

mod documents;
mod manuals;
mod recipes;
mod session;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use api_types::ids::{ProcessName, ProjectId, RecipeName, SessionId};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::ctx::OpCtx;
use crate::documents::Documents;
use crate::manuals::{Folders, Manuals};
use crate::models::{ToolSet, ToolSpec};
use crate::recipes::Recipes;
use crate::runtime::Clock;

/// Largest result that a model reads, in bytes.
pub const TOOL_RESULT_BYTES_MAX: usize = 64 * 1024;
/// Most different sets of tools that are kept ready; with one more all are made anew.
const TOOL_SETS_MAX: usize = 256;
/// Longest run of one tool, in seconds.
pub const TOOL_TIME_MAX_S: u64 = 60;

/// Whether a call may be made again after a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It only reads.
    Reads,
    /// It may change something.
    Writes,
}

/// Why a tool failed; the model reads it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// What happened, and where.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

impl ToolError {
    /// A failure that speaks for itself.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    /// The same, with advice.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// Where a tool is called from.
#[derive(Clone, Debug)]
pub struct Caller {
    /// On whose behalf, and until when.
    pub op: OpCtx,
    /// The session's project.
    pub project: ProjectId,
    /// The session.
    pub session: SessionId,
    /// The process.
    pub process: ProcessName,
    /// Its recipe.
    pub recipe: RecipeName,
    /// Where its manuals lie.
    pub manuals: Arc<Folders>,
}

/// A tool.
#[async_trait]
pub trait Tool: Send + Sync {
    /// Name, description and parameters.
    fn spec(&self) -> ToolSpec;
    /// Whether it changes anything.
    fn effect(&self) -> Effect;
    /// Runs it. `args` is what the model wrote.
    async fn call(&self, caller: &Caller, args: Value) -> Result<Value, ToolError>;
}

/// All tools of this node, by name.
pub struct Registry {
    tools: BTreeMap<String, Registered>,
    sets: Mutex<HashMap<BTreeSet<String>, Arc<ToolSet>>>,
}

struct Registered {
    tool: Arc<dyn Tool>,
    spec: ToolSpec,
}

/// What the built-in tools need.
pub struct RegistryParts {
    /// For `doc_*`.
    pub documents: Arc<Documents>,
    /// For `manual_*`.
    pub manuals: Arc<Manuals>,
    /// For `recipe_*`.
    pub recipes: Arc<Recipes>,
    /// For `current_time`.
    pub clock: Arc<dyn Clock>,
}

impl Registry {
    /// The built-in tools.
    #[must_use]
    pub fn built_in(parts: &RegistryParts) -> Self {
        let all = [
            documents::tools(&parts.documents),
            manuals::tools(&parts.manuals),
            recipes::tools(&parts.recipes),
            session::tools(&parts.clock),
        ];
        let tools = all.into_iter().flatten().map(|tool| {
            let spec = tool.spec();
            (spec.name.clone(), Registered { tool, spec })
        });
        Self { tools: tools.collect(), sets: Mutex::default() }
    }

    /// The tool of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name).map(|found| &found.tool)
    }

    /// What a model is told of these tools. The same names answer the same set, whose wire bytes are made once.
    #[must_use]
    pub fn set(&self, names: &BTreeSet<String>) -> Arc<ToolSet> {
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(set) = sets.get(names) {
            return Arc::clone(set);
        }
        let specs =
            names.iter().filter_map(|name| self.tools.get(name)).map(|found| found.spec.clone());
        let set = Arc::new(ToolSet::new(specs.collect()));
        if sets.len() >= TOOL_SETS_MAX {
            sets.clear();
        }
        sets.insert(names.clone(), Arc::clone(&set));
        set
    }
}

/// The specification of a tool whose parameters are `Args`.
fn spec<Args: JsonSchema>(name: &str, description: &str) -> ToolSpec {
    let mut schema = schemars::schema_for!(Args).to_value();
    if let Some(object) = schema.as_object_mut() {
        object.remove("$schema");
        object.remove("title");
    }
    ToolSpec { name: name.to_owned(), description: description.to_owned(), schema }
}

/// Reads the arguments, or says which one is wrong.
fn parse<Args: DeserializeOwned>(tool: &str, args: Value) -> Result<Args, ToolError> {
    let args = if args.is_null() { Value::Object(serde_json::Map::new()) } else { args };
    serde_json::from_value(args).map_err(|error| {
        ToolError::new(format!("the arguments of {tool} are wrong: {error}"))
            .hint("see the tool's schema")
    })
}
