//! What files answer at once: devices that do nothing, their status, opening and closing.

use super::{Path, Service, operation};
use measure::{Failure, Operation, core_cycles, term};
use record::{Formula, Side, Term};
use std::ffi::CStr;
use sys::descriptor::Descriptor;
use sys::path::{self, Access, DEV_NULL, DEV_ZERO};

/// A write to the null device.
pub static WRITE_NULL: Operation = operation::<WriteNull>();
/// A read from the zero device.
pub static READ_ZERO: Operation = operation::<ReadZero>();
/// The status of an open file.
pub static FSTAT: Operation = operation::<Fstat>();
/// The status of a file by its name.
pub static STAT: Operation = operation::<Stat>();
/// Opened to be read, and closed.
pub static OPEN_CLOSE_READ: Operation = operation::<OpenClose<false>>();
/// Opened to be written, and closed.
pub static OPEN_CLOSE_WRITE: Operation = operation::<OpenClose<true>>();

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

struct WriteNull(Descriptor);

impl Service for WriteNull {
    const ID: &'static str = "syscall.write.dev_null";
    const TITLE: &'static str = "write one byte to /dev/null";
    const ITERATION: &'static str = "one write of one byte, which the device must take";
    const METHOD: &'static str = "write with one byte to /dev/null, kept open, in a loop: a call through the file layer \
                                  to a device that does nothing.";
    const CONFOUNDS: &'static str = IN_PLACE;
    const SOURCES: &'static [(&'static str, &'static str)] = &[
        ("R1", "write to /dev/null in a loop"),
        ("lmbench", "lat_syscall write"),
    ];
    const CALLS: &'static [(&'static str, f64)] = &[("write", 1.0)];
    const ANSWERS: &'static str = "the device took the byte every time";
    const PATH: Path = Path {
        instructions: 180.0,
        locked: 0.0,
        within: 1.5,
        source: "descriptor, access check, security hook, the handler itself, notification, accounting",
    };

    fn prepare() -> Result<Self, Failure> {
        device(DEV_NULL, Access::Write).map(Self)
    }

    #[inline(always)]
    fn once(&mut self, turn: u64) -> sys::Result<bool> {
        self.0.write_all(&[turn as u8])?;
        Ok(true)
    }
}

struct ReadZero(Descriptor);

impl Service for ReadZero {
    const ID: &'static str = "syscall.read.dev_zero";
    const TITLE: &'static str = "read one byte from /dev/zero";
    const ITERATION: &'static str = "one read of one byte, which must be zero";
    const METHOD: &'static str = "read of one byte from /dev/zero, kept open, in a loop; the buffer holds something else \
                                  before each call.";
    const CONFOUNDS: &'static str = IN_PLACE;
    const SOURCES: &'static [(&'static str, &'static str)] = &[("lmbench", "lat_syscall read")];
    const CALLS: &'static [(&'static str, f64)] = &[("read", 1.0)];
    const ANSWERS: &'static str = "the device gave a zero every time";
    const PATH: Path = Path {
        instructions: 345.0,
        locked: 0.0,
        within: 1.5,
        source: "as a write to /dev/null (180), a vector of one buffer (80), one byte cleared in user space (45, and as long again for a string instruction)",
    };

    fn prepare() -> Result<Self, Failure> {
        device(DEV_ZERO, Access::Read).map(Self)
    }

    #[inline(always)]
    fn once(&mut self, turn: u64) -> sys::Result<bool> {
        let mut byte = [turn as u8 | 1];
        self.0.read_all(&mut byte)?;
        Ok(byte == [0])
    }
}

struct Fstat {
    file: Descriptor,
    identity: (u64, u64),
}

impl Service for Fstat {
    const ID: &'static str = "syscall.fstat";
    const TITLE: &'static str = "status of an open file";
    const ITERATION: &'static str = "one fstat, which must tell the file's number";
    const METHOD: &'static str = "fstat of /dev/null, kept open, in a loop, by the call of that name.";
    const CONFOUNDS: &'static str = "C libraries since 2021 ask newfstatat with an empty name instead, which takes a \
                                     little longer; file systems that ask a server take much longer.";
    const SOURCES: &'static [(&'static str, &'static str)] = &[("lmbench", "lat_syscall fstat, of a file")];
    const CALLS: &'static [(&'static str, f64)] = &[("fstat", 1.0)];
    const ANSWERS: &'static str = "the kernel told the file's device and number every time";
    const PATH: Path = Path {
        instructions: 320.0,
        locked: 0.0,
        within: 1.5,
        source: "descriptor, security hook, attributes and their times gathered (170), put into the old shape and copied (150)",
    };

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

