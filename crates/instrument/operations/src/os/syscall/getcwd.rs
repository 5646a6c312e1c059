//! The name of the current directory.

use super::{CARD, Call, METHODS, Method};
use measure::{Operation, takes};
use sys::path::DirectoryName;
use workloads::repeat::repeat;

/// The name of the current directory.
pub static GETCWD: Operation = Operation {
    id: "syscall.getcwd",
    title: "getcwd of the root directory",
    one_iteration: "one getcwd in the root directory, which must give /",
    method: "The worker changes to the root directory, whose name is the same on every machine. method=libc: getcwd of the C \
             library with a buffer of its own, in a loop; method=raw: the system-call instruction in a loop.",
    confounds: "Every directory up to the root adds to it. Some libraries cache the name, or walk up the tree themselves when the \
                call fails; the rehearsal counts the calls.",
    sources: &[("R3, 3.4.1 and 3.4.2", "getcwd through the C library, by int 0x80 and by syscall")],
    parameters: takes::<Call>,
    points: METHODS,
    predict: &["floors(1)", "handler(1)", "method=libc: C library(1)"],
    evidence: &["answers = 1: the name was / every time", "calls: getcwd 1", "undisturbed loop"],
    run: |bench| {
        let mut name = DirectoryName::at_root()?;
        if bench.parameters::<Call>()?.method == Method::Raw {
            repeat(bench, |_| name.read_raw())
        } else {
            repeat(bench, |_| name.read_by_libc())
        }
    },
    ..CARD
};
