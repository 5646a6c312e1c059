//! What system calls cost, for operations whose cards are functions.

use measure::term;
use quantity::Quantity;
use record::{Bound, Formula, PointId, Side, Term};

/// What the kernel executes for a service, beyond what every call needs, as counted in its source.
pub struct Path {
    /// Instructions on the way.
    pub instructions: f64,
    /// Locked operations among them: locks taken, references counted.
    pub locked: f64,
    /// How far off both may be, as a factor.
    pub within: f64,
    /// What is done.
    pub source: &'static str,
}

/// Instructions in a cycle of warm, branching code without misses: what SPECint 2017 averages on cores of 2019 to
/// 2024 is 1.3 to 2.
const PER_CYCLE: f64 = 1.5;

/// Cycles of a locked operation: 18 to 20 in the tables of Intel's and AMD's cores since 2015.
const LOCKED: f64 = 20.0;

impl Path {
    /// The same as a formula, in core cycles.
    pub fn formula(&self) -> Formula {
        let cycles = (self.instructions / PER_CYCLE + LOCKED * self.locked).round();
        let (instructions, locked) = (self.instructions, self.locked);
        let source = format!(
            "{}: some {instructions} instructions at {PER_CYCLE} a cycle and {locked} locked ones of {LOCKED} cycles",
            self.source
        );
        Formula::cited(cycles, self.within, &source)
    }
}

/// T0 of so many calls that do nothing.
pub fn floors_from_facts(count: f64) -> Vec<Term> {
    let (line, nowhere) = (format!("floors({count})"), PointId::new("", ""));
    let prediction = model::prediction(&[&line], &nowhere, Quantity::Latency, None);
    prediction.unwrap_or_default().from_facts
}

/// T1 of so many calls that do nothing.
pub fn floors(count: f64) -> Term {
    term(
        Side::Hardware,
        "the floor of a system call",
        Formula::part("syscall.floor", "").times(count),
    )
}

/// The bound of whatever makes so many calls.
pub fn at_least_floors(count: f64) -> Vec<Bound> {
    if count == 0.0 {
        return Vec::new();
    }
    let times = if count == 1.0 {
        String::new()
    } else {
        format!(" {count} times")
    };
    vec![Bound {
        lower: true,
        formula: Formula::part("syscall.floor", "").times(count),
        because: format!("it enters and leaves the kernel{times}, as the floor does"),
    }]
}
