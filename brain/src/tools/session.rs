//! Tools about the moment and the caller.

use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Caller, Effect, Tool, ToolError, spec};
use crate::models::ToolSpec;
use crate::runtime::Clock;

pub(super) fn tools(clock: &Arc<dyn Clock>) -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(CurrentTime(Arc::clone(clock))), Arc::new(WhoAmI)]
}

/// No parameters.
#[derive(Deserialize, JsonSchema)]
struct NoArgs {}

struct CurrentTime(Arc<dyn Clock>);

#[async_trait]
impl Tool for CurrentTime {
    fn spec(&self) -> ToolSpec {
        spec::<NoArgs>("current_time", "The present date and time in UTC.")
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    async fn call(&self, _: &Caller, _: Value) -> Result<Value, ToolError> {
        let now = self.0.now();
        Ok(json!({ "utc": now.to_rfc3339(), "unixMs": now.0 }))
    }
}

struct WhoAmI;

#[async_trait]
impl Tool for WhoAmI {
    fn spec(&self) -> ToolSpec {
        spec::<NoArgs>(
            "whoami",
            "The user, tenant, project, session, process and recipe that you work for.",
        )
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    async fn call(&self, caller: &Caller, _: Value) -> Result<Value, ToolError> {
        Ok(json!({
            "tenant": caller.op.tenant,
            "user": caller.op.actor.sender(),
            "project": caller.project,
            "session": caller.session,
            "process": caller.process,
            "recipe": caller.recipe,
        }))
    }
}
