//! Reads of blocks from the device: with O_DIRECT, and through a cold page cache.

use super::cached::plot;
use crate::file::DEVICE;
use measure::{Operation, takes};
use workloads::file::device::DirectRead;
use workloads::file::{FileRead, device};

/// Confounds of reads from a device.
const BELOW: &str = "Caches below the device are not dropped: the disk's own, or that of a virtual machine's host. There the \
                     very first read of a block takes up to ten times as long as later ones.";

/// O_DIRECT.
pub static DIRECT: Operation = Operation {
    id: "file.read.direct",
    title: "one 4 KiB O_DIRECT `pread`",
    one_iteration: "one O_DIRECT pread of a block, first and last word checked",
    method: "A file of random data was written and synced in this run; its extents (FIEMAP) prove that it is on a device. \
             Its last n bytes are read block by block with O_DIRECT (alignment by statx), sequentially or in random \
             order; each read is timed individually. block=1MiB measures the device's throughput.",
    confounds: "Caches below the device are not dropped: the disk's own, or that of a virtual machine's host. There the \
                very first read of a block takes up to ten times as long as later ones. The CPU idles while it waits. For some \
                45 ms after a process was made it keeps its tick; later it stops the tick, and a read takes 8 to 10 µs more on \
                guests (42 and 52 µs). Trials are young, so a program that reads for seconds has the longer time. idle=busy \
                has neither.",
    sources: &[
        ("R3, 6.2.1", "O_DIRECT, files of 4 MB to 1 GB"),
        ("R0, 2", "uncached reads of blocks of 4 K and 256 K, sequential and random: 84, 754, 34, 421 MB/s"),
        ("R0, 6.2.1", "F_NOCACHE of OS X, after purge"),
        ("R2, 6.4", "F_NOCACHE of macOS"),
        ("fio", "direct=1, bs=4k, psync or io_uring at depth 1"),
        ("will-it-scale", "read3, read4: O_DIRECT, a page at a time of 1 MiB, and the empty read at its end"),
    ],
    parameters: takes::<DirectRead>,
    points: &[
        "profile=quick: access=sequential|random file_size=64MiB",
        "profile=standard: access=sequential file_size=64KiB|64MiB; access=random file_size=64KiB|1MiB|64MiB|256MiB",
        "profile=thorough: access=sequential|random file_size=4KiB|16KiB|64KiB|256KiB|1MiB|4MiB|16MiB|64MiB|256MiB|1GiB",
        "access=sequential file_size=64MiB block=1MiB",
        "profile!=quick: access=sequential|random file_size=64MiB block=256KiB",
        "profile!=quick: access=random file_size=64MiB idle=busy|polling",
    ],
    plot: Some(plot),
    predict: &[
        "block=1MiB: hardware t0 1 MiB from the device = 256 × device_share",
        "block=256KiB: hardware t0 256 KiB from the device = 64 × device_share",
        "block=256KiB: hardware t0 read of the device = device_read",
        // A larger read waits once for the device; the rest of its time is that of its bytes.
        "block=256KiB: let t1 wait = [file.read.direct access=sequential file_size=64MiB]",
        "block=256KiB: hardware t1 a wait, and a quarter of the bytes of 1 MiB = wait + max(0 ns, {252 / 1020} × \
         ([file.read.direct access=sequential file_size=64MiB block=1MiB] − wait))",
        "block!=*: t0 floors(1)",
        "block!=*: hardware t0 read of the device = device_read",
        "block!=*: t0 request to the device",
        // Same device and queue: only the position of the block differs.
        "file_size!=64MiB block!=*: hardware t1 sequential O_DIRECT read of a block = [file.read.direct \
         access=sequential file_size=64MiB]",
        "file_size=64MiB access=random: hardware t1 sequential O_DIRECT read of a block = [file.read.direct \
         access=sequential file_size=64MiB]",
    ],
    evidence: &["blocks from the device(1.001)"],
    tail: &["access=random file_size=64MiB"],
    headline: &[("access=random file_size=64MiB", "file read 4 KiB, O_DIRECT")],
    run: device::read_direct,
    ..DEVICE
};

/// Cold cache.
pub static UNCACHED: Operation = Operation {
    id: "file.read.uncached",
    title: "one 4 KiB `pread`, cold page cache",
    one_iteration: "one pread of a block from the device through the page cache, first and last word checked",
    method: "Only this file's cache is dropped (POSIX_FADV_DONTNEED) and checked (cachestat or mincore). access=random: \
             POSIX_FADV_RANDOM disables readahead, and each read is timed individually. access=stride: no advice, each \
             read timed individually. access=sequential: no advice, so the kernel reads ahead; a pass over all blocks is \
             timed and divided by their number, each pass with a cold cache.",
    confounds: BELOW,
    sources: &[
        ("R0, 6.2.1", "purge and F_NOCACHE, files of 4 KB to 256 MB"),
        ("R2, 6.2", "sync and purge between tests, lines of a file"),
        (
            "R3, 6.3.1",
            "drop_caches for remote files, by a command that as printed writes nothing; for local ones O_DIRECT (6.2.1)",
        ),
        ("fio", "direct=0 invalidate=1, its default: the cache is dropped once, before the job"),
    ],
    parameters: takes::<FileRead>,
    points: &[
        "profile=quick: access=sequential file_size=1MiB|16MiB; access=random file_size=64MiB",
        "profile=standard: access=sequential file_size=4KiB|64KiB|1MiB|16MiB; access=random file_size=64KiB|1MiB|64MiB; \
         access=stride file_size=64MiB stride=16KiB|256KiB",
        "profile=thorough: access=sequential|random file_size=4KiB|16KiB|64KiB|256KiB|1MiB|4MiB|16MiB|64MiB|256MiB|1GiB; \
         access=stride file_size=64MiB stride=8KiB|16KiB|64KiB|256KiB|1MiB",
    ],
    plot: Some(plot),
    predict: &["uncached read of a block"],
    evidence: &[
        "access!=stride: blocks from the device(1.001)",
        // With strides the kernel may also read the gaps.
        "access=stride: blocks from the device(4096)",
        "cache.emptied = 1: nothing was cached before the read",
    ],
    bounds: &[
        "access=random: > [file.read.cached access=sequential file_size=64KiB]: a cold read includes a \
         cached one",
        "access!=random: floor",
    ],
    run: device::read_uncached,
    ..DEVICE
};
