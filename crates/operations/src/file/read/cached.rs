//! Reads of blocks that are in the kernel's cache: by a call, and by a mapping.

use crate::file::COMMON;
use crate::file::workloads::cached;
use measure::{Operation, Point};
use quantity::Quantity;
use record::{Plot, Profile};

/// By a call for each block.
pub static CACHED: Operation = Operation {
    id: "file.read.cached",
    title: "read of 4 KiB of a file that is in the cache",
    one_iteration: "one pread of a block of 4 KiB, whose first and last word must be what was written there",
    method: "A file of random data was written and synced in this run. Its cache is emptied, and the last bytes of it, \
             as many as the point says, are fetched in order by reads of 1 MiB, so that the cache is made of the same \
             pieces in every trial. All of them must be in the cache before each batch (cachestat, or mincore). Blocks \
             are read one after another or in random order, every block once in a lap.",
    confounds: "What the cache is made of hides in it: pages of 4 KiB or larger pieces, by how a file was written or \
                fetched, change the cost by a third. Here it is fetched far ahead, which makes the largest pieces that \
                the file system knows; where a file lies in memory (tmpfs) it is as it was written, by 1 MiB. Small \
                files stay in the processor's caches, large ones do not.",
    sources: &[
        (
            "R0",
            "second read of a file, called cached; sparse or zero files (E21)",
        ),
        ("R2", "read of a file line by line"),
        ("R3", "second read of a file"),
        ("lmbench", "lat_fs does not; bw_file_rd reads 64 KiB at a time"),
        ("fio", "psync, bs=4k, after a first pass"),
    ],
    points: cached_points,
    plot: Some(plot),
    predict: &["cached read of a block(1)"],
    evidence: &[
        "answers = 1: every block held what was written to it",
        "blocks from the cache",
        "calls: pread64 1",
    ],
    bounds: &["floor", "copy of a block"],
    headline: &[("access=random bytes=16MiB", "file read 4 KiB, cached")],
    run: cached::read_blocks,
    ..COMMON
};

/// By a mapping.
pub static MAPPED: Operation = Operation {
    id: "file.read.mapped",
    title: "copy of 4 KiB of a mapped file that is in the cache",
    one_iteration: "one copy of a block of 4 KiB out of a mapping, whose first and last word must be what was written there",
    method: "As file.read.cached, but the file is mapped and every page of the mapping was touched before: no call \
             and no fault is left, and each block is copied by the processor.",
    confounds: "The first touch of each page is a fault: fault.file.minor where the file is in the cache, \
                fault.file.major where it is not. Both are left out here, and are most of the cost of a mapping that \
                is read once.",
    sources: &[
        ("R2", "a mapped file, read once"),
        ("lmbench", "bw_mmap_rd: words summed up"),
        ("fio", "mmap engine, bs=4k"),
    ],
    points: |profile| {
        cached_points(profile)
            .into_iter()
            .filter(|point| point.get("bytes") != Some("1MiB"))
            .collect()
    },
    plot: Some(plot),
    predict: &[
        "hardware t0 4 KiB copied = 400 cycles (×1.9: 4 KiB at 10 bytes a cycle: rep movsb from lines of the \
         second or last cache) × cycle_ns",
        "block copied out of a file",
        "hardware walk of the page table = 30 cycles (×2: a walk of the page table for each page, by the \
         hardware, from near caches) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every block held what was written to it",
        "blocks from the cache",
        "calls: none",
    ],
    bounds: &["copy of a block"],
    run: cached::copy_mapped_blocks,
    ..COMMON
};

/// Sizes of the file, small enough for the processor's caches, and larger than most of them.
fn cached_points(profile: Profile) -> Vec<Point> {
    Point::all(match profile {
        Profile::Quick => "access=sequential|random bytes=64KiB|16MiB",
        Profile::Standard => "access=sequential|random bytes=64KiB|1MiB|16MiB",
        Profile::Thorough => "access=sequential|random bytes=64KiB|1MiB|16MiB|256MiB",
    })
}

/// Along the file's size; all ways to read share one plot.
pub fn plot() -> Plot {
    Plot {
        family: Some("file.read".to_owned()),
        ..Plot::logarithmic("bytes", "size of the file", Quantity::Size)
    }
}
