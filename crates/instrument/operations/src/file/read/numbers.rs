//! Reference methods: a file of numbers read line by line, and a "random access" that scans it.

use crate::file::COMMON;
use measure::{How, Operation, Rehearse, takes};
use quantity::Quantity;
use record::{Need, Plot};
use workloads::file::numbers;
use workloads::file::numbers::NumbersRead;

/// In a local directory.
pub static LOCAL: Operation = Operation {
    id: "file.read.numbers",
    title: "a file of numbers read line by line, or scanned for a random one (wrong)",
    one_iteration: "open of a file, its lines read up to the last or to a random number, close",
    method: "A file holds the numbers from 0 on, one on each line, about n bytes in all. access=sequential reads all lines by the \
             buffered reader of Rust's standard library. access=random scans from the first line to a random number. The \
             file was just written and is cached.",
    confounds: "Up to 8 KiB both are one read and some work in the library. R2 did as many searches as the file has lines, so that \
                its time grew with the square of the size.",
    sources: &[("R2", "files of 20 B to 11 KiB, all lines, or a search for each of n random numbers")],
    wrong: "a scan from the beginning is not random access: it reads the same offsets as the sequential case (E17)",
    right: ("file.read.cached", "access=random bytes=64KiB"),
    how: How::Each,
    rehearse: Rehearse::Nothing,
    parameters: takes::<NumbersRead>,
    points: &[
        "profile!=thorough: access=sequential|random bytes=20B|11KiB",
        "profile=thorough: access=sequential|random bytes=20B|140B|890B|3890B|11KiB",
    ],
    plot: Some(|| Plot::logarithmic("bytes", "size of the file", Quantity::Size)),
    predict: &[
        "access=sequential: let share = 1",
        "access=random: let share = 0.5",
        "t0 floors(4)",
        "software t0 open, status, close = path(4000, 30) (×2: a name looked up, a file allocated, opened by its file system; closed, \
         freed) × cycle_ns",
        "software t1 open and close = 2 × [syscall.open_close.read]",
        "software t1 reads = {1 + bytes / 8192} × [file.read.cached access=sequential bytes=64KiB]",
        "software line found, copied, parsed = share × {bytes / 4.5 * 150} cycles (×2: a line of 4 or 5 bytes found, \
         copied to an allocated string, parsed, freed) × cycle_ns",
    ],
    evidence: &["answers = 1: the number was found on its own line", "undisturbed"],
    bounds: &["floors(3)"],
    run: |bench| numbers::run(bench, bench.directory()?),
    ..COMMON
};

/// In a remote directory.
pub static REMOTE: Operation = Operation {
    id: "file.remote.read.numbers",
    title: "a remote file of numbers read line by line, or scanned for a random one (wrong)",
    method: "As file.read.numbers, with the file in the remote directory.",
    confounds: "What is cached at the client, and whether an open asks the server, depends on the file system and its mount options.",
    sources: &[("R2", "the same over NFS, called the network penalty")],
    wrong: "the client's cache serves the reads, and only open contacts the server (E22): no penalty per block follows from it",
    right: ("file.remote.read.direct", "access=random bytes=16MiB server_cache=warm"),
    needs: |_| vec![Need::RemoteDirectory],
    predict: &[],
    run: |bench| numbers::run(bench, bench.remote_directory()?),
    ..LOCAL
};
