//! Fleets made by a seeded generator, of which the truth is known.
#![allow(clippy::unwrap_used, clippy::panic)]

mod boots;
mod chance;
mod intake;
mod machines;
mod planted;
mod signs;
mod types;
