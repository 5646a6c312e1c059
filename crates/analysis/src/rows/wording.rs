//! Sentences of verdicts and remarks, so that they are worded in one place.

use quantity::{Quantity, show, show_interval};
use record::Witness;

/// The counter that the analysis itself makes from the triples of a trial.
pub(crate) const LINEARITY: &str = "linearity";

/// What helps when too few trials were made.
pub(crate) const MORE_TIME: &str = "give it more time: --budget";
/// What helps when there are several states.
pub(crate) const COMPARE_MODES: &str = "compare the modes, not the medians";
/// What helps against disturbance.
pub(crate) const QUIET: &str = "quiet the machine: stop what else runs, or choose another CPU";
/// What helps when nothing could be counted.
pub(crate) const ALLOW_COUNTING: &str =
    "allow ptrace, or hardware counters, or run it outside the sandbox that forbids them";
/// What helps when something else was measured.
pub(crate) const LOOK_BETWEEN: &str =
    "something may intercept system calls: an emulator, a sandbox, LD_PRELOAD";

/// A number of things, with its noun.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// What speaks against a point.
pub(crate) fn contradiction(witness: &Witness, counted: f64, broken: usize, read: usize) -> String {
    format!(
        "{}, which contradicts: {}",
        outside(witness, counted, broken, read),
        witness.proves
    )
}

/// What makes a point noisy: a witness that a neighbour can break.
pub(crate) fn broken_by_noise(witness: &Witness, counted: f64, broken: usize, read: usize) -> String {
    format!(
        "{}: other programs, other guests or the network can cause this, and it is not shown that {}",
        outside(witness, counted, broken, read),
        witness.proves
    )
}

/// What was expected and what was counted.
fn outside(witness: &Witness, counted: f64, broken: usize, read: usize) -> String {
    let counted = show(counted, None, Quantity::Count);
    let times = match witness.origin {
        record::Origin::Rehearsal => "in rehearsal".to_owned(),
        record::Origin::Trial => format!("in {broken} of {}", count(read, "trial", "trials")),
    };
    let expected = if witness.low == witness.high {
        show(witness.low, None, Quantity::Count)
    } else {
        show_interval(witness.low, witness.high, Quantity::Count)
    };
    if witness.counter == LINEARITY {
        return format!(
            "{LINEARITY}: cost per iteration is not constant ({counted}× from n to 4n, expected {expected}) {times}"
        );
    }
    format!(
        "{}: expected {expected} per iteration, counted {counted} {times}",
        witness.counter
    )
}
