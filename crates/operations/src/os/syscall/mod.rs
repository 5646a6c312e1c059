//! Services of the kernel that one task asks for, by system calls: entering and leaving it, and what each does.
//!
//! A call has a card, and an implementation of [`Service`] does one iteration.

pub mod files;
pub mod interrupt;
pub mod locks;
pub mod numbers;
pub mod objects;
pub mod own;
pub mod readiness;
pub mod signals;
pub mod sleep;
pub mod uring;

use measure::{Area, Bench, Failure, Operation, term, told_cycles};
use record::{Bound, Formula, Side, Term};

/// What the cards of system calls have in common.
const CARD: Operation = Operation {
    area: Area::Os,
    ..Operation::NEW
};

/// What one task asks of the kernel, time and again.
pub trait Service: Sized {
    /// Everything that an iteration needs.
    ///
    /// # Errors
    /// When something cannot be had.
    fn prepare() -> Result<Self, Failure>;

    /// One iteration; whether every answer was right.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn once(&mut self, turn: u64) -> sys::Result<bool>;

    /// Looks how things are before a batch; once in a batch.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn begin(&mut self) -> sys::Result<()> {
        Ok(())
    }

    /// Whether everything is as it should be when a batch is over; asked once in a batch.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn settled(&mut self) -> sys::Result<bool> {
        Ok(true)
    }
}

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

fn run<S: Service>(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let mut service = S::prepare()?;
    bench.slope(&mut |n| {
        let mut right = 0;
        service.begin()?;
        for turn in 0..n {
            right += u64::from(service.once(turn)?);
        }
        Ok(if service.settled()? { right } else { 0 })
    })
}

/// Cycles of the hardware to enter and leave the kernel, mitigations included.
pub fn entry_cycles() -> Formula {
    Formula::fact("family.syscall_cycles").plus(Formula::fact("mitigation.syscall_cycles"))
}

fn dispatch() -> Formula {
    Formula::cited(
        80.0,
        1.6,
        "about 100 instructions of the kernel's entry and exit code",
    )
}

/// T0 of so many calls that do nothing.
pub fn floors_from_facts(count: f64) -> Vec<Term> {
    vec![
        term(
            Side::Hardware,
            "enter and leave the kernel",
            told_cycles(entry_cycles().times(count)),
        ),
        term(
            Side::Software,
            "save registers, dispatch, check for work, restore",
            told_cycles(dispatch().times(count)),
        ),
    ]
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
