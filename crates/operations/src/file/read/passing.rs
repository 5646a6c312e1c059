//! Reads through the cache that leave nothing there, and the first read after a file was opened.

use super::cached::plot;
use crate::file::DEVICE;
use crate::file::workloads::device;
use measure::{Operation, Point};

/// Through the cache, without staying there.
pub static DONTCACHE: Operation = Operation {
    id: "file.read.dontcache",
    title: "read of 4 KiB of a file through the cache without staying there",
    one_iteration: "one preadv2 of a block with RWF_DONTCACHE, whose first and last word must be what was written there",
    method: "As file.read.uncached, but with RWF_DONTCACHE (Linux 6.14): pages that a read brings into the cache are \
             dropped when they have been read. Nothing of the file may be in the cache afterwards.",
    confounds: "What is read ahead lies in the cache in large pieces, and the first read of a part of one drops all \
                of it: blocks of 4 KiB in order are read more than once, which device.bytes per byte asked shows. \
                Below the device nothing is emptied.",
    sources: &[
        ("fio", "uncached=1 since 3.39"),
        ("R0, R2", "F_NOCACHE of another kernel, the nearest relative"),
    ],
    points: |_| Point::all("access=sequential bytes=16MiB; access=random bytes=64MiB"),
    plot: Some(plot),
    predict: &[
        "t0 uncached read of a block",
        "software t1 an uncached read = [file.read.uncached access={access} bytes={bytes}]",
        "software t1 page dropped = path(500, 6) (×1.8: a page taken out of the index and the lists of the \
         cache, its buffers let go, given back) × cycle_ns",
    ],
    evidence: &[
        "blocks from the device(4096)",
        "cache.emptied = 1: nothing of it was in the cache before it was read",
        "cache.left 0..0.05: what was read did not stay in the cache",
    ],
    run: device::read_without_caching,
    ..DEVICE
};

/// The first read after a file was opened.
pub static FIRST: Operation = Operation {
    id: "file.read.first_block",
    title: "opening a file and reading its first block, nothing of it in the cache",
    one_iteration: "one open of the file and one pread of a block of its, which must hold what was written there",
    method: "The file's cache is emptied before each iteration and found empty; then the file is opened by its place \
             below /proc and one block at a random place is read, without read-ahead: what a read costs that is the \
             first. Opening, reading ahead and looking for the place on the disk are in it, and in no other point.",
    confounds: "The file's own description (inode and extents) stays in the kernel's memory: no ordinary user can drop \
                that for one file alone.",
    sources: &[(
        "R0, R3",
        "in the mean of a whole file: start and steady reads in one number (E40)",
    )],
    points: |_| Point::all("access=random bytes=64MiB"),
    predict: &["first read of a file(1)"],
    evidence: &[
        "blocks from the device(2049)",
        "cache.emptied = 1: nothing of it was in the cache before it was opened",
    ],
    run: device::open_and_read,
    ..DEVICE
};
