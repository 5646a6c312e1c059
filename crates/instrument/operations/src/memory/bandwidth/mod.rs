//! Bandwidth of reading, writing, copying and filling caches and memory, by method.

pub mod beyond_caches;
pub mod load_curve;
pub mod loaded;
pub mod stream;

use measure::{Operation, Point, Rehearse, takes};
use quantity::Quantity;
use sys::bandwidth::Action;
use workloads::memory::bandwidth::{MemoryBlocks, Spec, needs, run, with_instructions};

/// Bytes of a block of a point.
fn block_bytes(point: &Point, action: Action) -> Option<u64> {
    Spec::read(point, action).ok().map(|spec| spec.block as u64)
}

const COMMON: Operation = Operation {
    quantity: Quantity::Bandwidth,
    confounds: "Each byte of the program counts once. A plain store first reads the line from memory (write-allocate), so \
                the bus carries twice (write) or three times (copy; STREAM counts two) as much; non-temporal stores and \
                long string instructions avoid that. A last-level cache larger than a quarter of the buffers holds part \
                of them (memory.bandwidth.read.beyond_caches); a shared one holds what its other users leave. The placement of virtual CPUs may change while \
                the machine runs: modes between trials of cpus=all are real; compare ipc.cache_line.round_trip.",
    plot: Some(super::by_working_set),
    rehearse: Rehearse::CallsAndInstructions,
    needs,
    bounds: &[
        "cpus=1: < 128 bytes/cycle × hertz: no core loads or stores more than two vectors of 64 bytes per cycle",
        "cpus=all: < 128 bytes/cycle × hertz × cpus.allowed: no core loads or stores more than two vectors of 64 bytes \
         per cycle",
    ],
    spend_ns: 8_000_000,
    parameters: takes::<MemoryBlocks>,
    ..super::COMMON
};

