//! Calls that a process makes for itself: its directory, and giving way.

use super::{Path, Service, operation};
use measure::{Failure, Operation, core_cycles, counted, only_noise, term};
use record::{Formula, Side, Term, Witness};
use sys::path::DirectoryName;
use sys::sleep;

/// The current directory, the kernel asked.
pub static GETCWD_RAW: Operation = operation::<GetcwdRaw>();
/// The current directory, the C library asked.
pub static GETCWD_LIBC: Operation = operation::<GetcwdLibc>();
/// Giving way where nobody waits.
pub static SCHED_YIELD: Operation = Operation {
    computed_witnesses: |_| alone(),
    ..operation::<SchedYield>()
};

/// That giving way really gave nothing away: what ran instead would be in the time.
fn alone() -> Vec<Witness> {
    let mut all = super::witnesses(SchedYield::CALLS, SchedYield::ANSWERS);
    // On a crowded machine somebody else may come in between now and then.
    all.extend(only_noise(counted(
        "switches",
        0.0,
        0.05,
        "nobody else ran: it went on at once",
    )));
    all
}

struct GetcwdRaw(DirectoryName);

impl Service for GetcwdRaw {
    const ID: &'static str = "syscall.getcwd.raw";
    const TITLE: &'static str = "name of the current directory, the kernel asked";
    const ITERATION: &'static str = "one getcwd in the root directory, which must give /";
    const METHOD: &'static str = "The worker goes to the root directory, whose name is the same on every machine, and asks for the name by the system-call instruction.";
    const CONFOUNDS: &'static str = "Every directory on the way to the root adds to it.";
    const SOURCES: &'static [(&'static str, &'static str)] = &[("R3", "getcwd by syscall()")];
    const CALLS: &'static [(&'static str, f64)] = &[("getcwd", 1.0)];
    const ANSWERS: &'static str = "the kernel gave / and its length every time";
    const PATH: Path = Path {
        instructions: 260.0,
        locked: 0.0,
        within: 1.5,
        source: "a buffer allocated and freed (100), the way up to the root under sequence counters (80), copied out (40), checks",
    };

    fn prepare() -> Result<Self, Failure> {
        Ok(Self(DirectoryName::at_root()?))
    }

    #[inline(always)]
    fn once(&mut self, _: u64) -> sys::Result<bool> {
        self.0.ask()
    }
}

struct GetcwdLibc(DirectoryName);

impl Service for GetcwdLibc {
    const ID: &'static str = "syscall.getcwd.libc";
    const TITLE: &'static str = "name of the current directory through the C library";
    const ITERATION: &'static str = "one getcwd of the C library in the root directory, which must give /";
    const METHOD: &'static str =
        "As syscall.getcwd.raw, by the function of the C library with a buffer of its own.";
    const CONFOUNDS: &'static str = "Some libraries keep the name or walk up the tree themselves when the kernel refuses; the rehearsal counts the calls.";
    const SOURCES: &'static [(&'static str, &'static str)] = &[("R3", "getcwd through libc")];
    const CALLS: &'static [(&'static str, f64)] = &[("getcwd", 1.0)];
    const ANSWERS: &'static str = "the library gave / every time";
    const PATH: Path = Path {
        instructions: 280.0,
        locked: 0.0,
        within: 1.5,
        source: "as syscall.getcwd.raw (260), the library and its checks (20)",
    };

    fn prepare() -> Result<Self, Failure> {
        Ok(Self(DirectoryName::at_root()?))
    }

    #[inline(always)]
    fn once(&mut self, _: u64) -> sys::Result<bool> {
        self.0.ask_library()
    }

    fn from_parts() -> Vec<Term> {
        let library = "a call through the linkage table, two checks, a return";
        vec![
            term(
                Side::Hardware,
                "the kernel asked",
                Formula::part("syscall.getcwd.raw", ""),
            ),
            term(
                Side::Software,
                "C library",
                core_cycles(Formula::cited(12.0, 2.0, library)),
            ),
        ]
    }
}

struct SchedYield;

impl Service for SchedYield {
    const ID: &'static str = "syscall.sched_yield";
    const TITLE: &'static str = "give way where nobody waits";
    const ITERATION: &'static str = "one sched_yield with nobody else on the CPU";
    const METHOD: &'static str = "sched_yield in a loop by the only task that wants this CPU: the scheduler looks for another, finds none, and goes on. It is no context switch; the kernel counts none.";
    const CONFOUNDS: &'static str = "Programs that time sched_yield and call it a context switch measure this, unless two tasks are on one CPU. With others on the CPU they run for a whole slice, and the batch is set aside.";
    const SOURCES: &'static [(&'static str, &'static str)] = &[
        ("lmbench", "none"),
        ("stress-ng", "yield, with several tasks"),
        ("libMicro", "none"),
    ];
    const CALLS: &'static [(&'static str, f64)] = &[("sched_yield", 1.0)];
    const ANSWERS: &'static str = "the call succeeded every time";
    const PATH: Path = Path {
        instructions: 700.0,
        locked: 3.0,
        within: 1.6,
        source: "run queue locked twice, times brought up to date twice, the task put back and picked again, checks of the scheduler classes",
    };

    fn prepare() -> Result<Self, Failure> {
        Ok(Self)
    }

    #[inline(always)]
    fn once(&mut self, _: u64) -> sys::Result<bool> {
        sleep::give_way()?;
        Ok(true)
    }
}
