//! The name of the current directory.

use super::{CARD, METHODS, Service, is_raw};
use measure::{Failure, Operation, Point};
use sys::path::DirectoryName;

/// The name of the current directory.
pub static GETCWD: Operation = Operation {
    id: "syscall.getcwd",
    title: "getcwd of the root directory",
    one_iteration: "one getcwd in the root directory, which must give /",
    method: "The worker changes to the root directory, whose name is the same on every machine. method=libc: getcwd of the C \
             library with a buffer of its own, in a loop; method=raw: the system-call instruction in a loop.",
    confounds: "Every directory up to the root adds to it. Some libraries cache the name, or walk up the tree themselves when the \
                call fails; the rehearsal counts the calls.",
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
