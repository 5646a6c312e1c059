//! Sessions with a peer in a process of its own, right ones and wrong ones.
#![allow(clippy::panic, clippy::unwrap_used)]

mod common;
mod robust;
mod sessions;
