//! System calls on files without I/O: devices, status, open and close.

use super::{CARD, METHODS, Service, is_raw};
use measure::{Failure, Operation, Point};
use std::ffi::CStr;
use sys::descriptor::Descriptor;
use sys::path::{self, Access, DEV_NULL, DEV_ZERO};

const IN_PLACE: &str = "A sandbox may replace the device; its device number is checked.";

/// Opens a device and checks its number.
pub(super) fn device(name: &CStr, access: Access) -> Result<Descriptor, Failure> {
    let shown = name.to_string_lossy();
    let remedy = "run where /dev is mounted as usual";
    match path::open_device(name, access) {
        Ok(Some(device)) => Ok(device),
        Ok(None) => Err(Failure::skipped(format!("{shown} is not the device of that name"), remedy)),
        Err(error) => Err(Failure::skipped(format!("{shown} cannot be opened: {error}"), remedy)),
    }
}

/// A write to the null device.
pub static WRITE_NULL: Operation = Operation {
    id: "syscall.write.dev_null",
    title: "one write of 1 byte to /dev/null",
    one_iteration: "one write of one byte, which must succeed",
    method: "write of one byte to /dev/null, kept open, in a loop: a call through the file layer to a device that does \
             nothing. method=libc: write of the C library; method=raw: the system-call instruction.",
    confounds: IN_PLACE,
    sources: &[("R1", "write to /dev/null in a loop"), ("lmbench", "lat_syscall write")],
    predict: &["floors(1)", "handler(1)", "method=libc: C library(1)"],
    evidence: &[
        "answers = 1: the write gave 1 every time",
        "linear",
        "calls: write 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floor"],
    points: |_| Point::all(METHODS),
    run: |bench| {
        if is_raw(bench) {
            super::run::<WriteNull<true>>(bench)
        } else {
            super::run::<WriteNull<false>>(bench)
        }
    },
    ..CARD
};

/// By the system-call instruction if `RAW`.
struct WriteNull<const RAW: bool>(Descriptor);

impl<const RAW: bool> Service for WriteNull<RAW> {
    fn prepare() -> Result<Self, Failure> {
        device(DEV_NULL, Access::Write).map(Self)
    }

    #[inline(always)]
    fn once(&mut self, turn: u64) -> sys::Result<bool> {
        let byte = [turn as u8];
        if RAW {
            self.0.write_all(&byte)?;
        } else {
            self.0.write_all_by_libc(&byte)?;
        }
        Ok(true)
    }
}

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
    evidence: &[
        "answers = 1: the byte was zero every time",
        "linear",
        "calls: read 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floor"],
    points: |_| Point::all(METHODS),
    headline: &[("method=libc", "read of 1 byte, /dev/zero")],
    run: |bench| {
        if is_raw(bench) { super::run::<ReadZero<true>>(bench) } else { super::run::<ReadZero<false>>(bench) }
    },
    ..CARD
};

/// By the system-call instruction if `RAW`.
struct ReadZero<const RAW: bool>(Descriptor);

impl<const RAW: bool> Service for ReadZero<RAW> {
    fn prepare() -> Result<Self, Failure> {
        device(DEV_ZERO, Access::Read).map(Self)
    }

    #[inline(always)]
    fn once(&mut self, turn: u64) -> sys::Result<bool> {
        let mut byte = [turn as u8 | 1];
        if RAW {
            self.0.read_all(&mut byte)?;
        } else {
            self.0.read_all_by_libc(&mut byte)?;
        }
        Ok(byte == [0])
    }
}

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
    evidence: &[
        "answers = 1: device and inode were right every time",
        "linear",
        "calls: fstat 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floor"],
    run: super::run::<Fstat>,
    ..CARD
};

struct Fstat {
    file: Descriptor,
    identity: (u64, u64),
}

impl Service for Fstat {
    fn prepare() -> Result<Self, Failure> {
        let file = device(DEV_NULL, Access::Read)?;
        let identity = path::stat(DEV_NULL)?.identity();
        Ok(Self { file, identity })
    }

    #[inline(always)]
    fn once(&mut self, _: u64) -> sys::Result<bool> {
        Ok(path::fstat(&self.file)?.identity() == self.identity)
    }
}

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
        "linear",
        "calls: newfstatat 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floor"],
    run: super::run::<Stat>,
    ..CARD
};

struct Stat {
    identity: (u64, u64),
}

impl Service for Stat {
    fn prepare() -> Result<Self, Failure> {
        let identity = path::fstat(&device(DEV_NULL, Access::Read)?)?.identity();
        Ok(Self { identity })
    }

    #[inline(always)]
    fn once(&mut self, _: u64) -> sys::Result<bool> {
        Ok(path::stat(DEV_NULL)?.identity() == self.identity)
    }
}

/// An open and a close.
const OPEN_CLOSE: Operation = Operation {
    one_iteration: "one open of /dev/null, which must give the lowest free descriptor, and one close",
    revision: 2,
    method: "open and close of the C library with /dev/null, in a loop: a short name, the same on every machine, without \
             I/O.",
    confounds: "File systems have an open method, which may read a disk or ask a server. Longer names take longer to look \
                up.",
    sources: &[
        ("R4", "open and close of a file, for reading and for writing"),
        ("lmbench", "lat_syscall open, of a file, for reading"),
    ],
    predict: &["floors(2)", "handler(2)", "C library(2)"],
    evidence: &[
        "answers = 1: every open gave the same descriptor, so every close freed it",
        "linear",
        "calls: openat 1, close 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floors(2)"],
    ..CARD
};

/// Open for reading, and close.
pub static OPEN_CLOSE_READ: Operation = Operation {
    id: "syscall.open_close.read",
    title: "open for reading + close of /dev/null",
    run: super::run::<OpenClose<false>>,
    ..OPEN_CLOSE
};

/// Open for writing, and close.
pub static OPEN_CLOSE_WRITE: Operation = Operation {
    id: "syscall.open_close.write",
    title: "open for writing + close of /dev/null",
    run: super::run::<OpenClose<true>>,
    ..OPEN_CLOSE
};

/// Opens for writing if `W`, for reading otherwise.
struct OpenClose<const W: bool> {
    /// The lowest free descriptor before the batch.
    number: usize,
}

impl<const W: bool> OpenClose<W> {
    const ACCESS: Access = if W { Access::Write } else { Access::Read };
}

impl<const W: bool> Service for OpenClose<W> {
    fn prepare() -> Result<Self, Failure> {
        drop(device(DEV_NULL, Self::ACCESS)?);
        Ok(Self { number: 0 })
    }

    fn begin(&mut self) -> sys::Result<()> {
        self.number = path::open_and_close(DEV_NULL, Self::ACCESS)?;
        Ok(())
    }

    #[inline(always)]
    fn once(&mut self, _: u64) -> sys::Result<bool> {
        Ok(path::open_and_close(DEV_NULL, Self::ACCESS)? == self.number)
    }
}
