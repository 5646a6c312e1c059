//! Reading from /dev/null: a system call that goes through the file layer and finds the end of the file.

use super::CARD;
use measure::{Failure, Operation};
use sys::path::{Access, DEV_NULL, open_device};
use workloads::repeat::repeat;

/// A read at the end of a file.
pub static READ_NULL: Operation = Operation {
    id: "syscall.read.dev_null",
    title: "read at the end of a file",
    one_iteration: "one read of one byte from /dev/null, which must find the end of the file",
    method: "read of one byte from /dev/null, kept open, in a loop.",
    confounds: "A sandbox may put something else in the place of /dev/null.",
    sources: &[("lmbench", "lat_syscall read reads /dev/zero, which gives bytes")],
    predict: &[
        "floors(1)",
        "software handler = path(150, 0) (×1.5: descriptor, position, access check) × cycle_ns",
    ],
    evidence: &["answers = 1: the device had no byte every time", "calls: read 1", "undisturbed loop"],
    run: |bench| {
        let absent = || Failure::skipped("/dev/null is not there", "run where /dev is mounted as usual");
        let null = open_device(DEV_NULL, Access::Read)?.ok_or_else(absent)?;
        repeat(bench, |_| Ok(sys::Error::check("read", null.read(&mut [0]))? == 0))
    },
    ..CARD
};
