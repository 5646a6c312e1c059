//! Commits: group commit by n writers, and the atomic replacement of a file.

use super::DEVICE;
use measure::{How, Operation, Rehearse, takes};
use quantity::Quantity;
use record::{Plot, Scale};
use workloads::file::commit::{GroupCommit, commit_in_groups};
use workloads::file::replace::replace_file;

/// Group commit.
pub static COMMIT: Operation = Operation {
    id: "file.commit",
    title: "commit of a 4 KiB record by n concurrent writers, time per commit",
    one_iteration: "one append of 4 KiB and one fdatasync, with n writers at the same time",
    method: "n threads each append 4 KiB to an unnamed file and call fdatasync, eight times. log=own: each has its own file; \
             log=shared: all append to one. A value is the time from a common barrier until the last writer has ended, divided by \
             all commits. At the end every record is read back, and first and last word are checked.",
    confounds: "Time per commit, not the latency of one, which is up to n times as long. An append extends the file, so that each \
                commit writes the journal of the file system, too. Durability is claimed by the device: its own cache, or that of \
                a virtual machine's host, may complete the flush early.",
    sources: &[
        (
            "fio",
            "rw=write, bs=4k, fdatasync=1, numjobs=n, on new files, with fallocate=none, because its default allocates them \
             before",
        ),
        (
            "postgresql",
            "pg_test_fsync: one writer, 8 KiB at the beginning of an allocated file, fdatasync; commit_delay groups commits",
        ),
        ("filebench", "logs of its OLTP mix written with O_DSYNC; fsync in its mail server's"),
    ],
    parameters: takes::<GroupCommit>,
    points: &[
        "writers=1|2|4 log=own; writers=4 log=shared",
        "profile=thorough: writers=8|16 log=own; writers=1|2|8|16 log=shared",
    ],
    plot: Some(|| Plot { scale: Scale::Linear, ..Plot::logarithmic("writers", "writers", Quantity::Count) }),
    predict: &[
        // A transaction of the journal: the data, then the journal, then the commit record between two flushes (jbd2, and the log
        // of xfs); all writers that wait for it are committed by it.
        "writers=1: hardware t0 data, journal, commit record to the device = 3 × device_write",
        "writers=1: hardware t0 flushes before and after the commit record = 2 × device_flush",
        "writers=1: hardware t1 data, journal, commit record to the device = 3 × [file.write.direct access=random]",
        "writers=1: hardware t1 flushes before and after the commit record = 2 × [file.sync bytes=0B]",
        "writers!=1: hardware t0 share of a transaction's writes = {3 / writers} × device_write",
        "writers!=1: hardware t0 share of its flushes = {2 / writers} × device_flush",
        "writers!=1: hardware t1 share of a transaction = {1 / writers} × [file.commit writers=1 log=own]",
    ],
    evidence: &[
        "answers = 1: every writer appended its records",
        "written",
        "device.flushes {0.95 / writers}..1e9: the cache of the device was flushed at least once for n commits",
    ],
    spend_ns: 60_000_000,
    run: commit_in_groups,
    ..DEVICE
};

/// Atomic replacement.
pub static REPLACE: Operation = Operation {
    id: "file.replace",
    title: "atomic replacement of a 4 KiB file: write, fsync, rename, fsync of the directory",
    one_iteration: "one new file of 4 KiB created, written and synced, renamed over another one, and the directory synced",
    how: How::Each,
    rehearse: Rehearse::Calls,
    method: "In a directory of the run, a file is created (O_EXCL), written, synced and closed, takes the name of the file before it by \
             renameat2, and the directory is synced, all timed together. Afterwards, outside of the time, the file is read by its \
             name: it must have the new data, and the other name must be gone.",
    confounds: "Durability is claimed by the device: its own cache, or that of a virtual machine's host, may complete the flush \
                early. With a journal, pending changes of other files are committed, too.",
    sources: &[
        (
            "sqlite, editors, package managers",
            "the usual way to replace a file so that a crash leaves the old or the new one",
        ),
        ("fio, lmbench", "none"),
    ],
    predict: &[
        "t0 floors(6)",
        // Two transactions, as in file.commit: of the new file with its data, and of the directory without data.
        "hardware t0 data, and journal and commit record twice, to the device = 5 × device_write",
        "hardware t0 flushes before and after the commit records = 4 × device_flush",
        "hardware t1 data, and journal and commit record twice, to the device = 5 × [file.write.direct access=random]",
        "hardware t1 flushes before and after the commit records = 4 × [file.sync bytes=0B]",
        "software t1 file created and renamed = [file.create file_size=4KiB] + [file.rename]",
    ],
    evidence: &[
        "answers = 1: the name led to the new data, and the other name was gone",
        "calls.fsync 1.99..2.01: the file and the directory were synced",
        "calls.renameat2 0.99..1.01: the file was renamed",
        "a flush each",
    ],
    bounds: &["> [file.rename]: it includes a rename"],
    run: replace_file,
    ..DEVICE
};
