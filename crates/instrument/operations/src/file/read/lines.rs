//! Line-by-line reads of a file.

use crate::file::COMMON;
use measure::Operation;
use workloads::file::cached;

/// Lines.
pub static LINES: Operation = Operation {
    id: "file.read.lines",
    title: "one 64-byte line through a buffered reader, page cache hit",
    one_iteration: "one 64-byte line read through an 8 KiB buffer, its number checked",
    method: "An unnamed 1 MiB file has lines of 63 random hexadecimal digits, each beginning with its number. It is read \
             from start to end, repeatedly, by the buffered reader of Rust's standard library: one 8 KiB read per 128 \
             lines, and a search for the end and a copy per line.",
    confounds: "Measures the library as much as the kernel: other libraries search and copy differently, and longer lines cost \
                more.",
    sources: &[("R2, 6.2", "all lines of a file in order, by the size of the file"), ("lmbench", "none")],
    predict: &[
        "software line end found, line copied = 50 cycles (×1.7: buffer access (10), search by 32 bytes \
         (25), 64 bytes copied to a vector with capacity (35), position \
         updated (10), eight digits compared (20): 100 instructions at two a cycle) × cycle_ns",
        "t0 cached read of a block({64 / 4096})",
        "software t1 share of a block = {64 / 4096} × [file.read.cached access=sequential file_size=1MiB]",
    ],
    evidence: &[
        "answers = 1: every line was complete and had its number",
        "blocks from the cache",
        "calls.read 0..0.2 (quiet): one read returns many lines",
    ],
    bounds: &[
        "> {64 / 4096 / 2} × [file.read.cached access=sequential file_size=1MiB]: its bytes are read from the \
         cache, two blocks per call",
    ],
    run: cached::read_lines,
    ..COMMON
};
