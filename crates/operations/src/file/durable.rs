//! Writes of blocks until they are on the device: with O_DIRECT, with a sync, and the sync alone.

use super::DEVICE;
use super::workloads::write::{Sync, write_and_wait};
use measure::{Operation, Point};
use record::Profile;

/// What the sources have in common.
const DURABLE: &str = "Whether the data is safe then is the device's word: a cache of its own, or that of a virtual \
                       machine's host, may answer before anything is written. The first write to a place is another \
                       matter where a place must be found.";

/// Past the cache.
pub static DIRECT: Operation = Operation {
    id: "file.write.direct",
    title: "write of 4 KiB of a file with O_DIRECT",
    one_iteration: "one pwrite of a block of random data through O_DIRECT over one that has its place on the disk",
    method: "A file without a name is filled with random data and synced. Blocks are written over through O_DIRECT, each \
             timed alone. In the end every block must hold what was written last, read with O_DIRECT.",
    confounds: DURABLE,
    sources: &[("fio", "direct=1, rw=randwrite or write, bs=4k, depth 1")],
    points: |_| Point::all("access=sequential|random"),
    predict: &[
        "t0 floors(1)",
        "hardware t0 write to the device = device_write",
        "hardware t1 a block read with O_DIRECT = [file.read.direct access=sequential bytes=64MiB]",
    ],
    evidence: &[
        "answers = 1: every write was taken whole",
        "written",
        "cache.left = 0: nothing of it went through the cache",
    ],
    run: |bench| write_and_wait(bench, Sync::Direct),
    ..DEVICE
};

/// With everything that belongs to it.
pub static FSYNC: Operation = Operation {
    id: "file.write.fsync",
    title: "write of 4 KiB and fsync",
    one_iteration: "one pwrite of a block over one that has its place on the disk, and one fsync",
    method: "A file without a name is filled with random data and synced. A block in random order is written over \
             and the file is synced, timed together. After each nothing of the file may be waiting to be written \
             (cachestat).",
    confounds: DURABLE,
    sources: &[("fio", "fsync=1, rw=randwrite, bs=4k")],
    points: |_| vec![Point::only()],
    predict: &[
        // It waits for the data, the journal and its last block.
        "write and sync(3)",
        "hardware t1 the sync = [file.sync bytes=4KiB]",
    ],
    evidence: &[
        "answers = 1: every write was taken whole and every sync succeeded",
        "written",
        "pages.left = 0: none was waiting to be written after it",
    ],
    headline: &[("", "file write 4 KiB + fsync")],
    run: |bench| write_and_wait(bench, Sync::All),
    ..DEVICE
};

/// With what is needed to read it again.
pub static FDATASYNC: Operation = Operation {
    id: "file.write.fdatasync",
    title: "write of 4 KiB and fdatasync",
    one_iteration: "one pwrite of a block over one that has its place on the disk, and one fdatasync",
    method: "As file.write.fsync, with fdatasync, which leaves times of change for later.",
    confounds: DURABLE,
    sources: &[("fio", "fdatasync=1, rw=randwrite, bs=4k")],
    points: |_| vec![Point::only()],
    predict: &[
        "write and sync(1)",
        "hardware t1 blocks to the device, one after another = [file.write.direct access=random]",
        "hardware t1 flush of the device = [file.sync bytes=0B]",
    ],
    evidence: &[
        "answers = 1: every write was taken whole and every sync succeeded",
        "written",
        "pages.left = 0: none was waiting to be written after it",
    ],
    run: |bench| write_and_wait(bench, Sync::Data),
    ..DEVICE
};

/// The sync alone.
pub static SYNC: Operation = Operation {
    id: "file.sync",
    title: "fsync of a file of which so much was written",
    one_iteration: "one fsync, after which nothing of the file waits to be written",
    method: "A file without a name is filled with random data and synced. Before each iteration so many bytes of it are \
             written over, in order and into the cache; only the fsync is timed. Before it these bytes must be waiting \
             to be written, after it none (cachestat).",
    confounds: "Of a file that nothing was written to, a file system may still tell the device to write its cache \
                out: that is what bytes=0B costs then. Where a file system keeps a journal, the changes of all other \
                files that wait for it may go along.",
    sources: &[
        ("fio", "fsync=N"),
        ("sqlite, postgresql", "pg_test_fsync: writes and syncs of 8 KiB"),
    ],
    points: |profile| {
        Point::all(match profile {
            Profile::Quick => "bytes=4KiB",
            Profile::Standard => "bytes=0B|4KiB|1MiB",
            Profile::Thorough => "bytes=0B|4KiB|64KiB|1MiB|4MiB",
        })
    },
    predict: &[
        "t0 floors(1)",
        "hardware t0 flush of the device = device_flush",
        "bytes!=0B: hardware t0 write to the device = 3 × device_write",
        "bytes!=0B: hardware t1 blocks to the device, one after another = 3 × [file.write.direct \
         access=random]",
        "bytes!=0B: hardware t1 flush of the device = [file.sync bytes=0B]",
        // The file system's journal is written by a task of its own, which is woken and wakes.
        "bytes!=0B: software t1 the journal's task woken, and back = 2 × [switch.thread.futex cpu=other]",
        "bytes=8KiB..: hardware t0 more bytes to the device = {bytes / 4096} × device_share",
        "bytes=8KiB..: hardware t1 more bytes, at the rate of reads = {(bytes / 4096 - 1) / 256} × \
         [file.read.direct access=sequential bytes=64MiB block=1MiB]",
    ],
    evidence: &[
        "answers = 1: every sync succeeded",
        "pages.waiting = {bytes / 4096} (if consistent): so many pages were waiting to be written before it",
        "pages.left = 0: none was waiting after it",
    ],
    run: |bench| write_and_wait(bench, Sync::Alone),
    ..DEVICE
};
