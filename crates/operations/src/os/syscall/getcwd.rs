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
    predict: &["floors(1)", "handler(1)", "method=libc: C library(1)"],
    evidence: &[
        "answers = 1: the name was / every time",
        "linear",
        "calls: getcwd 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floor"],
    run: |bench| {
        if is_raw(bench) { super::run::<Getcwd<true>>(bench) } else { super::run::<Getcwd<false>>(bench) }
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
        if RAW { self.0.read_raw() } else { self.0.read_by_libc() }
    }
}
