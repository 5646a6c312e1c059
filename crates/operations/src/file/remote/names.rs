//! Names on a remote file system: looked for, and opened.

use super::{CONFOUNDS, REMOTE};
use crate::file::workloads::remote;
use measure::Operation;

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
    run: remote::look_up_missing,
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
    run: remote::open_and_close,
    ..REMOTE
};
