//! Whole watches in simulated time.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod exposition;
mod scene;
mod screens;
mod soak;
mod weeks;
