//! open and close of a file by its name, each without the other.

use super::names::NAMES;
use measure::{Operation, takes};
use workloads::descriptors::Timed;
use workloads::file::opening::{OpenedFile, open_or_close_files};

/// open.
pub static OPEN: Operation = Operation {
    id: "file.open",
    title: "open of a file",
    one_iteration: "one openat of a file, which must give a new descriptor",
    method: "openat by the system-call instruction with a name relative to the directory, in a loop that keeps the descriptors; they \
             are closed between two batches. Each opens another file of the trial's own directory. access=read|write: files \
             of 4 KiB keep their content; access=truncate: O_TRUNC discards it; access=create: O_CREAT makes each file. \
             Batches have at most 800 iterations.",
    sources: &[(
        "R4, 4.3",
        "open for reading and for writing, 35 times as expensive: probably the second created or truncated the file",
    )],
    parameters: takes::<OpenedFile>,
    points: &["access=read|write|truncate|create"],
    predict: &[
        "access!=create: floors(1)",
        "access=read|write: software t0 name looked up, file allocated, opened = path(1700, 14) (×1.8: a component of a name, \
         permissions, a file and a descriptor allocated, the file system's method) × cycle_ns",
        "access=read: software t1 open of a device = [syscall.open access=read] − [syscall.floor]",
        "access=write: software t1 open of a device = [syscall.open access=write] − [syscall.floor]",
        "access=truncate: software open for writing = path(1700, 14) (×1.8: a component of a name, a file and a descriptor allocated) × cycle_ns",
        "access=truncate: software block freed, inode changed in the journal = path(9000, 60) (×2.5: pages dropped from the cache, \
         extents removed, a transaction of the journal) × cycle_ns",
        "access=create: t0 floors(1)",
        "access=create: software t0 inode and directory entry created, file opened = path(17000, 80) (×1.8: as file.create, \
         whose file is closed, too) × cycle_ns",
        "access=create: software t1 a file created and closed = [file.create file_size=0B] − [file.close access=write]",
    ],
    evidence: &[
        "answers = 1: every open gave a descriptor that was not open",
        "linear",
        "calls: openat 1",
        "undisturbed",
    ],
    bounds: &["floor"],
    run: |bench| open_or_close_files(bench, Timed::Open),
    ..NAMES
};

/// close.
pub static CLOSE: Operation = Operation {
    id: "file.close",
    title: "close of a file",
    one_iteration: "one close of a file's descriptor",
    method: "Files of 4 KiB are opened between two batches and closed in a loop. Nothing was written. Batches have at most 800 \
             iterations.",
    sources: &[("R4, 4.3", "close of a file")],
    parameters: takes::<OpenedFile>,
    points: &["access=read|write"],
    predict: &[
        "t0 floors(1)",
        "software t0 descriptor and file released = path(700, 8) (×1.7: as syscall.close) × cycle_ns",
        "software t1 close of a device = [syscall.close]",
    ],
    evidence: &[
        "answers = 1: every descriptor was open before the batch",
        "linear",
        "calls: close 1",
        "undisturbed",
    ],
    bounds: &["floor"],
    run: |bench| open_or_close_files(bench, Timed::Close),
    ..NAMES
};
