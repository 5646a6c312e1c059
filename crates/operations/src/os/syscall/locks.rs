//! Locks of a byte of a file that nobody else wants, by who owns them.

use super::{Path, Service, operation};
use measure::{Failure, Operation};
use std::marker::PhantomData;
use sys::lock::{LockedFile, Owner};

/// A record lock.
pub static RECORD: Operation = operation::<Lock<ByProcess>>();
/// A lock of the open file.
pub static OPEN_FILE: Operation = operation::<Lock<ByOpenFile>>();

/// Who owns a lock, and what differs with it.
trait Owned {
    const OWNER: Owner;
    const ID: &'static str;
    const TITLE: &'static str;
    const METHOD: &'static str;
}

struct ByProcess;

impl Owned for ByProcess {
    const OWNER: Owner = Owner::Process;
    const ID: &'static str = "syscall.lock.record";
    const TITLE: &'static str = "take and give back a record lock";
    const METHOD: &'static str = "fcntl with F_SETLK locks the first byte of a file in memory (memfd) for writing and unlocks it, by one task. The file has no name and is gone with the process.";
}

struct ByOpenFile;

impl Owned for ByOpenFile {
    const OWNER: Owner = Owner::OpenFile;
    const ID: &'static str = "syscall.lock.open_file";
    const TITLE: &'static str = "take and give back a lock of the open file";
    const METHOD: &'static str = "fcntl with F_OFD_SETLK locks the first byte of a file in memory (memfd) for writing and unlocks it, by one task. The file has no name and is gone with the process.";
}

struct Lock<O>(LockedFile, PhantomData<O>);

impl<O: Owned> Service for Lock<O> {
    const ID: &'static str = O::ID;
    const TITLE: &'static str = O::TITLE;
    const ITERATION: &'static str = "one lock of a byte and one unlock, nobody else wanting it";
    const METHOD: &'static str = O::METHOD;
    const CONFOUNDS: &'static str = "Nobody contends; on remote file systems every lock asks the server.";
    const SOURCES: &'static [(&'static str, &'static str)] =
        &[("lmbench", "lat_fcntl: a ping-pong of two processes over locks")];
    const CALLS: &'static [(&'static str, f64)] = &[("fcntl", 2.0)];
    const ANSWERS: &'static str = "both calls succeeded every time, and the byte was free after every batch";
    const PATH: Path = Path {
        instructions: 1300.0,
        locked: 10.0,
        within: 1.6,
        source: "six records allocated, cleared and freed (800), structure copied and checked, file looked up (160), list searched and joined under a lock (340), for both calls",
    };

    fn prepare() -> Result<Self, Failure> {
        Ok(Self(LockedFile::new(O::OWNER)?, PhantomData))
    }

    #[inline(always)]
    fn once(&mut self, _: u64) -> sys::Result<bool> {
        self.0.lock()?;
        self.0.unlock()?;
        Ok(true)
    }

    fn settled(&mut self) -> sys::Result<bool> {
        Ok(!self.0.is_locked()?)
    }
}
