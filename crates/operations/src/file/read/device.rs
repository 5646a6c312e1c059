//! Reads of blocks that come from the device: with O_DIRECT, through an empty cache, through it without staying.

use super::cached::plot;
use crate::file::DEVICE;
use crate::file::workloads::device;
use measure::{Operation, Point};
use record::Profile;

/// What the sources of all of them have in common.
const BELOW: &str = "Below the device nothing is emptied: a disk's own cache, or that of a virtual machine's host, \
                     which no guest can drop. There the first read of a block ever takes up to ten times as long as \
                     all later ones.";

/// Past the cache.
pub static DIRECT: Operation = Operation {
    id: "file.read.direct",
    title: "read of 4 KiB of a file with O_DIRECT",
    one_iteration: "one pread of a block through O_DIRECT, whose first and last word must be what was written there",
    method: "A file of random data was written and synced in this run, and lies on a device by its extents (FIEMAP). Its \
             last bytes, as many as the point says, are read block by block with O_DIRECT, whose alignment is asked for \
             (statx), in order or in random order; each read is timed alone. block=1MiB reads larger pieces: the \
             device's rate.",
    confounds: BELOW,
    sources: &[
        ("R3", "O_DIRECT, files of 4 MB to 1 GB"),
        ("R0, R2", "F_NOCACHE, which still reads what is in the cache"),
        ("fio", "direct=1, bs=4k, psync or io_uring at depth 1"),
    ],
    points: |profile| {
        let sizes = match profile {
            Profile::Quick => "64MiB",
            Profile::Standard => "1MiB|64MiB|256MiB",
            Profile::Thorough => "1MiB|16MiB|64MiB|256MiB|1GiB",
        };
        Point::all(&format!(
            "access=sequential bytes=64MiB; access=random bytes={sizes}; access=sequential bytes=64MiB block=1MiB"
        ))
    },
    plot: Some(plot),
    predict: &[
        "block=*: hardware t0 1 MiB from the device = 256 × device_share",
        "block!=*: t0 floors(1)",
        "block!=*: hardware t0 read of the device = device_read",
        "block!=*: t0 request to the device",
        // The same device, the same queue: where a block lies is all that differs.
        "bytes!=64MiB block!=*: hardware t1 a block in order, with O_DIRECT = [file.read.direct \
         access=sequential bytes=64MiB]",
        "bytes=64MiB access=random: hardware t1 a block in order, with O_DIRECT = [file.read.direct \
         access=sequential bytes=64MiB]",
    ],
    evidence: &["blocks from the device(1.001)"],
    headline: &[("access=random bytes=64MiB", "file read 4 KiB, O_DIRECT")],
    run: device::read_past_the_cache,
    ..DEVICE
};

/// Through the cache, which was emptied.
pub static UNCACHED: Operation = Operation {
    id: "file.read.uncached",
    title: "read of 4 KiB of a file that is not in the cache",
    one_iteration: "one pread of a block that comes from the device, whose first and last word must be what was \
                    written there",
    method: "The file's cache alone is emptied (POSIX_FADV_DONTNEED) and found empty (cachestat, or mincore); nobody \
             else loses anything. access=random: the kernel is told to expect random reads (POSIX_FADV_RANDOM) and \
             each read is timed alone. access=stride: it is told nothing, and each read is timed alone. \
             access=sequential: it is told nothing and reads ahead; all blocks are read in one pass, which is timed, \
             to its end, divided by their number, and begins with the cache empty again.",
    confounds: BELOW,
    sources: &[
        ("R0", "purge, files of 4 KiB to 256 MiB, sparse or of zeros (E21)"),
        ("R3", "drop_caches, files of 4 MB to 1 GB"),
        ("R2", "F_NOCACHE"),
        ("fio", "direct=0 invalidate=1"),
    ],
    points: |profile| {
        Point::all(match profile {
            Profile::Quick => "access=sequential bytes=1MiB|16MiB; access=random bytes=64MiB",
            Profile::Standard => {
                "access=sequential bytes=64KiB|1MiB|16MiB; access=random bytes=64MiB; \
                 access=stride bytes=64MiB stride=16KiB|256KiB"
            }
            Profile::Thorough => {
                "access=sequential bytes=4KiB|64KiB|1MiB|16MiB|256MiB; access=random bytes=64MiB; \
                 access=stride bytes=64MiB stride=8KiB|16KiB|64KiB|256KiB|1MiB"
            }
        })
    },
    plot: Some(plot),
    predict: &["uncached read of a block"],
    evidence: &[
        "access!=stride: blocks from the device(1.001)",
        // With strides the kernel may read what lies between.
        "access=stride: blocks from the device(4096)",
        "cache.emptied = 1: nothing of it was in the cache before it was read",
    ],
    bounds: &[
        "access=random: > [file.read.cached access=sequential bytes=64KiB]: the block is copied out of the \
         cache as a cached one is, and comes there first",
        "access!=random: floor",
    ],
    run: device::read_uncached,
    ..DEVICE
};
