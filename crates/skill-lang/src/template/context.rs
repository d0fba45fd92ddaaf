//! The variables a template sees.

use minijinja::Value;
use minijinja::value::{Serde, merge_maps};
use serde::Serialize;

/// Variables, converted once and shared by all templates rendered with them.
#[derive(Debug, Clone)]
pub struct Context {
    value: Value,
}

impl Context {
    /// The fields of `variables`, which should serialise as a map.
    pub fn new<S: Serialize + ?Sized>(variables: &S) -> Context {
        Context { value: Value::from(Serde(variables)) }
    }

    /// These variables and one more, which hides one of the same name.
    #[must_use]
    pub fn with<S: Serialize + ?Sized>(&self, name: &str, variable: &S) -> Context {
        let added = Value::from_pairs([(name, Value::from(Serde(variable)))]);
        Context { value: merge_maps([added, self.value.clone()]) }
    }

    pub(super) fn value(&self) -> Value {
        self.value.clone()
    }
}