/// Reads.
pub static READ: Operation = Operation {
    id: "memory.bandwidth.read",
    title: "read bandwidth of a working set",
    one_iteration: "one block read and its words summed",
    method: "Random words are summed in assembly, block after block, repeatedly through the working set; the sum of each \
             batch is checked. loop: one 8-byte word per turn; unrolled: 64 words; vectorN: vectors of N bits; widest: \
             the widest vectors of the processor; prefetch: each line prefetched 8 KiB ahead (prefetchnta); streams: \
             four streams within a block. cpus=all: a thread per CPU, each with its own memory, takes blocks from a \
             shared counter.",
    sources: &[
        ("R0, 4.3.1", "loops over 16-byte words, plain and unrolled eight times, 1 GB, the best of 20 (E31)"),
        ("R1, 3 Fig 9", "an unrolled loop over an array"),
        ("R2, 4.2", "an unrolled loop over a chunk that was to be larger than the caches"),
        (
            "R3, 4.2.1",
            "4-byte words at a stride of 256 bytes, counted as lines of 64 bytes, of which a program uses 4",
        ),
        ("R4, 5.2", "unrolled additions, 1 byte to more than two pages (E16)"),
        ("STREAM", "none: it copies, scales and adds"),
        ("lmbench", "bw_mem rd: reads every fourth word"),
        (
            "sysbench",
            "memory --memory-oper=read: one block of 1 KiB by default, again and again: the first-level cache",
        ),
        ("stress-ng", "--memrate: read8 to read1024 and others, MB per second of each"),
        ("likwid-bench", "load and sum, and the same with vectors"),
    ],
    points: &[
        "profile=quick: method=widest bytes=16KiB|128MiB cpus=1; method=widest bytes=128MiB cpus=all",
        "profile=standard: method=loop bytes=16KiB|128MiB cpus=1; \
         method=widest bytes=16KiB|256KiB|4MiB|128MiB cpus=1; \
         method=widest bytes=16KiB|128MiB cpus=all; \
         method=unrolled|vector128|vector256 bytes=16KiB cpus=1; \
         method=streams|streams_prefetch bytes=128MiB cpus=1",
        "profile=thorough: method=loop|widest|unrolled|prefetch|streams|streams_prefetch|vector128|vector256|vector512 \
         bytes=16KiB|256KiB|4MiB|128MiB cpus=1; \
         method=widest bytes=16KiB|128MiB cpus=all; method=streams_prefetch bytes=128MiB cpus=all",
    ],
    payload_bytes: |point| block_bytes(point, Action::Read),
    predict: &[
        "let core = processor.vector_bytes × 1.9 (×1.25: two loads of the widest vectors in a cycle (Zen 5: 1.9)) / 1 cycle",
        "method=loop: let core = word_loop",
        "method=unrolled: let core = loads(8)",
        "method=vector128: let core = vector_loads(16)",
        "method=vector256: let core = vector_loads(32)",
        "let second = second_level(1)",
        // Loads of several chains wait for the same path from L2, and for the same entries beyond it.
        "bytes=256KiB: let t1 second = min(second_level(1), 64 bytes × 1e9 ns/s / ([memory.parallel_loads chains=16 bytes=256KiB] \
         or else 64 bytes × 1e9 ns/s / (second_level(1) × hertz)) / hertz)",
        "let t1 one_line = ([memory.parallel_loads chains=64 bytes=4MiB] or else 1.4 × 64 bytes × 1e9 ns/s \
         / by_latency([memory.latency page_size=4KiB bytes=4MiB])) / 1.4 (×1.4: L2 has room for up to twice as many lines as \
         L1, which its prefetcher uses: 48 and 16 to 24 (optimization manuals))",
        "definitions of far memory",
        "let far = read",
        // A line from the third level passes through L2: in, and then out to L1.
        "method=widest bytes=4MiB: let t1 far = min(64 bytes × 1e9 ns/s / one_line, \
         in_sequence(second, second) × hertz)",
        "method=widest bytes=128MiB: let t1 far = lines_in_flight([memory.latency page_size=2MiB bytes=64MiB])",
        "let t1 alone = [memory.bandwidth.read method={method} bytes={bytes} cpus=1]",
        "bandwidth of the method",
    ],
    evidence: &[
        "answers = 1: the sum of all words was correct in every batch",
        "blocks({min(bytes, 262144)})",
        INSTRUCTIONS,
    ],
    in_lines: |point| with_instructions(point, Action::Read),
    headline: &[
        ("method=widest bytes=128MiB cpus=1", "read 128 MiB, one CPU"),
        ("method=widest bytes=128MiB cpus=all", "read 128 MiB, all CPUs"),
    ],
    run: |bench| run(bench, Action::Read),
    ..COMMON
};

