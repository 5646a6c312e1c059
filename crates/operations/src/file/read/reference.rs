//! The reports' ways to read a file "from the disk" that do not: kept beside the right ones.

use super::cached::plot;
use crate::file::workloads::{cached, device};
use crate::file::{COMMON, DEVICE};
use measure::{Operation, Point, Reference, Rehearse};

/// The right way beside most of these.
const RIGHT: (&str, &str) = ("file.read.uncached", "access=sequential bytes=16MiB");

fn only() -> Vec<Point> {
    Point::all("access=sequential bytes=16MiB")
}

/// A cache that nobody emptied.
pub static NOT_EMPTIED: Operation = Operation {
    id: "file.read.warm_cache",
    title: "read of a file just written, taken for a read from the disk",
    one_iteration: "one pread of a block of 4 KiB",
    method: "As file.read.uncached access=sequential, but the cache is not emptied: the file was written a moment \
             ago, and all of it is there. No byte comes from the device.",
    confounds: "It depends on what else was read since: a little may come from the device after all.",
    sources: &[
        ("R0, R3", "cache not emptied, or on one side only (E22)"),
        ("lmbench", "bw_file_rd, and says so"),
    ],
    reference: Some(Reference {
        wrong: "the file is still in the cache from the writing: no disk takes part, and the time is that of a copy (E22)",
        right: RIGHT,
    }),
    points: |_| only(),
    predict: &["cached read of a block(1)"],
    evidence: &[
        "answers = 1: every block held what was written to it",
        "blocks from the cache",
    ],
    bounds: &["floor", "copy of a block"],
    run: cached::read_blocks,
    ..COMMON
};

/// A file that is nowhere on the disk.
pub static SPARSE: Operation = Operation {
    id: "file.read.sparse",
    title: "read of a file that is a hole, taken for a read from the disk",
    one_iteration: "one pread of a block of a hole, which must be zero",
    method: "A file without a name is made 16 MiB long and nothing is written to it. Its cache is emptied before \
             each lap; the kernel finds no extents and fills its pages with zeros. No byte comes from the device.",
    confounds: "File systems differ in how they read a hole; none asks its disk.",
    sources: &[("R0", "files of zeros, made by mkfile (E21)")],
    reference: Some(Reference {
        wrong: "a hole has no place on the disk: the kernel makes pages of zeros, and nothing is read (E21)",
        right: RIGHT,
    }),
    points: |_| only(),
    predict: &["cached read of a block(1)"],
    evidence: &["answers = 1: every block was zero", "nothing from a device"],
    bounds: &["floor"],
    rehearse: Rehearse::Nothing,
    run: cached::read_hole,
    ..COMMON
};

/// Start and steady reads in one number.
pub static WITH_START: Operation = Operation {
    id: "file.read.with_open",
    title: "read of a small file from its opening on, divided by its blocks",
    one_iteration: "one block's share of opening a file of 16 KiB whose cache is empty and reading it whole",
    method: "The cache is emptied, the file is opened and 16 KiB are read by four calls; the time of all of it is \
             divided by four and called that of a block.",
    confounds: "How much too long it is depends on the file's length: by size, the curve falls without anything of the \
                disk having changed.",
    sources: &[(
        "R0, R3",
        "time of a file from its opening, by size, divided by its blocks (E40)",
    )],
    reference: Some(Reference {
        wrong: "opening, and the first read's wait for the device, are divided among the blocks (E40): small files \
                seem slow",
        right: ("file.read.uncached", "access=sequential bytes=16MiB"),
    }),
    points: |_| Point::all("bytes=16KiB"),
    plot: Some(plot),
    predict: &["first read of a file(0.25)"],
    evidence: &["blocks from the device(2049)"],
    run: device::open_and_read_all,
    ..DEVICE
};
