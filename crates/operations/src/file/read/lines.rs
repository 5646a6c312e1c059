//! Reading a file line by line, as programs do.

use crate::file::COMMON;
use crate::file::workloads::cached;
use measure::{Operation, Point};

/// Line by line.
pub static LINES: Operation = Operation {
    id: "file.read.lines",
    title: "one line of 64 bytes of a file that is in the cache",
    one_iteration: "one line of 64 bytes read through a buffer of 8 KiB, its number compared",
    method: "A file of 1 MiB without a name holds lines of 63 random hexadecimal digits, which begin with their \
             number. It is read from its beginning to its end, time and again, by the buffered reader of Rust's \
             standard library: a read of 8 KiB for every 128 lines, and for each line the search for its end and a \
             copy.",
    confounds: "It is the library that is measured as much as the kernel: other libraries search and copy otherwise, and \
                longer lines cost more. R2 read lines where blocks were meant.",
    sources: &[
        ("R2", "read of a file line by line, reported as read of a block"),
        ("lmbench", "none"),
    ],
    predict: &[
        "software end of the line found, line copied = 50 cycles (×1.7: a buffer asked for its bytes (10), \
         the end looked for 32 bytes at a time (25), 64 bytes copied to a vector that has room (35), \
         position kept (10), eight digits compared (20): 100 instructions at two a cycle) × cycle_ns",
        "t0 cached read of a block({64 / 4096})",
        "software t1 its share of a block = {64 / 4096} × [file.read.cached access=sequential bytes=1MiB]",
    ],
    evidence: &[
        "answers = 1: every line was whole and had its number",
        "blocks from the cache",
        "calls.read 0..0.2 (quiet): a call brings many lines",
    ],
    bounds: &[
        "> {64 / 4096 / 2} × [file.read.cached access=sequential bytes=1MiB]: its bytes are read from the \
         cache, by calls for two blocks",
    ],
    points: |_| vec![Point::only()],
    run: cached::read_lines,
    ..COMMON
};
