//! Services of the kernel that one task asks for, by system calls: entering and leaving it, and what each does.
//!
//! A service is an implementation of [`Service`]: its texts, the calls that one iteration makes, what its way
//! through the kernel takes, and the iteration itself. [`operation`] makes the declaration of it.

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

use measure::{
    Area, Bench, Failure, Operation, Point, Rehearse, calls, core_cycles, linear, term, told_cycles,
};
use measure::{no_new_pages, undisturbed, work_done};
use record::{Bound, Formula, Prediction, Side, Term, Witness};

/// What one task asks of the kernel, time and again.
pub trait Service: Sized {
    /// The operation's id.
    const ID: &'static str;
    /// What it is, in a few words.
    const TITLE: &'static str;
    /// What one iteration is.
    const ITERATION: &'static str;
    /// How, in a few sentences.
    const METHOD: &'static str;
    /// What can make the number mean something else.
    const CONFOUNDS: &'static str;
    /// Who measured it before, and how.
    const SOURCES: &'static [(&'static str, &'static str)];
    /// The system calls of one iteration, and how often each is made.
    const CALLS: &'static [(&'static str, f64)];
    /// What the right answers prove.
    const ANSWERS: &'static str;
    /// What the kernel does besides entering, dispatching and leaving.
    const PATH: Path;

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

    /// What it cannot be cheaper than.
    fn bounds() -> Vec<Bound> {
        at_least_floors(number_of(Self::CALLS))
    }

    /// T1, where finer parts than the floor are measured.
    fn from_parts() -> Vec<Term> {
        above_floors(Self::CALLS, &Self::PATH).from_parts
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

/// The declaration of a service.
pub const fn operation<S: Service>() -> Operation {
    Operation {
        id: S::ID,
        area: Area::Os,
        title: S::TITLE,
        one_iteration: S::ITERATION,
        method: S::METHOD,
        confounds: S::CONFOUNDS,
        sources: S::SOURCES,
        rehearse: Rehearse::Calls,
        computed_prediction: |_: &Point| Prediction {
            from_facts: above_floors(S::CALLS, &S::PATH).from_facts,
            from_parts: S::from_parts(),
        },
        computed_witnesses: |_: &Point| witnesses(S::CALLS, S::ANSWERS),
        computed_bounds: |_: &Point| S::bounds(),
        run: run::<S>,
        ..Operation::NEW
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

/// How many calls these are in all.
fn number_of(calls: &[(&str, f64)]) -> f64 {
    calls.iter().map(|(_, count)| count).sum()
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

/// What calls cost whose handlers take this path in all.
fn above_floors(calls: &[(&str, f64)], path: &Path) -> Prediction {
    let count = number_of(calls);
    let (mut from_facts, mut from_parts) = (Vec::new(), Vec::new());
    if count > 0.0 {
        from_facts = floors_from_facts(count);
        from_parts = vec![floors(count)];
    }
    from_facts.push(term(Side::Software, "handler", told_cycles(path.formula())));
    from_parts.push(term(Side::Software, "handler", core_cycles(path.formula())));
    Prediction {
        from_facts,
        from_parts,
    }
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

/// What must be true of calls by one task that never waits.
pub fn witnesses(expected: &[(&str, f64)], answers: &str) -> Vec<Witness> {
    let mut all = work_done(answers);
    all.extend(linear());
    all.extend(calls(expected));
    all.extend(undisturbed());
    all.extend(no_new_pages());
    all
}