/// Writes.
pub static WRITE: Operation = Operation {
    id: "memory.bandwidth.write",
    title: "write bandwidth of a working set",
    one_iteration: "one block, every word written",
    method: "One random word is stored to every position in assembly, block after block, repeatedly through the working \
             set. Two words are corrupted before each batch and must be correct after it; at the end every word of \
             every block is checked. Methods as for memory.bandwidth.read; nontemporal: non-temporal stores, the fence \
             included. data=zeros: zeros over zeros.",
    sources: &[
        ("R0, 4.3.1", "loops over 16-byte words, plain and unrolled, 1 GB, the best of 20 (E31)"),
        ("R1, 3 Fig 10", "an array written through pointers"),
        ("R2, 4.2", "an unrolled loop"),
        (
            "R3, 4.2.1",
            "4-byte words at a stride of 256 bytes, counted as lines of 64 bytes, of which a program uses 4",
        ),
        ("lmbench", "bw_mem wr: writes every fourth word"),
        ("sysbench", "memory: one block of 1 KiB by default, again and again: the first-level cache"),
        ("stress-ng", "--memrate: write8 to write1024, non-temporal and others, MB per second of each"),
        ("likwid-bench", "store and store_mem: the latter with non-temporal stores"),
    ],
    points: &[
        "profile=quick: method=widest bytes=16KiB|128MiB cpus=1",
        "profile=standard: method=loop bytes=16KiB|128MiB cpus=1; \
         method=widest bytes=16KiB|256KiB|4MiB|128MiB cpus=1; \
         method=unrolled|vector128|vector256 bytes=16KiB cpus=1; \
         method=nontemporal bytes=128MiB cpus=1|all; \
         method=nontemporal bytes=128MiB cpus=1 data=zeros",
        "profile=thorough: method=loop|widest|unrolled|nontemporal|vector128|vector256|vector512 \
         bytes=16KiB|256KiB|4MiB|128MiB cpus=1; \
         method=widest bytes=16KiB|128MiB cpus=all; method=nontemporal bytes=128MiB cpus=all; \
         method=nontemporal bytes=128MiB cpus=1 data=zeros",
    ],
    payload_bytes: |point| block_bytes(point, Action::Write),
    predict: &[
        "let core = widest_stores",
        "method=loop: let core = word_loop",
        "method=unrolled: let core = stores(8)",
        "method=vector128: let core = vector_stores(16)",
        "let second = second_level(1)",
        "definitions of far memory",
        "let far = written",
        "method=widest: let far = stored(read)",
        // A line that comes from the third level replaces one that goes there, also where it was only read.
        "method=widest bytes=4MiB: let t1 far = read",
        "method=nontemporal: let far = stored_nontemporally(read)",
        // Some processors and memories take whole lines of zeros faster than others (E60).
        "method=nontemporal data=zeros: let t1 far = ([memory.bandwidth.fill method=zero_line bytes={bytes} cpus=1] or else \
         stored_nontemporally(read))",
        "let t1 alone = [memory.bandwidth.write method={method} bytes={bytes} cpus=1]",
        "bandwidth of the method",
    ],
    evidence: &[
        "answers = 1: words corrupted before a batch were rewritten by it",
        "blocks({min(bytes, 262144)})",
        INSTRUCTIONS,
    ],
    in_lines: |point| with_instructions(point, Action::Write),
    headline: &[("method=widest bytes=128MiB cpus=1", "write 128 MiB, one CPU")],
    run: |bench| run(bench, Action::Write),
    ..COMMON
};

/// Copies.
pub static COPY: Operation = Operation {
    id: "memory.bandwidth.copy",
    title: "copy bandwidth within a working set",
    one_iteration: "one block copied",
    method: "Random words are copied from the first half of the working set to the second, block after block. Each byte \
             counts once (STREAM counts two). Two words of the destination are corrupted before each batch and must be \
             correct after it; at the end source and destination are compared. library: memcpy; string: rep movsb; \
             nontemporal: non-temporal stores, the fence included; nontemporal_prefetch: with the source prefetched \
             8 KiB ahead.",
    sources: &[
        ("R4, 5.2", "bcopy of 1 byte to more than two pages (E16)"),
        ("STREAM", "copy, as the compiler translates a loop; counts the bytes of both arrays, twice as many"),
        ("mbw", "memcpy, memcpy of blocks, a loop of long words"),
        ("lmbench", "bw_mem cp, bcopy"),
        ("stress-ng", "none: --memcpy counts operations of several copies of 2 KiB"),
        ("likwid-bench", "copy and copy_mem: the latter with non-temporal stores"),
        ("tinymembench", "every method; 32 MB buffers fit large last-level caches (E61)"),
        ("perf bench", "mem memcpy: of the C library or the kernel's own, 1 MiB by default, touched before"),
    ],
    points: &[
        "profile=quick: method=widest bytes=16KiB|128MiB cpus=1",
        "profile=standard: method=loop bytes=16KiB cpus=1; \
         method=widest|library bytes=16KiB|256KiB|4MiB|128MiB cpus=1; \
         method=string bytes=16KiB|128MiB cpus=1; method=nontemporal bytes=128MiB cpus=1|all; \
         method=nontemporal_prefetch bytes=128MiB cpus=1",
        "profile=thorough: method=loop|widest|library|string|nontemporal|nontemporal_prefetch|unrolled|vector128|vector256|vector512 \
         bytes=16KiB|256KiB|4MiB|128MiB cpus=1; \
         method=library|nontemporal bytes=128MiB cpus=all",
    ],
    payload_bytes: |point| block_bytes(point, Action::Copy),
    predict: &[
        "let core = widest_stores",
        "method=loop: let core = word_loop",
        "method=library|string: let core = string_instruction",
        "method=unrolled: let core = stores(8)",
        "method=vector128: let core = vector_stores(16)",
        "let second = second_level(0.5)",
        "definitions of far memory",
        "let far = in_sequence(read, written)",
        // A string instruction that moves less than a cache holds reads every line before it writes it.
        "method=nontemporal|nontemporal_prefetch: let far = in_sequence(read, nontemporal)",
        "let t1 alone = [memory.bandwidth.copy method={method} bytes={bytes} cpus=1]",
        "bandwidth of the method",
    ],
    evidence: &[
        "answers = 1: words corrupted before a batch were rewritten by it",
        "blocks({min(bytes / 2, 262144)})",
        INSTRUCTIONS,
    ],
    in_lines: |point| with_instructions(point, Action::Copy),
    headline: &[("method=library bytes=128MiB cpus=1", "memcpy, one CPU")],
    run: |bench| run(bench, Action::Copy),
    ..COMMON
};

