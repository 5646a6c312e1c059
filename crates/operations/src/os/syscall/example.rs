//! Reading from /dev/null: a system call that goes through the file layer and finds the end of the file.

use super::{CARD, Service};
use measure::{Failure, Operation};
use sys::descriptor::Descriptor;
use sys::path::{Access, DEV_NULL, open_device};

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
    evidence: &[
        "answers = 1: the device had no byte every time",
        "linear",
        "calls: read 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floor"],
    run: super::run::<ReadNull>,
    ..CARD
};

struct ReadNull(Descriptor);

impl Service for ReadNull {
    fn prepare() -> Result<Self, Failure> {
        let absent = || Failure::skipped("/dev/null is not there", "run where /dev is mounted as usual");
        open_device(DEV_NULL, Access::Read)?.map(Self).ok_or_else(absent)
    }

    fn once(&mut self, _: u64) -> sys::Result<bool> {
        Ok(sys::Error::check("read", self.0.read(&mut [0]))? == 0)
    }
}