struct Stat {
    identity: (u64, u64),
}

impl Service for Stat {
    const ID: &'static str = "syscall.stat";
    const TITLE: &'static str = "status of a file by its name";
    const ITERATION: &'static str = "one stat of /dev/null, which must tell the file's number";
    const METHOD: &'static str = "newfstatat, which is what C libraries make of stat, with the name /dev/null, in a loop: \
                                  two names are looked up in the kernel's cache of names, and a mount is crossed where \
                                  /dev is one.";
    const CONFOUNDS: &'static str = "Every further part of a name adds to it; a name that is not in the cache, or on a \
                                     remote file system, is another matter.";
    const SOURCES: &'static [(&'static str, &'static str)] =
        &[("lmbench", "lat_syscall stat, of a file with a longer name")];
    const CALLS: &'static [(&'static str, f64)] = &[("newfstatat", 1.0)];
    const ANSWERS: &'static str = "the kernel told the file's device and number every time";
    const PATH: Path = Path {
        instructions: 1000.0,
        locked: 2.0,
        within: 1.5,
        source: "as fstat (320), less its descriptor; the name copied into a buffer of its own (170), two names hashed, permitted and found (310), a mount crossed (60), references taken and given back (200)",
    };

    fn prepare() -> Result<Self, Failure> {
        let identity = path::fstat(&device(DEV_NULL, Access::Read)?)?.identity();
        Ok(Self { identity })
    }

    #[inline(always)]
    fn once(&mut self, _: u64) -> sys::Result<bool> {
        Ok(path::stat(DEV_NULL)?.identity() == self.identity)
    }

    fn from_parts() -> Vec<Term> {
        let name = Path {
            instructions: 700.0,
            locked: 2.0,
            within: 1.5,
            source: "the name copied into a buffer of its own (170), two names hashed, permitted and found (310), a \
                     mount crossed (60), references taken and given back (200), no descriptor (-40)",
        };
        vec![
            term(
                Side::Hardware,
                "status of an open file",
                Formula::part("syscall.fstat", ""),
            ),
            term(Side::Software, "finding it by name", core_cycles(name.formula())),
        ]
    }
}

/// Opened to be written if `W`, to be read otherwise.
struct OpenClose<const W: bool> {
    /// The lowest free number before the batch.
    number: usize,
}

impl<const W: bool> OpenClose<W> {
    const ACCESS: Access = if W { Access::Write } else { Access::Read };
}

impl<const W: bool> Service for OpenClose<W> {
    const ID: &'static str = if W {
        "syscall.open_close.write"
    } else {
        "syscall.open_close.read"
    };
    const TITLE: &'static str = if W {
        "open to write, and close"
    } else {
        "open to read, and close"
    };
    const ITERATION: &'static str =
        "one openat of /dev/null, which must give the lowest free number, and one close";
    const METHOD: &'static str = "/dev/null is opened and closed in a loop. It is the same file on every machine, with a \
                                  short name, needs no writing to any disk, and leaves nothing behind.";
    const CONFOUNDS: &'static str = "Files of a file system have an opening of their own, which may look at the disk or \
                                     ask a server, and files opened to be written may be cut; longer names take longer \
                                     to look up.";
    const SOURCES: &'static [(&'static str, &'static str)] = &[
        (
            "R4",
            "open and close of a file, for reading and for writing apart",
        ),
        ("lmbench", "lat_syscall open, of a file, for reading"),
    ];
    const CALLS: &'static [(&'static str, f64)] = &[("openat", 1.0), ("close", 1.0)];
    const ANSWERS: &'static str = "every open gave the same lowest free number, so every close freed it";
    const PATH: Path = Path {
        instructions: 1600.0,
        locked: 19.0,
        within: 1.6,
        source: "the name found as stat does (750), a number and a file allocated (260), opened by the device (240), installed; closed, flushed, released and freed (330)",
    };

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

    fn from_parts() -> Vec<Term> {
        let file = Path {
            instructions: 580.0,
            locked: 17.0,
            within: 1.6,
            source: "a number and a file allocated (260), opened by the device (240), closed, flushed, released, freed \
                     (330), less the attributes that stat tells (250)",
        };
        vec![
            term(
                Side::Hardware,
                "the floor of the second call",
                Formula::part("syscall.floor", ""),
            ),
            term(
                Side::Software,
                "finding it by name",
                Formula::part("syscall.stat", ""),
            ),
            term(
                Side::Software,
                "a file made, opened, released, freed",
                core_cycles(file.formula()),
            ),
        ]
    }
}
