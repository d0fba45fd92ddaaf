//! Skills: which copy of a name counts, and what it says.

pub mod cascade;
