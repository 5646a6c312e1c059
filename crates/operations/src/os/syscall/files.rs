//! What files answer at once: devices that do nothing, their status, opening and closing.

use super::{CARD, METHODS, Service, is_raw};
use measure::{Failure, Operation, Point};
use std::ffi::CStr;
use sys::descriptor::Descriptor;
use sys::path::{self, Access, DEV_NULL, DEV_ZERO};

const IN_PLACE: &str =
    "A sandbox may put something else in the place of a device; the kernel is asked which device it is.";

/// A device, known to be the right one.
fn device(name: &CStr, access: Access) -> Result<Descriptor, Failure> {
    let shown = name.to_string_lossy();
    let remedy = "run where /dev is mounted as usual";
    match path::open_device(name, access) {
        Ok(Some(device)) => Ok(device),
        Ok(None) => Err(Failure::skipped(
            format!("{shown} is not the device of that name"),
            remedy,
        )),
        Err(error) => Err(Failure::skipped(
            format!("{shown} cannot be opened: {error}"),
            remedy,
        )),
    }
}

/// A write to the null device.
pub static WRITE_NULL: Operation = Operation {
    id: "syscall.write.dev_null",
    title: "write one byte to /dev/null",
    one_iteration: "one write of one byte, which the device must take",
    method: "write of one byte to /dev/null, kept open, in a loop: a call through the file layer to a device that does \
             nothing. method=libc: write of the C library; method=raw: the system-call instruction.",
    confounds: IN_PLACE,
    sources: &[
        ("R1", "write to /dev/null in a loop"),
        ("lmbench", "lat_syscall write"),
    ],
    predict: &[
        "floors(1)",
        "software handler = path(180, 0) (×1.5: descriptor, access check, security hook, the handler itself, \
         notification, accounting) × cycle_ns",
        "method=libc: C library",
    ],
    evidence: &[
        "answers = 1: the device took the byte every time",
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
    title: "read one byte from /dev/zero",
    one_iteration: "one read of one byte, which must be zero",
    method: "read of one byte from /dev/zero, kept open, in a loop; the buffer holds something else before each call. \
             method=libc: read of the C library; method=raw: the system-call instruction.",
    confounds: IN_PLACE,
    sources: &[("lmbench", "lat_syscall read")],
    predict: &[
        "floors(1)",
        "software handler = path(345, 0) (×1.5: as a write to /dev/null (180), a vector of one buffer (80), \
         one byte cleared in user space (45, and as long again for a string instruction)) × cycle_ns",
        "method=libc: C library",
    ],
    evidence: &[
        "answers = 1: the device gave a zero every time",
        "linear",
        "calls: read 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floor"],
    points: |_| Point::all(METHODS),
    headline: &[("method=libc", "read of 1 byte, /dev/zero")],
    run: |bench| {
        if is_raw(bench) {
            super::run::<ReadZero<true>>(bench)
        } else {
            super::run::<ReadZero<false>>(bench)
        }
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
    title: "status of an open file",
    one_iteration: "one fstat, which must tell the file's number",
    method: "fstat of /dev/null, kept open, in a loop, by the call of that name.",
    confounds: "C libraries since 2021 ask newfstatat with an empty name instead, which takes a little \
                longer; file systems that ask a server take much longer.",
    sources: &[("lmbench", "lat_syscall fstat, of a file")],
    predict: &[
        "floors(1)",
        "software handler = path(320, 0) (×1.5: descriptor, security hook, attributes and their times \
         gathered (170), put into the old shape and copied (150)) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the kernel told the file's device and number every time",
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
    title: "status of a file by its name",
    one_iteration: "one stat of /dev/null, which must tell the file's number",
    method: "newfstatat, which is what C libraries make of stat, with the name /dev/null, in a loop: two \
             names are looked up in the kernel's cache of names, and a mount is crossed where /dev is one.",
    confounds: "Every further part of a name adds to it; a name that is not in the cache, or on a remote \
                file system, is another matter.",
    sources: &[("lmbench", "lat_syscall stat, of a file with a longer name")],
    predict: &[
        "t0 floors(1)",
        "software t0 handler = path(1000, 2) (×1.5: as fstat (320), less its descriptor; the name copied \
         into a buffer of its own (170), two names hashed, permitted and found (310), a mount crossed (60), \
         references taken and given back (200)) × cycle_ns",
        "hardware t1 status of an open file = [syscall.fstat]",
        "software t1 finding it by name = path(700, 2) (×1.5: the name copied into a buffer of its own \
         (170), two names hashed, permitted and found (310), a mount crossed (60), references taken and \
         given back (200), no descriptor (-40)) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the kernel told the file's device and number every time",
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
    one_iteration: "one openat of /dev/null, which must give the lowest free number, and one close",
    method: "/dev/null is opened and closed in a loop. It is the same file on every machine, with a short name, needs no \
             writing to any disk, and leaves nothing behind.",
    confounds: "Files of a file system have an opening of their own, which may look at the disk or ask a server, and \
                files opened to be written may be cut; longer names take longer to look up.",
    sources: &[
        (
            "R4",
            "open and close of a file, for reading and for writing apart",
        ),
        ("lmbench", "lat_syscall open, of a file, for reading"),
    ],
    predict: &[
        "t0 floors(2)",
        "software t0 handler = path(1600, 19) (×1.6: the name found as stat does (750), a number and a file allocated \
         (260), opened by the device (240), installed; closed, flushed, released and freed (330)) × cycle_ns",
        "hardware t1 the floor of the second call = [syscall.floor]",
        "software t1 finding it by name = [syscall.stat]",
        "software t1 a file made, opened, released, freed = path(580, 17) (×1.6: a number and a file allocated (260), \
         opened by the device (240), closed, flushed, released, freed (330), less the attributes that stat tells (250)) \
         × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every open gave the same lowest free number, so every close freed it",
        "linear",
        "calls: openat 1, close 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floors(2)"],
    ..CARD
};

/// Opened to be read, and closed.
pub static OPEN_CLOSE_READ: Operation = Operation {
    id: "syscall.open_close.read",
    title: "open to read, and close",
    run: super::run::<OpenClose<false>>,
    ..OPEN_CLOSE
};

/// Opened to be written, and closed.
pub static OPEN_CLOSE_WRITE: Operation = Operation {
    id: "syscall.open_close.write",
    title: "open to write, and close",
    run: super::run::<OpenClose<true>>,
    ..OPEN_CLOSE
};

/// Opened to be written if `W`, to be read otherwise.
struct OpenClose<const W: bool> {
    /// The lowest free number before the batch.
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
