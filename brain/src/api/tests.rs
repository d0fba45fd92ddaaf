//! The transports over a real store, in memory.

mod authorization;
mod desk;
mod openapi;
mod rest;
mod sockets;
