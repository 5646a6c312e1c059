//! Reads with RWF_DONTCACHE, and open with the first read.

use super::cached::plot;
use crate::file::DEVICE;
use measure::{Operation, takes};
use workloads::file::{FileRead, device};

/// RWF_DONTCACHE.
pub static DONTCACHE: Operation = Operation {
    id: "file.read.dontcache",
    title: "one 4 KiB `preadv2` with RWF_DONTCACHE, cold page cache",
    one_iteration: "one preadv2 of a block with RWF_DONTCACHE, first and last word checked",
    method: "As file.read.uncached, but with RWF_DONTCACHE (Linux 6.14): pages are dropped from the cache after the read. \
             Nothing of the file may be cached afterwards.",
    confounds: "Readahead makes large folios, and the first read of a part drops the whole folio: sequential 4 KiB blocks are \
                read from the device more than once (device.bytes). Caches below the device are not dropped.",
    sources: &[
        ("fio", "uncached=1 since 3.40"),
        ("R0, 6.2.1", "F_NOCACHE of another kernel, the closest equivalent, after purge"),
        ("R2, 6.4", "F_NOCACHE"),
    ],
    parameters: takes::<FileRead>,
    points: &["access=sequential file_size=16MiB; access=random file_size=64MiB"],
    plot: Some(plot),
    predict: &[
        "t0 uncached read of a block",
        "software t1 uncached read = [file.read.uncached access={access} file_size={file_size}]",
        // After a miss the kernel reads four or eight blocks ahead, in folios that the first read of a part drops.
        "access=sequential: let misses = 0.2 (×1.6: one in four to eight blocks: the first window, get_init_ra_size in mm/readahead.c)",
        "access=sequential: hardware t0 dropped blocks read again = misses × device_read",
        "access=sequential: hardware t1 dropped blocks read again = misses × [file.read.direct access=random file_size=64MiB]",
        "software t1 page dropped = path(500, 6) (×1.8: a page removed from the index and LRU \
         lists, freed with its buffers) × cycle_ns",
    ],
    evidence: &[
        "blocks from the device(4096)",
        "cache.emptied = 1: nothing was cached before the read",
        "cache.left 0..0.05: the pages did not stay cached",
    ],
    run: device::read_without_caching,
    ..DEVICE
};

/// open and first read.
pub static FIRST_BLOCK: Operation = Operation {
    id: "file.read.first_block",
    title: "open + first 4 KiB `pread`, cold page cache",
    one_iteration: "one open and one pread of a block, content checked",
    method: "The file's cache is dropped and checked before each iteration; then the file is opened through /proc/self/fd and \
             one block at a random offset is read. Includes open, readahead setup and extent lookup, unlike the other \
             points.",
    confounds: "Inode and extents stay cached: they cannot be dropped for one file without privilege.",
    sources: &[(
        "R0, 6.2.4",
        "the first seek is in the mean of a whole file: small files are slower, it says",
    )],
    parameters: takes::<FileRead>,
    points: &["access=random file_size=64MiB"],
    predict: &["first read of a file(1)"],
    evidence: &["blocks from the device(2049)", "cache.emptied = 1: nothing was cached before the open"],
    run: device::open_and_read,
    ..DEVICE
};
