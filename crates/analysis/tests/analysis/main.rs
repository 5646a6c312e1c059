//! Estimates and verdicts of simulated machines whose truth is known.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod causes;
mod comparing;
mod course;
mod coverage;
mod estimators;
mod lies;
mod museum;
mod neighbours;
mod plots;
mod predictions;
mod remarks;
mod simulated;
mod sweeps;
mod together;
mod users;
mod verdicts;
mod whole_records;
