# Chores. `just` lists them.

default:
    @just --list

# Everything that CI runs.
check: fmt clippy test doc deny

fmt:
    cargo fmt --all --check

clippy:
    cargo clippy --workspace --all-targets -- -D warnings

test:
    cargo xtask test

doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

deny:
    cargo deny check

# Brain and a first answer, in one go.
demo:
    cargo xtask demo

# The table of the targets, from a release build.
bench *ARGS:
    cargo xtask bench {{ARGS}}

# TypeScript of the wire types.
typescript:
    cargo xtask typescript
