//! Adapters of the features' ports, and the one suite that all of them obey.

pub mod embedded;
pub mod faulty;

#[cfg(test)]
mod contract;
