//! File reads "from the disk" that are not, and competitors without a common window.

use crate::method::FlawedMethod;
use measure::{Operation, Rehearse, takes};
use operations::bases::{CONTENTION, DEVICE, FILE, plot_of_reads};
use workloads::file::device::WholeFile;
use workloads::file::{FileRead, cached, contention, device};

/// The correct point of most of these.
const RIGHT: (&str, &str) = ("file.read.uncached", "access=sequential file_size=16MiB");

/// A warm cache.
pub static WARM_CACHE: FlawedMethod = FlawedMethod {
    wrong: "the file is still cached from writing: the time is that of a copy, without the device (E22)",
    right: RIGHT,
    card: Operation {
        id: "file.read.warm_cache",
        title: "read of a file just written, called a read from the disk (wrong)",
        one_iteration: "one pread of a 4 KiB block",
        method: "As file.read.uncached access=sequential, but the cache is not dropped: the file was just written and is \
                 entirely cached. No byte comes from the device.",
        confounds: "Some blocks may have been evicted since and come from the device.",
        sources: &[
            ("R0, 6.3.4", "remote files that the server may hold in its cache, it says (E22)"),
            ("lmbench", "bw_file_rd, documented"),
        ],
        parameters: takes::<FileRead>,
        points: &["access=sequential file_size=16MiB"],
        predict: &["cached read of a block(1)"],
        evidence: &["answers = 1: every block had the expected content", "blocks from the cache"],
        bounds: &["floor", "copy of a block"],
        run: cached::read_blocks,
        ..FILE
    },
};

/// A sparse file.
pub static SPARSE: FlawedMethod = FlawedMethod {
    wrong: "a hole has no blocks on the device: the kernel zeroes pages, and nothing is read (E21)",
    right: RIGHT,
    card: Operation {
        id: "file.read.sparse",
        title: "read of a sparse file, called a read from the disk (wrong)",
        one_iteration: "one pread of a block of a hole, which must be zero",
        method: "An unnamed file is extended to 16 MiB without data. Its cache is dropped before each lap; the kernel finds no \
                 extents and zeroes its pages. No byte comes from the device.",
        confounds: "File systems differ in how they read a hole; none accesses the device.",
        sources: &[(
            "R0, 4.4.1",
            "a file made by ftruncate for page faults; random files in 6.1.1 and 6.4.1, in 6.2 not said",
        )],
        parameters: takes::<FileRead>,
        points: &["access=sequential file_size=16MiB"],
        predict: &["cached read of a block(1)"],
        evidence: &["answers = 1: every block was zero", "nothing from a device"],
        bounds: &["floor"],
        rehearse: Rehearse::Nothing,
        run: cached::read_hole,
        ..FILE
    },
};

/// Startup and steady reads in one number.
pub static WITH_OPEN: FlawedMethod = FlawedMethod {
    wrong: "open and the wait of the first read are divided among the blocks (E40): small files appear slow",
    right: ("file.read.uncached", "access=sequential file_size=16MiB"),
    card: Operation {
        id: "file.read.with_open",
        title: "open + read of a 16 KiB file, divided by its blocks (wrong)",
        one_iteration: "a quarter of the open and complete read of a 16 KiB file, cold page cache",
        method: "The cache is dropped, the file is opened and 16 KiB are read by four calls; the total time divided by four is \
                 reported as the time of a block.",
        confounds: "The error depends on the file size: the curve over sizes falls although the device is the same.",
        sources: &[(
            "R0, 6.2.1 and 6.2.4",
            "reads of whole files divided by their blocks, probably opened before: the first seek raises small files, it says",
        )],
        parameters: takes::<WholeFile>,
        points: &["file_size=16KiB"],
        plot: Some(plot_of_reads),
        predict: &["first read of a file(0.25)"],
        evidence: &["blocks from the device(2049)"],
        run: device::open_and_read_all,
        ..DEVICE
    },
};
/// Competitors without a common window.
pub static NO_WINDOW: FlawedMethod = FlawedMethod {
    wrong: "blocks read before competitors start or after they finish count as contended (E47)",
    right: ("file.contention", "access=random others=same competitors=7"),
    card: Operation {
        id: "file.contention.no_window",
        title: "4 KiB O_DIRECT read with competitors, without a common window (wrong)",
        one_iteration: "one O_DIRECT read of a block by the main reader",
        method: "Seven competitors are started and read 64 blocks each; the main reader reads 512 blocks without a barrier, and \
                 the mean of all its blocks is reported.",
        sources: &[(
            "R0, 6.4.1",
            "no barrier is mentioned; competitors read 40 times, the main process 20 times, to overlap",
        )],
        points: &["access=random competitors=7"],
        predict: &["read under contention"],
        evidence: &["blocks from the device(1.001)"],
        plot: None,
        run: contention::without_window,
        ..CONTENTION
    },
};
