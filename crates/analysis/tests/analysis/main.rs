//! Estimates and verdicts of simulated machines whose truth is known.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod coverage;
mod simulated;
