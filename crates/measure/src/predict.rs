//! Common terms of predictions.

use record::{Formula, Side, Term};

/// A term of a prediction.
#[inline(never)]
pub fn term(side: Side, name: &str, formula: Formula) -> Term {
    Term {
        name: name.to_owned(),
        side,
        formula,
    }
}

/// Duration of one core cycle in nanoseconds as the machine's description tells it.
fn told_cycle() -> Formula {
    Formula::fact("clock.cycle_ns")
}

/// Duration of one core cycle in nanoseconds as measured in the same run.
pub fn measured_cycle() -> Formula {
    Formula::exactly(1e9).over(Formula::part("clock.frequency", "of=core"))
}

/// So many core cycles in nanoseconds, at the clock that the machine tells (for T0).
#[inline(never)]
pub fn told_cycles(cycles: Formula) -> Formula {
    cycles.by(told_cycle())
}

/// So many core cycles in nanoseconds, at the clock that was measured (for T1).
#[inline(never)]
pub fn core_cycles(cycles: Formula) -> Formula {
    cycles.by(measured_cycle())
}
