//! Uncontended locks of a byte of a file, by owner.

use super::CARD;
use measure::{Bench, Operation, Result};
use sys::lock::{LockedFile, Owner};
use workloads::repeat::repeat_and_check;

/// A lock and an unlock.
const LOCK: Operation = Operation {
    revision: 2,
    one_iteration: "one lock of a byte and one unlock, uncontended",
    confounds: "On network file systems every lock asks the server.",
    sources: &[("lmbench", "lat_fcntl: ping-pong of two processes over locks")],
    predict: &["floors(2)", "handler(2)", "C library(2)"],
    evidence: &[
        "answers = 1: both calls succeeded every time, and the byte was free after every batch",
        "calls: fcntl 2",
        "undisturbed loop",
    ],
    bounds: &["floors(2)"],
    ..CARD
};

/// A record lock.
pub static RECORD: Operation = Operation {
    id: "syscall.lock.record",
    title: "fcntl(F_SETLK), lock + unlock of one byte",
    method: "fcntl of the C library with F_SETLK locks the first byte of a memfd for writing and unlocks it, by one task.",
    sources: &[
        ("lmbench", "lat_fcntl: ping-pong of two processes over locks"),
        ("will-it-scale", "lock1: F_SETLKW, of a file in /tmp; lock and unlock are counted one by one"),
    ],
    run: |bench| lock_and_unlock(bench, Owner::Process),
    ..LOCK
};

/// A lock of the open file.
pub static OPEN_FILE: Operation = Operation {
    id: "syscall.lock.open_file",
    title: "fcntl(F_OFD_SETLK), lock + unlock of one byte",
    method: "fcntl of the C library with F_OFD_SETLK locks the first byte of a memfd for writing and unlocks it, by one \
             task.",
    run: |bench| lock_and_unlock(bench, Owner::OpenFile),
    ..LOCK
};

fn lock_and_unlock(bench: &mut Bench<'_>, owner: Owner) -> Result<()> {
    let file = LockedFile::new(owner)?;
    let once = |_| {
        file.lock()?;
        file.unlock().map(|()| true)
    };
    repeat_and_check(bench, once, || Ok(!file.is_locked()?))
}
