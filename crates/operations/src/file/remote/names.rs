//! Names on a remote file system: looked for, and opened.

use super::{CONFOUNDS, READS, REMOTE, Traffic};
use crate::file::stock::refused;
use measure::{Bench, Failure, Operation};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use sys::clock::Clock;
use sys::names::{Folder, Name};
use sys::path::{self, Access};

/// A name that nobody has.
pub static LOOKUP: Operation = Operation {
    id: "file.remote.lookup",
    title: "looking for a name that is not there in a remote directory",
    one_iteration: "one newfstatat of a name that was never asked for, which must not be there",
    method: "Names that are not there are asked for in an empty directory of the run on the remote file system, a new \
             one each time and timed alone, so that no cache of names can answer; an answer must come over the \
             network for each.",
    confounds: CONFOUNDS,
    sources: &[
        ("fio, lmbench", "none"),
        ("nfsometer", "operations counted, not timed one by one"),
    ],
    predict: &[
        "t0 floors(1)",
        "request to the server(44 bytes)",
        "software t1 the same of a local directory, at the server = [directory.lookup entries=10]",
    ],
    evidence: &[
        "answers = 1: the name was not there every time",
        "an answer of the server",
    ],
    bounds: &["floor"],
    run: |bench| {
        let folder = Folder::open(&bench.remote_directory()?.folder)?;
        let seed = bench.seed();
        let mut next = 0;
        each(bench, &mut || {
            next += 1;
            let name = Name::new("absent", seed.wrapping_add(next));
            Ok(folder.stat(&name).is_err_and(|error| error.is_missing()))
        })
    },
    ..REMOTE
};

/// A name that is there.
pub static OPEN: Operation = Operation {
    id: "file.remote.open",
    title: "opening and closing a remote file",
    one_iteration: "one openat of a file for reading and one close",
    method: "A file in a directory of the run on the remote file system is opened and closed by its whole path, time and \
             again, each time timed alone. Clients ask the server at each open whether the file is still the same, so an \
             answer must come over the network for each.",
    confounds: CONFOUNDS,
    sources: &[("lmbench", "lat_syscall open, of a local file")],
    predict: &[
        "t0 floors(1)",
        "request to the server(44 bytes)",
        "software t1 the same of a local directory, at the server = [syscall.open_close.read]",
    ],
    evidence: &[
        "answers = 1: the file could be opened and closed every time",
        "an answer of the server",
    ],
    bounds: &["floors(2)"],
    run: |bench| {
        let path = &bench.remote_directory()?.folder;
        let folder = Folder::open(path)?;
        let name = Name::new("opened", u64::from(std::process::id()));
        folder.create(&name, &[1; 4096]).map_err(refused)?;
        let whole = path.join(format!("opened{}", std::process::id()));
        let whole = CString::new(whole.as_os_str().as_bytes())
            .map_err(|_| Failure::Failed("the directory's name has a zero in it".to_owned()))?;
        let result = each(bench, &mut || {
            Ok(path::open_and_close(&whole, Access::Read).is_ok())
        });
        folder.remove(&name)?;
        result
    },
    ..REMOTE
};

/// Times what it is given time and again, each time alone.
fn each(bench: &mut Bench<'_>, once: &mut dyn FnMut() -> Result<bool, Failure>) -> Result<(), Failure> {
    let (clock, spend) = (
        Clock::select(),
        i64::try_from(bench.spend_ns()).unwrap_or(i64::MAX),
    );
    let (mut times, mut right) = (Vec::with_capacity(READS.1), 0);
    // What is asked first is not what is asked time and again.
    once()?;
    let traffic = Traffic::begin(bench)?;
    let first = clock.moment();
    while times.len() < READS.1 && (times.len() < READS.0 || clock.moment().nanos_since(first) < spend) {
        let began = clock.moment();
        right += u64::from(once()?);
        times.push(clock.moment().nanos_since(began) as f64);
    }
    let count = times.len() as f64;
    traffic.tell(bench, count);
    bench.count("answers", right as f64, count);
    bench.values(times);
    Ok(())
}
