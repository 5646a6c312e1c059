//! What an operation is, and how a worker turns one into a trial.
//!
//! An operation is a declaration: [`Operation`]. Its `run` gets a [`Bench`] and gives it the work; the
//! bench decides whether the work is timed in batches or traced in a rehearsal.
//!
//! **Invariant:** this crate knows no operation by name and keeps no statistics.
#![forbid(unsafe_code)]

mod batches;
mod bench;
mod calibrate;
mod evidence;
mod failure;
mod meter;
mod operation;
mod other_core;
mod phases;
mod point;
mod predict;
mod rehearsal;
mod rest;
mod singles;
mod trigger;
mod witness;
pub mod worker;

pub use bench::{Bench, Timed, Work};
pub use failure::Failure;
pub use operation::{Actors, Area, How, Operation, Reference, Rehearse, on_x86_64};
pub use point::{Path, Placement, Point};
pub use predict::{core_cycles, measured_cycle, term, told_cycles};
pub use trigger::QUIET;
pub use witness::{
    calls, counted, if_consistent, linear, no_new_pages, no_new_pages_but, only_noise, placed, processes,
    undisturbed, work_done,
};
