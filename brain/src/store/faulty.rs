//! A store that fails as stores do, by a plan that a seed repeats. It wraps any adapter.

mod documents;
mod lanes;
mod plan;
mod sessions;

pub use plan::{Fault, Plan, Rates};

use api_types::ids::Revision;

use crate::port::{Error, Result};

/// Wraps a store (`Arc<…>` or a reference) and makes its calls fail as the plan says.
#[derive(Debug)]
pub struct Faulty<S> {
    inner: S,
    plan: Plan,
}

impl<S> Faulty<S> {
    /// `inner`, failing by `plan`.
    pub fn new(inner: S, plan: Plan) -> Self {
        Self { inner, plan }
    }

    /// The plan, which can be changed while the store is in use.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    async fn read<T>(&self, call: impl Future<Output = Result<T>>) -> Result<T> {
        match self.plan.next_read() {
            Some(_) => Err(outage()),
            None => call.await,
        }
    }

    /// A write that has no conflicts: only reaching the store can fail.
    async fn write<T>(&self, call: impl Future<Output = Result<T>>) -> Result<T> {
        self.write_expecting(None, call).await
    }

    /// A write that may expect a revision.
    async fn write_expecting<T>(
        &self,
        expected: Option<Revision>,
        call: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        match self.plan.next_write(expected.is_some()) {
            None => call.await,
            Some(Fault::Outage) => Err(outage()),
            Some(Fault::LostRequest) => Err(Error::Unknown),
            Some(Fault::LostAnswer) => {
                // Whatever came of it, nobody is told.
                drop(call.await);
                Err(Error::Unknown)
            }
            Some(Fault::Conflict) => Err(Error::Conflict {
                what: "it, by the plan of faults,".into(),
                current: expected.unwrap_or_default(),
            }),
        }
    }
}

fn outage() -> Error {
    Error::Unavailable { reason: "an outage, by the plan of faults".into() }
}
