//! Directory operations on a remote file system: lookup and open.

use super::REMOTE;
use measure::Operation;
use workloads::file::remote;

/// Lookup of a missing name.
pub static LOOKUP: Operation = Operation {
    id: "file.remote.lookup",
    title: "lookup of a missing name in a remote directory",
    one_iteration: "one newfstatat of a new missing name, which must return ENOENT",
    method: "Lookups in an empty directory of the run on the remote file system, each with a new missing name and timed \
             individually, so that the dentry cache misses; a reply must arrive over the network for each.",
    sources: &[("fio, lmbench", "none"), ("nfsometer", "counts operations, does not time each")],
    predict: &[
        "t0 floors(1)",
        "request to the server(44 bytes)",
        "software t1 the same on a local file system = [directory.lookup entries=10]",
    ],
    evidence: &["answers = 1: ENOENT every time", "reply of the server"],
    run: remote::look_up_missing,
    ..REMOTE
};

/// open and close.
pub static OPEN: Operation = Operation {
    id: "file.remote.open",
    title: "open + close of a remote file",
    one_iteration: "one openat of a file for reading and one close",
    method: "A file in a directory of the run on the remote file system is opened and closed by its absolute path, each time \
             timed individually. Clients revalidate a file with the server at open, so a reply must arrive over the \
             network for each. A client to which an NFSv4 server delegated the file does not: then it is skipped.",
    sources: &[("lmbench", "lat_syscall open, of a local file")],
    predict: &[
        "t0 floors(1)",
        "request to the server(44 bytes)",
        "software t1 the same on a local file system = [syscall.open_close.read]",
    ],
    evidence: &["answers = 1: open and close succeeded every time", "reply of the server"],
    bounds: &["floors(2)"],
    run: remote::open_and_close,
    ..REMOTE
};
