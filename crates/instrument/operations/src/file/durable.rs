//! Durable writes: O_DIRECT, write and sync, sync alone.

use super::DEVICE;
use measure::{Actors, Operation, takes};
use workloads::file::write::{DurableWrite, Timed, write_durably};
use workloads::file::write_beside::write_beside_writer;

/// Confounds of durable writes.
const DURABLE: &str = "Durability is claimed by the device: its own cache, or that of a virtual machine's host, may complete \
                       the write or the flush early. Overwrites only: the first write of a block also allocates it.";

/// O_DIRECT.
pub static DIRECT: Operation = Operation {
    id: "file.write.direct",
    title: "one 4 KiB O_DIRECT `pwrite`, overwrite",
    one_iteration: "one O_DIRECT pwrite of random data over an allocated block",
    method: "The first trial fills a file of 4 MiB with random data and syncs it. Blocks are overwritten with O_DIRECT, each timed \
             individually. At the end every block that was written is verified with O_DIRECT reads.",
    confounds: DURABLE,
    sources: &[("fio", "direct=1, rw=randwrite or write, bs=4k, depth 1")],
    parameters: takes::<DurableWrite>,
    points: &["access=sequential|random"],
    predict: &[
        "t0 floors(1)",
        "hardware t0 write to the device = device_write",
        "hardware t1 O_DIRECT read of a block = [file.read.direct access=sequential file_size=64MiB]",
    ],
    evidence: &[
        "answers = 1: every write was complete",
        "written",
        "cache.left = 0: nothing was cached",
        "requests for written blocks",
    ],
    tail: &["access=random"],
    run: |bench| write_durably(bench, Timed::DirectWrite),
    ..DEVICE
};

/// write and fsync.
pub static FSYNC: Operation = Operation {
    id: "file.write.fsync",
    title: "one 4 KiB `pwrite` + `fsync`, overwrite",
    one_iteration: "one pwrite over an allocated block and one fsync",
    method: "The first trial fills a file of 4 MiB with random data and syncs it. Blocks in random order are each overwritten and the \
             file synced, timed together. Afterwards no page of the file may be dirty (cachestat).",
    confounds: DURABLE,
    sources: &[
        ("fio", "fsync=1, rw=randwrite, bs=4k"),
        ("postgresql", "pg_test_fsync, fsync: 8 KiB, the same block again and again"),
    ],
    predict: &[
        // As many writes as with fdatasync: timestamps change once in a tick, and most overwrites have no transaction to commit.
        "write and sync(1)",
        "hardware t1 sync = [file.sync bytes=4KiB]",
    ],
    evidence: &[
        "answers = 1: every write was complete and every sync succeeded",
        "written",
        "pages.left = 0: no dirty page after it",
        "a flush each",
    ],
    tail: &[""],
    headline: &[("", "file write 4 KiB + fsync")],
    channels: &[("", "write 4 KiB + fsync")],
    run: |bench| write_durably(bench, Timed::WriteFsync),
    ..DEVICE
};

/// write and fsync beside a writer.
pub static FSYNC_BESIDE_WRITER: Operation = Operation {
    id: "file.write.fsync.beside_writer",
    title: "one 4 KiB `pwrite` + `fsync` while another process writes",
    actors: Actors::Children,
    method: "As file.write.fsync, while another process writes 1 MiB at a time to a file of its own, without sync, and truncates it at \
             16 MiB. It must have written before the first fsync and after the last. Neither process is pinned.",
    confounds: "An overwrite mostly commits no transaction of the journal; one that does, such as an append, also waits for data of \
                the other file (ext4, data=ordered). The other process keeps a CPU busy. Unlike file.write.fsync, no process is \
                pinned, so that neither waits for the CPU of the other.",
    sources: &[("fio", "a job with fsync=1, bs=4k beside one with rw=write, bs=1m"), ("lmbench", "none")],
    predict: &[
        "write and sync(1)",
        // Most overwrites have no transaction to commit (see file.sync), so that nothing of the other file is waited for.
        "hardware t1 sync = [file.sync bytes=4KiB]",
    ],
    evidence: &[
        "answers = 1: every write was complete and every sync succeeded",
        "written",
        "pages.left = 0: no dirty page after it",
        "a flush each",
        "actors.overlap = 1: the other process wrote before the first fsync and after the last",
    ],
    tail: &[],
    headline: &[],
    channels: &[],
    run: write_beside_writer,
    ..FSYNC
};

/// write and fdatasync.
pub static FDATASYNC: Operation = Operation {
    id: "file.write.fdatasync",
    title: "one 4 KiB `pwrite` + `fdatasync`, overwrite",
    one_iteration: "one pwrite over an allocated block and one fdatasync",
    method: "As file.write.fsync, with fdatasync, which does not write timestamps.",
    confounds: DURABLE,
    sources: &[
        ("fio", "fdatasync=1, rw=randwrite, bs=4k"),
        ("postgresql", "pg_test_fsync, fdatasync: 8 KiB, the same block again and again"),
    ],
    predict: &[
        "write and sync(1)",
        "hardware t1 sequential block writes to the device = [file.write.direct access=random]",
        "hardware t1 device cache flush = [file.sync bytes=0B]",
    ],
    evidence: FSYNC.evidence,
    tail: &[""],
    run: |bench| write_durably(bench, Timed::WriteFdatasync),
    ..DEVICE
};

/// fsync alone.
pub static SYNC: Operation = Operation {
    id: "file.sync",
    title: "fsync of a file with n dirty bytes",
    one_iteration: "one fsync, after which no page of the file is dirty",
    method: "The first trial fills a file of 4 MiB with random data and syncs it. Before each iteration n bytes are overwritten \
             sequentially in the page cache; only the fsync is timed. Exactly these pages must be dirty before it, none \
             after it (cachestat).",
    confounds: "With bytes=0B a file system may still flush the device cache. With a journal, pending changes of other files \
                may be committed, too.",
    sources: &[
        ("fio", "fsync=N, after N writes; the sync is a statistic of its own"),
        ("postgresql", "pg_test_fsync: a write of 8 KiB and the sync, timed together"),
    ],
    parameters: takes::<DurableWrite>,
    points: &[
        "profile=quick: bytes=4KiB",
        "profile=standard: bytes=0B|4KiB|1MiB",
        "profile=thorough: bytes=0B|4KiB|64KiB|1MiB|4MiB",
    ],
    predict: &[
        "t0 floors(1)",
        "hardware t0 device cache flush = device_flush",
        // A block is overwritten in its place, and its timestamps change once in a tick (4 ms): most syncs find no transaction to
        // commit, and wait for the data and a flush.
        "bytes!=0B: hardware t0 write to the device = device_write",
        "bytes!=0B: hardware t1 block written to the device = [file.write.direct access=random]",
        "bytes!=0B: hardware t1 device cache flush = [file.sync bytes=0B]",
        "bytes=8KiB..: hardware t0 further bytes to the device = {bytes / 4096} × device_share",
        "bytes=8KiB..: hardware t1 further bytes at the read rate = {(bytes / 4096 - 1) / 256} × \
         [file.read.direct access=sequential file_size=64MiB block=1MiB]",
    ],
    evidence: &[
        "answers = 1: every sync succeeded",
        "pages.waiting = {bytes / 4096} (if consistent): these pages were dirty before it",
        "pages.left = 0: no dirty page after it",
        // A file system may leave out the flush where nothing was written.
        "bytes!=0B: a flush each",
    ],
    run: |bench| write_durably(bench, Timed::Fsync),
    ..DEVICE
};
