//! The suite that every adapter obeys: cases as plain functions over a port, listed once per port
//! in a macro that an adapter's tests apply.

pub(crate) mod lanes;
