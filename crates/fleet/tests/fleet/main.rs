//! Fleets made by a seeded generator, of which the truth is known.
#![allow(clippy::unwrap_used, clippy::panic)]

mod intake;
mod machines;
mod planted;
mod types;