/// Fills.
pub static FILL: Operation = Operation {
    id: "memory.bandwidth.fill",
    title: "fill bandwidth of a working set",
    one_iteration: "one block filled with a byte",
    method: "Every byte of a block is set to one random byte, block after block. library: memset; string: rep stosb; \
             zero_line: the instruction that zeroes a line (AMD clzero). Checked as memory.bandwidth.write. data=zeros: \
             zeros over zeros.",
    sources: &[
        ("R0, 4.3.1", "memset, and rep stosq of zeros, over 1 GB"),
        ("lmbench", "bw_mem bzero"),
        ("perf bench", "mem memset: of the C library or the kernel's own, 1 MiB by default, touched before"),
    ],
    points: &[
        "profile=quick: method=library bytes=16KiB|128MiB cpus=1; method=library bytes=128MiB cpus=all",
        "profile=standard: method=library bytes=16KiB|256KiB|4MiB|128MiB cpus=1; \
         method=library bytes=16KiB|128MiB cpus=all; method=string bytes=16KiB|128MiB cpus=1; \
         method=zero_line bytes=128MiB cpus=1; method=library bytes=128MiB cpus=1 data=zeros",
        "profile=thorough: method=library|string|zero_line bytes=16KiB|256KiB|4MiB|128MiB cpus=1; \
         method=library bytes=16KiB|128MiB cpus=all; \
         method=library bytes=128MiB cpus=1 data=zeros",
    ],
    payload_bytes: |point| block_bytes(point, Action::Fill),
    predict: &[
        "let core = widest_stores",
        "method=library|string: let core = string_instruction",
        "let second = second_level(1)",
        "definitions of far memory",
        // A string instruction that moves less than a cache holds reads every line before it writes it.
        "let far = written",
        "method=zero_line: let far = nontemporal",
        "let t1 alone = [memory.bandwidth.fill method={method} bytes={bytes} cpus=1]",
        // What memory takes of whole lines of zeros is a primitive.
        "method=zero_line: t0 bandwidth of the method",
        "method!=zero_line: bandwidth of the method",
    ],
    evidence: WRITE.evidence,
    in_lines: |point| with_instructions(point, Action::Fill),
    run: |bench| run(bench, Action::Fill),
    ..COMMON
};

/// Proves loads, stores and bytes, too.
const INSTRUCTIONS: &str = "instructions=*: instructions {instructions - 0.01}..{instructions + 0.01}: \
                            the declared loads and stores of a block of 1 KiB";
