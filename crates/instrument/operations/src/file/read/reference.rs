//! Reference methods: file reads "from the disk" that are not.

use super::cached::plot;
use crate::file::{COMMON, DEVICE};
use measure::{Operation, Rehearse, takes};
use workloads::file::device::WholeFile;
use workloads::file::{FileRead, cached, device};

/// The correct point of most of these.
const RIGHT: (&str, &str) = ("file.read.uncached", "access=sequential bytes=16MiB");

/// A warm cache.
pub static WARM_CACHE: Operation = Operation {
    id: "file.read.warm_cache",
    title: "read of a file just written, called a read from the disk (wrong)",
    one_iteration: "one pread of a 4 KiB block",
    method: "As file.read.uncached access=sequential, but the cache is not dropped: the file was just written and is \
             entirely cached. No byte comes from the device.",
    confounds: "Some blocks may have been evicted since and come from the device.",
    sources: &[
        ("R0, R3", "cache not dropped, or on one side only (E22)"),
        ("lmbench", "bw_file_rd, documented"),
    ],
    wrong: "the file is still cached from writing: the time is that of a copy, without the device (E22)",
    right: RIGHT,
    parameters: takes::<FileRead>,
    points: &["access=sequential bytes=16MiB"],
    predict: &["cached read of a block(1)"],
    evidence: &["answers = 1: every block had the expected content", "blocks from the cache"],
    bounds: &["floor", "copy of a block"],
    run: cached::read_blocks,
    ..COMMON
};

/// A sparse file.
pub static SPARSE: Operation = Operation {
    id: "file.read.sparse",
    title: "read of a sparse file, called a read from the disk (wrong)",
    one_iteration: "one pread of a block of a hole, which must be zero",
    method: "An unnamed file is extended to 16 MiB without data. Its cache is dropped before each lap; the kernel finds no \
             extents and zeroes its pages. No byte comes from the device.",
    confounds: "File systems differ in how they read a hole; none accesses the device.",
    sources: &[("R0", "files of zeros by mkfile (E21)")],
    wrong: "a hole has no blocks on the device: the kernel zeroes pages, and nothing is read (E21)",
    right: RIGHT,
    parameters: takes::<FileRead>,
    points: &["access=sequential bytes=16MiB"],
    predict: &["cached read of a block(1)"],
    evidence: &["answers = 1: every block was zero", "nothing from a device"],
    bounds: &["floor"],
    rehearse: Rehearse::Nothing,
    run: cached::read_hole,
    ..COMMON
};

/// Startup and steady reads in one number.
pub static WITH_OPEN: Operation = Operation {
    id: "file.read.with_open",
    title: "open + read of a 16 KiB file, divided by its blocks (wrong)",
    one_iteration: "a quarter of the open and complete read of a 16 KiB file, cold page cache",
    method: "The cache is dropped, the file is opened and 16 KiB are read by four calls; the total time divided by four is \
             reported as the time of a block.",
    confounds: "The error depends on the file size: the curve over sizes falls although the device is the same.",
    sources: &[("R0, R3", "time of open and read divided by the number of blocks, by file size (E40)")],
    wrong: "open and the wait of the first read are divided among the blocks (E40): small files appear slow",
    right: ("file.read.uncached", "access=sequential bytes=16MiB"),
    parameters: takes::<WholeFile>,
    points: &["bytes=16KiB"],
    plot: Some(plot),
    predict: &["first read of a file(0.25)"],
    evidence: &["blocks from the device(2049)"],
    run: device::open_and_read_all,
    ..DEVICE
};
