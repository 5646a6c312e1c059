//! Descriptions of recorded machines, of broken ones, and what a dump keeps to itself.
#![allow(clippy::panic, clippy::unwrap_used)]

mod changeable;
mod fixtures;
mod privacy;
mod robustness;
