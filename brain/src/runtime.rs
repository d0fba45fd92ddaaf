//! What the rest asks for instead of reaching for the world: time, chance, tasks.

mod clock;
mod ids;
mod tasks;

pub use clock::{Clock, ManualClock, SystemClock, Timestamp};
pub use ids::IdGen;
pub use tasks::Tasks;
