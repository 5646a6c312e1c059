//! The kernels of STREAM that compute, and the update in place.

use super::{COMMON, INSTRUCTIONS, block_bytes};
use measure::{Operation, Point};
use sys::bandwidth::Action;
use workloads::memory::bandwidth::{run, with_instructions};

const METHOD: &str = "Arrays of double-precision numbers, each a random integer, in equal parts of the working set; the scalar is 3, \
                      as in STREAM. Assembly with the widest vectors (method=widest, plain stores) or non-temporal stores, the \
                      fence included. Two numbers of the target are corrupted before each batch and must be correct after it; at \
                      the end every number of every array is checked. Bytes of all arrays count, as STREAM counts them.";

const CONFOUNDS: &str = "A plain store first reads the line from memory (write-allocate), which STREAM does not count: the bus \
                         carries 3/2 of the bytes of scale and 4/3 of those of add and triad; non-temporal stores avoid that. A \
                         compiled STREAM has either kind, by compiler, options and size of the arrays: compare with both.";

/// Common to the kernels of STREAM.
const STREAM: Operation = Operation {
    method: METHOD,
    confounds: CONFOUNDS,
    evidence: &[
        "answers = 1: numbers corrupted before a batch were computed by it",
        "blocks(262144)",
        INSTRUCTIONS,
    ],
    ..COMMON
};

/// Bytes of a block in all arrays.
fn all_arrays(point: &Point, action: Action) -> Option<u64> {
    Some(block_bytes(point, action)? * action.parts() as u64)
}

/// Multiplies.
pub static SCALE: Operation = Operation {
    id: "memory.bandwidth.scale",
    title: "STREAM scale: b[i] = 3 c[i]",
    one_iteration: "one block of an array multiplied into another one",
    sources: &[
        ("STREAM", "scale; stream of lmbench has it in its version 1"),
        (
            "stress-ng",
            "--stream: the four kernels together, one rate of reads and one of writes; arrays of the size of the L3",
        ),
    ],
    points: &[
        "profile=quick: method=nontemporal bytes=128MiB cpus=1",
        "profile!=quick: method=widest|nontemporal bytes=128MiB cpus=1; method=nontemporal bytes=128MiB cpus=all",
    ],
    payload_bytes: |point| all_arrays(point, Action::Scale),
    predict: &[
        "definitions of streams",
        "let t0 one = 2 × in_sequence(read, written)",
        "let t1 one = 2 × [memory.bandwidth.copy method={method} bytes=128MiB cpus=1]",
        "let t1 alone = [memory.bandwidth.scale method={method} bytes={bytes} cpus=1]",
        "bandwidth of a stream",
    ],
    in_lines: |point| with_instructions(point, Action::Scale),
    run: |bench| run(bench, Action::Scale),
    ..STREAM
};

/// Adds.
pub static ADD: Operation = Operation {
    id: "memory.bandwidth.add",
    title: "STREAM add: c[i] = a[i] + b[i]",
    one_iteration: "one block of the sums of two arrays",
    sources: &[
        ("STREAM", "add"),
        (
            "stress-ng",
            "--stream: the four kernels together, one rate of reads and one of writes; arrays of the size of the L3",
        ),
    ],
    points: THREE_ARRAYS,
    payload_bytes: |point| all_arrays(point, Action::Add),
    predict: &[
        "definitions of streams",
        "let t0 one = 3 / (2 / read + 1 / written)",
        "let t1 one = 3 / (1 / [memory.bandwidth.copy method={method} bytes=128MiB cpus=1] + 1 / read)",
        "let t1 alone = [memory.bandwidth.add method={method} bytes={bytes} cpus=1]",
        "bandwidth of a stream",
    ],
    in_lines: |point| with_instructions(point, Action::Add),
    run: |bench| run(bench, Action::Add),
    ..STREAM
};

const THREE_ARRAYS: &[&str] = &[
    "profile=quick: method=nontemporal bytes=192MiB cpus=1",
    "profile!=quick: method=widest|nontemporal bytes=192MiB cpus=1; method=nontemporal bytes=192MiB cpus=all",
];

/// Multiplies and adds.
pub static TRIAD: Operation = Operation {
    id: "memory.bandwidth.triad",
    title: "STREAM triad: a[i] = b[i] + 3 c[i]",
    one_iteration: "one block of an array plus three times another one",
    sources: &[
        ("STREAM", "triad, the figure that is cited"),
        ("likwid-bench", "stream, stream_mem: the latter with non-temporal stores"),
        (
            "stress-ng",
            "--stream: the four kernels together, one rate of reads and one of writes; arrays of the size of the L3",
        ),
    ],
    points: THREE_ARRAYS,
    payload_bytes: |point| all_arrays(point, Action::Triad),
    predict: &[
        "definitions of streams",
        "let t0 one = 3 / (2 / read + 1 / written)",
        "let t1 one = 3 / (1 / [memory.bandwidth.copy method={method} bytes=128MiB cpus=1] + 1 / read)",
        "let t1 alone = [memory.bandwidth.triad method={method} bytes={bytes} cpus=1]",
        "bandwidth of a stream",
    ],
    in_lines: |point| with_instructions(point, Action::Triad),
    run: |bench| run(bench, Action::Triad),
    ..STREAM
};

/// Updates in place.
pub static UPDATE: Operation = Operation {
    id: "memory.bandwidth.update",
    title: "read-modify-write bandwidth of a working set",
    one_iteration: "one block, every word of it increased",
    method: "The same random word is added to every word of a block, in place, with the widest vectors, block after block. Two words \
             are noted before each batch and must have been increased as often as it processed their blocks; at the end the sum \
             of every block is checked. Each byte counts once, as lmbench counts it.",
    confounds: "The bus carries twice as much: every line is read and written back.",
    sources: &[("lmbench", "bw_mem rdwr: reads every fourth word and writes a constant there")],
    points: &[
        "profile=quick: method=widest bytes=16KiB|128MiB cpus=1",
        "profile!=quick: method=widest bytes=16KiB|256KiB|4MiB|128MiB cpus=1; method=widest bytes=128MiB cpus=all",
    ],
    payload_bytes: |point| block_bytes(point, Action::Update),
    predict: &[
        "let core = widest_stores",
        "let second = second_level(1)",
        "definitions of far memory",
        // A plain store reads its line, too.
        "let far = written",
        "let t1 alone = [memory.bandwidth.update method={method} bytes={bytes} cpus=1]",
        "bandwidth of the method",
    ],
    evidence: &[
        "answers = 1: words noted before a batch were increased by it",
        "blocks({min(bytes, 262144)})",
        INSTRUCTIONS,
    ],
    in_lines: |point| with_instructions(point, Action::Update),
    run: |bench| run(bench, Action::Update),
    ..COMMON
};
