//! Writes: buffered blocks, and the rate of large sequential ones.

use super::{COMMON, DEVICE};
use measure::{Operation, takes};
use quantity::Quantity;
use workloads::file::write;
use workloads::file::write::BufferedWrite;
use workloads::file::write_rate::{WritePasses, write_rate};

/// Buffered.
pub static BUFFERED: Operation = Operation {
    id: "file.write.buffered",
    title: "one 4 KiB `pwrite`, overwrite in the page cache",
    one_iteration: "one complete pwrite of random data over a cached block",
    method: "An unnamed file is filled with random data by writes of 4 KiB or 1 MiB (fill_write) and synced. Its blocks are \
             overwritten sequentially or in random order, each with different data; nothing waits for the device. At \
             the end every block is verified.",
    confounds: "The kernel writes back seconds later, in the background, which may slow down other programs. With large folios \
                (fill_write=1MiB) a 4 KiB write costs several times as much on some file systems. Appends are not \
                measured: they also allocate pages and reserve blocks.",
    sources: &[
        ("lmbench", "lmdd; lat_fs writes 0 to 10 KiB into new files"),
        ("fio", "psync, rw=write, bs=4k, overwrite=1"),
        ("will-it-scale", "write1: 4 KiB at a time over 1 MiB, again and again; pwrite1: the same 4 KiB"),
    ],
    parameters: takes::<BufferedWrite>,
    points: &["access=sequential fill_write=4KiB; access=random fill_write=4KiB|1MiB"],
    predict: &[
        "floors(1)",
        // 4 096 of the counted instructions are turns of the copy.
        "software path to the page = \
         kernel({counted[file.write.buffered access=random fill_write=4KiB] - counted[syscall.floor] - 4096})",
        "hardware t0 4 KiB copied = 400 cycles (×1.9: 4 KiB at 10 bytes a cycle, from L1 to L2) × cycle_ns",
        "hardware t1 4 KiB copied = 4096 bytes × 1e9 ns/s / [memory.bandwidth.copy method=library bytes=4MiB \
         cpus=1]",
        "fill_write=1MiB: software all blocks of the folio checked = path(5100, 0) (×2.5: with folios of 1 MiB \
         ext4 walks all 256 blocks of a folio before and after the copy \
         of one (block_write_begin, block_commit_write): 2 times 256 turns of 10 instructions) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every write was complete",
        "blocks.right = 1: at the end every block had the last data written",
        "calls: pwrite64 1",
        "undisturbed loop",
    ],
    bounds: &["floor", "copy of a block"],
    run: write::write_buffered,
    ..COMMON
};

/// The rate of a device.
pub static RATE: Operation = Operation {
    id: "file.write.rate",
    title: "rate of sequential 2 MiB writes to a file",
    one_iteration: "one pass over 64 MiB by `pwrite` of 2 MiB and an fdatasync",
    quantity: Quantity::Bandwidth,
    method: "An unnamed file of 64 MiB with random, synced data is overwritten in order, 2 MiB at a time, with other random data in each \
             pass, and synced at the end of the pass, which is part of its time. cache=direct: with O_DIRECT; cache=synced: through \
             the page cache. At the end every piece is read back and its first and last word are checked. Composing the data is \
             not timed.",
    confounds: "The device may have a cache of its own, which fdatasync flushes if it is volatile; that of a virtual machine's host may \
                not be flushed. A flash drive is faster until its cache is full than after.",
    sources: &[
        ("R2, 2", "2108.9, probably MB/s as for reads; among the specifications, without a source"),
        ("fio", "rw=write bs=2m end_fsync=1 overwrite=1: fsync, where oscope calls fdatasync"),
    ],
    parameters: takes::<WritePasses>,
    points: &["cache=direct|synced"],
    spend_ns: 200_000_000,
    predict: &[
        "hardware t0 stream to the device = 2000000 bytes/s × 1e3 (×5: 2 GB/s: sequential writes of flash between a cloud's local disk \
         (0.4) and a drive on PCIe 4 (7))",
        "hardware t1 as fast as the device is read with four reads in flight = 1048576 bytes × 1e9 ns/s / \
         [file.read.uring depth=4 block=1MiB]",
    ],
    evidence: &["written"],
    bounds: &[
        "< 2097152 bytes × 1e9 ns/s / [syscall.floor]: one call writes 2 MiB",
        "cache=synced: < 64 bytes/cycle × hertz: no core stores more than 64 bytes per cycle, and every byte is copied",
    ],
    run: write_rate,
    ..DEVICE
};
