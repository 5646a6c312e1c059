//! Reference method: words at a stride, each counted as a line, with the last-level cache filled before.

use measure::{Area, Operation, takes};
use quantity::Quantity;
use record::Need;
use workloads::memory::bandwidth::counted_lines::{BYTES, CountedLines, read, write};

const COUNTED: Operation = Operation {
    area: Area::Memory,
    quantity: Quantity::Bandwidth,
    one_iteration: "one pass over 64 MiB: a word of every fourth line, each counted as 64 bytes",
    confounds: "Every fourth line is touched, which some prefetchers follow and others do not. A write brings its line from memory \
                and evicts another one: twice the counted bytes move.",
    sources: &[(
        "R3",
        "4-byte words at a stride of 256 bytes, counted as lines; the last cache clean for reads, dirty for writes",
    )],
    parameters: takes::<CountedLines>,
    points: &["last_cache=clean|dirty"],
    needs: |_| vec![Need::Memory { bytes: 3 * BYTES as u64 }],
    evidence: &["answers = 1: every word held its content, or the one written to it"],
    ..Operation::VALUES
};

/// Reads.
pub static READ: Operation = Operation {
    id: "memory.bandwidth.read.counted_lines",
    title: "read bandwidth of words at a stride, counted as lines",
    method: "64 MiB are read or written first, which leaves clean or dirty lines in the last-level cache. Then a loop sums a word \
             at every 256 bytes of another 64 MiB; the bandwidth is 64 bytes for each.",
    wrong: "bytes are counted that no instruction moved (E62), at the rate of single misses and not of a stream (E04)",
    right: ("memory.bandwidth.read", "method=widest bytes=128MiB cpus=1"),
    predict: &[
        "hardware t0 lines in flight = by_latency(family.memory_ns)",
        "hardware t1 lines at the rate of a stream = [memory.bandwidth.read method=widest bytes=128MiB cpus=1]",
    ],
    run: read,
    ..COUNTED
};

/// Writes.
pub static WRITE: Operation = Operation {
    id: "memory.bandwidth.write.counted_lines",
    title: "write bandwidth of words at a stride, counted as lines",
    method: "As memory.bandwidth.read.counted_lines, but the words are written.",
    wrong: "bytes are counted that no instruction moved (E62), and half of the lines' traffic is not counted (E04)",
    right: ("memory.bandwidth.write", "method=widest bytes=128MiB cpus=1"),
    predict: &[
        "hardware t0 lines in flight = stored(by_latency(family.memory_ns))",
        "hardware t1 lines at the rate of a stream = [memory.bandwidth.write method=widest bytes=128MiB cpus=1]",
    ],
    run: write,
    ..COUNTED
};
