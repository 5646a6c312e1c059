//! Estimates and verdicts of simulated machines whose truth is known.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod accuracy;
mod analyst;
mod causes;
mod closest;
mod comparing;
mod coverage;
mod deviations;
mod drift_by_round;
mod environments;
mod estimators;
mod highlights;
mod idle_states;
mod lies;
mod misled_trigger;
mod more_time;
mod museum;
mod neighbour;
mod neighbours;
mod next_run;
mod planted;
mod plots;
mod predictions;
mod remarks;
mod simulated;
mod sweeps;
mod together;
mod trigger;
mod users;
mod verdicts;
mod weeks;
mod weeks_of_a_watch;
mod whole_records;
