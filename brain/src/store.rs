//! Adapters of the features' ports, and the one suite that all of them obey.

#[cfg(test)]
mod contract;

pub mod embedded;
pub mod faulty;
