//! Uncontended locks of a byte of a file, by owner.

use super::{CARD, Service};
use measure::{Failure, Operation};
use sys::lock::{LockedFile, Owner};

/// A lock and an unlock.
const LOCK: Operation = Operation {
    revision: 2,
    one_iteration: "one lock of a byte and one unlock, uncontended",
    confounds: "On network file systems every lock asks the server.",
    sources: &[("lmbench", "lat_fcntl: ping-pong of two processes over locks")],
    predict: &["floors(2)", "handler(2)", "C library(2)"],
    evidence: &[
        "answers = 1: both calls succeeded every time, and the byte was free after every batch",
        "linear",
        "calls: fcntl 2",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floors(2)"],
    ..CARD
};

/// A record lock.
pub static RECORD: Operation = Operation {
    id: "syscall.lock.record",
    title: "fcntl(F_SETLK), lock + unlock of one byte",
    method: "fcntl of the C library with F_SETLK locks the first byte of a memfd for writing and unlocks it, by one task.",
    run: super::run::<Lock<false>>,
    ..LOCK
};

/// A lock of the open file.
pub static OPEN_FILE: Operation = Operation {
    id: "syscall.lock.open_file",
    title: "fcntl(F_OFD_SETLK), lock + unlock of one byte",
    method: "fcntl of the C library with F_OFD_SETLK locks the first byte of a memfd for writing and unlocks it, by one \
             task.",
    run: super::run::<Lock<true>>,
    ..LOCK
};

/// Owned by the open file if `F`, by the process otherwise.
struct Lock<const F: bool>(LockedFile);

impl<const F: bool> Service for Lock<F> {
    fn prepare() -> Result<Self, Failure> {
        let owner = if F { Owner::OpenFile } else { Owner::Process };
        Ok(Self(LockedFile::new(owner)?))
    }

    #[inline(always)]
    fn once(&mut self, _: u64) -> sys::Result<bool> {
        self.0.lock()?;
        self.0.unlock()?;
        Ok(true)
    }

    fn is_restored(&mut self) -> sys::Result<bool> {
        Ok(!self.0.is_locked()?)
    }
}
