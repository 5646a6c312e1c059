//! Samples in, estimates out.
//!
//! **Invariant:** pure: the same input gives the same output; no clock, no file, no random number.
//! **Invariant:** no unit: a function gives back the unit of its samples, or none.
#![forbid(unsafe_code)]

pub mod change_points;
pub mod clusters;
pub mod components;
pub mod cycle;
pub mod discoveries;
pub mod interval;
pub mod isotonic;
pub mod lattice;
pub mod line_error;
pub mod modes;
pub mod normal;
pub mod order;
pub mod percentile;
pub mod plateaus;
pub mod scaling;
pub mod shift;
pub mod slope;
pub mod spread;
pub mod thresholds;
pub mod trend;
