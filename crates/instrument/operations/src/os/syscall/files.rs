//! System calls on files without I/O: devices, status, open and close.

use super::{CARD, Call, METHODS, Method};
use measure::{Bench, Operation, Result, takes};
use sys::path::{self, Access, DEV_NULL, DEV_ZERO};
use workloads::os::devices::device;
use workloads::repeat::{count_right, repeat};

const IN_PLACE: &str = "A sandbox may replace the device; its device number is checked.";

/// A write to the null device.
pub static WRITE_NULL: Operation = Operation {
    id: "syscall.write.dev_null",
    title: "one write of 1 byte to /dev/null",
    one_iteration: "one write of one byte, which must succeed",
    method: "write of one byte to /dev/null, kept open, in a loop: a call through the file layer to a device that does \
             nothing. method=libc: write of the C library; method=raw: the system-call instruction.",
    confounds: IN_PLACE,
    sources: &[
        ("R1, 3 Fig 3", "write() in a loop; to which file is not said"),
        ("lmbench", "lat_syscall write"),
    ],
    predict: &["floors(1)", "handler(1)", "method=libc: C library(1)"],
    evidence: &["answers = 1: the write gave 1 every time", "calls: write 1", "undisturbed loop"],
    parameters: takes::<Call>,
    points: METHODS,
    run: |bench| {
        let null = device(DEV_NULL, Access::Write)?;
        if bench.parameters::<Call>()?.method == Method::Raw {
            repeat(bench, |turn| null.write_all(&[turn as u8]).map(|()| true))
        } else {
            repeat(bench, |turn| null.write_all_by_libc(&[turn as u8]).map(|()| true))
        }
    },
    ..CARD
};

/// A read from the zero device.
pub static READ_ZERO: Operation = Operation {
    id: "syscall.read.dev_zero",
    title: "one read of 1 byte from /dev/zero",
    one_iteration: "one read of one byte, which must be zero",
    method: "read of one byte from /dev/zero, kept open, in a loop; the buffer is not zero before the call. \
             method=libc: read of the C library; method=raw: the system-call instruction.",
    confounds: IN_PLACE,
    sources: &[("lmbench", "lat_syscall read")],
    predict: &["floors(1)", "handler(1)", "method=libc: C library(1)"],
    evidence: &["answers = 1: the byte was zero every time", "calls: read 1", "undisturbed loop"],
    parameters: takes::<Call>,
    points: METHODS,
    headline: &[("method=libc", "read of 1 byte, /dev/zero")],
    run: |bench| {
        let zero = device(DEV_ZERO, Access::Read)?;
        let not_zero = |turn| [turn as u8 | 1];
        if bench.parameters::<Call>()?.method == Method::Raw {
            repeat(bench, |turn| {
                let mut byte = not_zero(turn);
                zero.read_all(&mut byte)?;
                Ok(byte == [0])
            })
        } else {
            repeat(bench, |turn| {
                let mut byte = not_zero(turn);
                zero.read_all_by_libc(&mut byte)?;
                Ok(byte == [0])
            })
        }
    },
    ..CARD
};

/// The status of an open file.
pub static FSTAT: Operation = Operation {
    id: "syscall.fstat",
    title: "one fstat of /dev/null",
    one_iteration: "one fstat, which must give the file's inode",
    method: "fstat of /dev/null, kept open, by the system-call instruction, in a loop.",
    confounds: "glibc 2.33 to 2.38 makes newfstatat with an empty name of it, which takes a little longer; network file systems \
                take much longer.",
    sources: &[("lmbench", "lat_syscall fstat, of a file")],
    predict: &["reference path(1)"],
    evidence: &["answers = 1: device and inode were right every time", "calls: fstat 1", "undisturbed loop"],
    run: |bench| {
        let file = device(DEV_NULL, Access::Read)?;
        let identity = path::stat(DEV_NULL)?.identity();
        repeat(bench, |_| Ok(path::fstat(&file)?.identity() == identity))
    },
    ..CARD
};

/// The status of a file by its name.
pub static STAT: Operation = Operation {
    id: "syscall.stat",
    title: "one stat of /dev/null",
    one_iteration: "one stat of /dev/null, which must give the file's inode",
    revision: 2,
    method: "stat of the C library, which makes newfstatat of it, with the name /dev/null, in a loop: two names are \
             looked up in the dentry cache, and a mount is crossed where /dev is one.",
    confounds: "Every further component of the name adds to it. A name that is not cached, or on a network file system, costs \
                more.",
    sources: &[("lmbench", "lat_syscall stat, of a file with a longer name")],
    predict: &["floors(1)", "handler(1)", "C library(1)"],
    evidence: &[
        "answers = 1: device and inode were right every time",
        "calls: newfstatat 1",
        "undisturbed loop",
    ],
    run: |bench| {
        let identity = path::fstat(&device(DEV_NULL, Access::Read)?)?.identity();
        repeat(bench, |_| Ok(path::stat(DEV_NULL)?.identity() == identity))
    },
    ..CARD
};

/// An open and a close.
const OPEN_CLOSE: Operation = Operation {
    one_iteration: "one open of /dev/null, which must give the lowest free descriptor, and one close",
    revision: 2,
    method: "open and close of the C library with /dev/null, in a loop: a short name, the same on every machine, without \
             I/O.",
    confounds: "File systems have an open method, which may read a disk or ask a server. Longer names take longer to look \
                up.",
    sources: &[
        ("R4, 4.3", "open for reading, open for writing and close of a file, each by itself"),
        ("lmbench", "lat_syscall open, of a file, for reading"),
    ],
    predict: &["floors(2)", "handler(2)", "C library(2)"],
    evidence: &[
        "answers = 1: every open gave the same descriptor, so every close freed it",
        "calls: openat 1, close 1",
        "undisturbed loop",
    ],
    bounds: &["floors(2)"],
    ..CARD
};

/// Open for reading, and close.
pub static OPEN_CLOSE_READ: Operation = Operation {
    id: "syscall.open_close.read",
    title: "open for reading + close of /dev/null",
    run: |bench| open_and_close(bench, Access::Read),
    ..OPEN_CLOSE
};

/// Open for writing, and close.
pub static OPEN_CLOSE_WRITE: Operation = Operation {
    id: "syscall.open_close.write",
    title: "open for writing + close of /dev/null",
    run: |bench| open_and_close(bench, Access::Write),
    ..OPEN_CLOSE
};

/// Every open must give the lowest free descriptor, which the first one of each batch finds.
#[inline(always)]
fn open_and_close(bench: &mut Bench<'_>, access: Access) -> Result<()> {
    drop(device(DEV_NULL, access)?);
    bench.slope(&mut |n| {
        let lowest = path::open_and_close(DEV_NULL, access)?;
        count_right(n, |_| Ok(path::open_and_close(DEV_NULL, access)? == lowest))
    })
}
