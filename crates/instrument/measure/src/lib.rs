//! What an operation is, and how a worker turns one into a trial.
//!
//! An operation is a declaration: [`Operation`]. Its `run` gets a [`Bench`] and gives it the work; the
//! bench decides whether the work is timed in batches or traced in a rehearsal.
//!
//! **Invariant:** this crate knows no operation by name and keeps no statistics.
#![forbid(unsafe_code)]

#[macro_use]
pub mod value;

mod area;
mod batches;
mod bench;
mod calibrate;
mod clock;
pub mod counting;
mod evidence;
mod failure;
mod idle_control;
mod individual;
mod meter;
mod operation;
mod other_core;
pub mod parameters;
mod phases;
mod point;
mod points;
mod rehearsal;
mod settle_time;
#[cfg(test)]
mod simulated;
mod tail;
mod trigger;
mod work;
pub mod worker;

pub use area::Area;
pub use bench::{Bench, Timed};
pub use failure::{Failure, Result};
pub use meter::CpuTime;
pub use operation::{Actors, How, Operation, Rehearse, on_x86_64};
pub use oscope_trigger::QUIET;
pub use parameters::{Parameters, takes};
pub use point::Point;
pub use value::{Path, Placement, Value};
pub use work::Work;
