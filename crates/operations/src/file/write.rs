//! Writes of blocks into the cache.

use super::COMMON;
use super::workloads::write;
use measure::{Operation, Point};

/// Into the cache.
pub static BUFFERED: Operation = Operation {
    id: "file.write.buffered",
    title: "write of 4 KiB over a file in the cache",
    one_iteration: "one pwrite of a block of random data over one that is in the cache, which must be taken whole",
    method: "A file without a name is filled with random data by calls of 4 KiB or 1 MiB (fill_write), and synced. Its \
             blocks are written over, in order or in random order, each with its own data; nothing waits for the \
             disk. In the end every block must hold what was written last.",
    confounds: "The kernel writes the blocks to the disk some seconds later, in the background, where others may pay \
                for it. How the file was written first hides in its cache: in large pieces a write of one block \
                costs several times as much on some file systems. Appending is another matter: pages must be had, \
                and places on the disk be promised.",
    sources: &[
        ("lmbench", "lmdd; lat_fs writes 0 to 10 KiB into new files"),
        ("fio", "psync, rw=write, bs=4k, on a file that is laid out"),
    ],
    points: |_| Point::all("access=sequential fill_write=4KiB; access=random fill_write=4KiB|1MiB"),
    predict: &[
        "floors(1)",
        "software to the page and back = path(1500, 14) (×1.8: descriptor, checks, notification (180), the \
         file's lock (2 locked), time of change (60), rate of dirty pages (60), transaction begun and ended \
         (250, 4 locked), page found, held and locked (120, 3 locked), its buffers looked at (150), marked \
         as to be written (200, 3 locked), unlocked, let go (60, 2 locked), the copy set up (60), returns \
         through the layers of the file system (360)) × cycle_ns",
        "hardware t0 4 KiB copied = 400 cycles (×1.9: 4 KiB at 10 bytes a cycle, from the first cache to the \
         second) × cycle_ns",
        "hardware t1 4 KiB copied = 4096 bytes × 1e9 ns/s / [memory.bandwidth.copy method=library bytes=4MiB \
         cpus=1]",
        "fill_write=1MiB: software all blocks of the piece looked at = path(5100, 0) (×2.5: where the cache of \
         a file is in pieces of 1 MiB, ext4 goes through all 256 blocks of a piece before and after the copy \
         of one (block_write_begin, block_commit_write): 2 times 256 turns of 10 instructions) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every write was taken whole",
        "blocks.right = 1: every block holds in the end what was written last",
        "linear",
        "calls: pwrite64 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floor", "copy of a block"],
    run: write::write_into_the_cache,
    ..COMMON
};
