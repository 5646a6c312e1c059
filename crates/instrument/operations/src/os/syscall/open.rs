//! open and close, each without the other.

use super::CARD;
use measure::{Operation, choice, parameters, takes};
use sys::path::Access;
use workloads::os::devices::{Timed, open_or_close_null};

const UNPAIRED: Operation = Operation {
    confounds: "The table of descriptors grows with the number of open files, up to 800 here; finding the lowest free one does \
                not become slower in Linux. File systems have an open method, which may read a disk or ask a server.",
    ..CARD
};

/// open alone.
pub static OPEN: Operation = Operation {
    id: "syscall.open",
    title: "open of /dev/null",
    one_iteration: "one open of /dev/null, which must give a new descriptor",
    method: "open of the C library with /dev/null, in a loop that keeps the descriptors; they are closed between two batches. \
             Batches have at most 800 iterations.",
    sources: &[
        (
            "R4, 4.3",
            "open of a file for reading and for writing, which differ 35-fold: probably the second created or truncated it",
        ),
        ("libMicro", "open -f /dev/zero: 256 at a time, closed untimed"),
    ],
    points: &["access=read|write"],
    predict: &[
        "t0 floors(1)",
        "software t0 name looked up, file allocated, device opened = path(1900, 14) (×1.7: two components of a name, \
         permissions, a file and a descriptor allocated) × cycle_ns",
        "access=read: software t1 open and close = [syscall.open_close.read] − [syscall.close]",
        "access=write: software t1 open and close = [syscall.open_close.write] − [syscall.close]",
    ],
    evidence: &[
        "answers = 1: every open gave a descriptor that was not open",
        "linear",
        "calls: openat 1",
        "undisturbed",
    ],
    parameters: takes::<Opening>,
    run: |bench| match bench.parameters::<Opening>()?.access {
        OpenMode::Read => open_or_close_null(bench, Access::Read, Timed::Open),
        OpenMode::Write => open_or_close_null(bench, Access::Write, Timed::Open),
    },
    ..UNPAIRED
};

choice! {
    /// For what a file is opened.
    enum OpenMode {
        /// To read.
        Read = "read",
        /// To write.
        Write = "write",
    }
}

parameters! {
    /// An open.
    struct Opening {
        /// For what.
        access: OpenMode,
    }
}

/// close alone.
pub static CLOSE: Operation = Operation {
    id: "syscall.close",
    title: "close of /dev/null",
    one_iteration: "one close of a descriptor of /dev/null",
    method: "Descriptors of /dev/null are opened between two batches and closed in a loop. Batches have at most 800 iterations.",
    sources: &[
        ("R4, 4.3", "close of a file"),
        ("libMicro", "close -f /dev/zero: 32 at a time, opened untimed"),
    ],
    predict: &[
        "floors(1)",
        "software descriptor and file released = path(700, 8) (×1.7: descriptor freed, locks and leases looked for, the file \
         given to a task's work and freed) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every descriptor was open before the batch",
        "linear",
        "calls: close 1",
        "undisturbed",
    ],
    run: |bench| open_or_close_null(bench, Access::Read, Timed::Close),
    ..UNPAIRED
};
