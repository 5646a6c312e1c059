//! Calls that a process makes for itself: its directory, and giving way.

use super::{CARD, METHODS, Service, is_raw};
use measure::{Failure, Operation, Point};
use sys::path::DirectoryName;
use sys::sleep;

/// The name of the current directory.
pub static GETCWD: Operation = Operation {
    id: "syscall.getcwd",
    title: "getcwd of the root directory",
    one_iteration: "one getcwd in the root directory, which must give /",
    method: "The worker goes to the root directory, whose name is the same on every machine. method=libc: getcwd of the C \
             library with a buffer of its own, in a loop; method=raw: the system-call instruction in a loop.",
    confounds: "Every directory on the way to the root adds to it. Some libraries keep the name, or walk up the tree \
                themselves when the kernel refuses; the rehearsal counts the calls.",
    sources: &[("R3", "getcwd through libc and by syscall()")],
    points: |_| Point::all(METHODS),
    predict: &[
        "method=raw: floors(1)",
        "method=raw: software handler = path(260, 0) (×1.5: a buffer allocated and freed (100), the way up to the root \
         under sequence counters (80), copied out (40), checks) × cycle_ns",
        "method=libc: t0 floors(1)",
        "method=libc: software t0 handler = path(280, 0) (×1.5: the system call itself (260), the library and its \
         checks (20)) × cycle_ns",
        "method=libc: hardware t1 the system call itself = [syscall.getcwd method=raw]",
        "method=libc: software t1 C library = 12 cycles (×2: a call through the linkage table, two checks, a return) × \
         cycle_ns",
    ],
    evidence: &[
        "answers = 1: the name was / every time",
        "linear",
        "calls: getcwd 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floor"],
    run: |bench| {
        if is_raw(bench) {
            super::run::<Getcwd<true>>(bench)
        } else {
            super::run::<Getcwd<false>>(bench)
        }
    },
    ..CARD
};

/// By the system-call instruction if `RAW`.
struct Getcwd<const RAW: bool>(DirectoryName);

impl<const RAW: bool> Service for Getcwd<RAW> {
    fn prepare() -> Result<Self, Failure> {
        Ok(Self(DirectoryName::at_root()?))
    }

    #[inline(always)]
    fn once(&mut self, _: u64) -> sys::Result<bool> {
        if RAW {
            self.0.read_raw()
        } else {
            self.0.read_by_libc()
        }
    }
}

/// Giving way where nobody waits.
pub static SCHED_YIELD: Operation = Operation {
    id: "syscall.sched_yield",
    title: "give way where nobody waits",
    one_iteration: "one sched_yield with nobody else on the CPU",
    method: "sched_yield in a loop by the only task that wants this CPU: the scheduler looks for another, \
             finds none, and goes on. It is no context switch; the kernel counts none.",
    confounds: "Programs that time sched_yield and call it a context switch measure this, unless two tasks \
                are on one CPU. With others on the CPU they run for a whole slice, and the batch is set \
                aside.",
    sources: &[
        ("lmbench", "none"),
        ("stress-ng", "yield, with several tasks"),
        ("libMicro", "none"),
    ],
    predict: &[
        "floors(1)",
        "software handler = path(700, 3) (×1.6: run queue locked twice, times brought up to date twice, the \
         task put back and picked again, checks of the scheduler classes) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the call succeeded every time",
        "linear",
        "calls: sched_yield 1",
        "undisturbed",
        "no new pages",
        // On a crowded machine somebody else may come in between now and then.
        "switches 0..0.05 (noise): nobody else ran: it went on at once",
    ],
    bounds: &["floor"],
    run: super::run::<SchedYield>,
    ..CARD
};

struct SchedYield;

impl Service for SchedYield {
    fn prepare() -> Result<Self, Failure> {
        Ok(Self)
    }

    #[inline(always)]
    fn once(&mut self, _: u64) -> sys::Result<bool> {
        sleep::give_way()?;
        Ok(true)
    }
}
