//! Estimates of made-up machines, and what holds for all samples.
#![allow(clippy::unwrap_used)]

mod change_points;
mod machines;
mod nights;
mod properties;
