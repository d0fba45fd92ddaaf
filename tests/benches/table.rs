//! The targets, measured in one run, as a table. `cargo xtask bench [NAME…]`.

fn main() {}
