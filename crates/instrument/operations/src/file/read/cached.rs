//! Reads of cached blocks: by pread and through a mapping.

use crate::file::COMMON;
use measure::{Operation, takes};
use quantity::Quantity;
use record::Plot;
use workloads::file::{FileRead, cached};

/// One pread per block; files that fit the processor's caches, and larger ones.
pub static CACHED: Operation = Operation {
    id: "file.read.cached",
    title: "one 4 KiB `pread`, page cache hit",
    one_iteration: "one pread of a 4 KiB block, first and last word checked",
    method: "A file of random data was written and synced in this run. Its cache is dropped, and its last n bytes are read \
             in order by 1 MiB reads, so that the cache has the same folios in every trial. All pages must be cached \
             before each batch (cachestat or mincore). Blocks are read sequentially or in random order, each once per \
             lap.",
    confounds: "The folio size of the page cache, 4 KiB or larger by how the file was written or read, changes the cost by a \
                third. Large reads make the largest folios that the file system supports; on tmpfs the folios are those \
                of the 1 MiB writes. Small files stay in the processor's caches, large ones do not.",
    sources: &[
        ("R0, 6.1", "second read of files of random data, 1 to 6 GB, as the time per GB"),
        ("R2, 6.1", "second read of portions of a file of random data"),
        ("R3, 6.1.1", "ten reads after a first one, as the time per block"),
        ("lmbench", "none in lat_fs; bw_file_rd reads 64 KiB at a time"),
        ("fio", "psync, bs=4k, pre_read=1"),
        ("will-it-scale", "pread1: the same 4 KiB"),
        ("libMicro", "pread -s 1k to 100k: the same bytes"),
    ],
    parameters: takes::<FileRead>,
    points: &[
        "profile=quick: access=sequential|random file_size=64KiB|16MiB",
        "profile=standard: access=sequential|random file_size=64KiB|1MiB|16MiB",
        "profile=thorough: access=sequential|random file_size=64KiB|1MiB|16MiB|256MiB",
    ],
    plot: Some(plot),
    predict: &["cached read of a block(1)"],
    evidence: &[
        "answers = 1: every block had the expected content",
        "blocks from the cache",
        "calls: pread64 1",
    ],
    bounds: &["floor", "copy of a block"],
    headline: &[("access=random file_size=16MiB", "file read 4 KiB, cached")],
    run: cached::read_blocks,
    ..COMMON
};

/// Through a mapping.
pub static MAPPED: Operation = Operation {
    id: "file.read.mapped",
    title: "4 KiB copy out of a mapped file, page cache hit",
    one_iteration: "one copy of a 4 KiB block out of a mapping, first and last word checked",
    method: "As file.read.cached, but the file is mapped and every page was touched before: no system call, no fault, only \
             the copy of each block.",
    confounds: "The first touch of each page is a fault (fault.file.minor if cached, fault.file.major if not). These are not \
                included and dominate the cost of a mapping that is read once.",
    sources: &[
        ("lmbench", "bw_mmap_rd: sums words"),
        ("fio", "mmap engine, bs=4k, pre_read=1; the first touches of the mapping are timed, too"),
    ],
    parameters: takes::<FileRead>,
    points: &[
        "profile!=thorough: access=sequential|random file_size=64KiB|16MiB",
        "profile=thorough: access=sequential|random file_size=64KiB|16MiB|256MiB",
    ],
    plot: Some(plot),
    predict: &[
        "hardware t0 4 KiB copied = 400 cycles (×1.9: 4 KiB at 10 bytes a cycle: rep movsb from L2 \
         or the last-level cache) × cycle_ns",
        "block copied out of a file",
        "hardware walk of the page table = 30 cycles (×2: a hardware page-table walk per page, from \
         L1 and L2) × cycle_ns",
    ],
    evidence: &["answers = 1: every block had the expected content", "blocks from the cache", "calls: none"],
    bounds: &["copy of a block"],
    run: cached::copy_mapped_blocks,
    ..COMMON
};

/// By file size; all methods share one plot.
pub fn plot() -> Plot {
    Plot {
        family: Some("file.read".to_owned()),
        ..Plot::logarithmic("file_size", "size of the file", Quantity::Size)
    }
}
