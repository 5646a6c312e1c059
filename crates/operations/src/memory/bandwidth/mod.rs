//! Bytes per second that are read from, written to, copied in and filled in caches and memory, by every method.

mod crew;
pub mod loaded;
mod points;
pub mod reference;

use measure::{Area, Bench, Failure, Operation, Point, Rehearse, Work};
use points::points;
use quantity::{Bytes, Quantity};
use record::Need;
use sys::bandwidth::{Action, Blocks, Content, Method};

const COMMON: Operation = Operation {
    area: Area::Memory,
    quantity: Quantity::Bandwidth,
    confounds: "Bytes of the program are counted, each once: a plain store also brings the line from memory before it \
                goes there, so that the bus carries twice (write) or three times (copy: against twice as STREAM \
                counts) as much; non-temporal stores and long string instructions save that. A last cache larger \
                than a quarter of the buffers holds a part of them, and one that is shared holds what its neighbours \
                leave. Virtual CPUs may lie near each other or not, and that changes while the machine runs: modes \
                between trials of cpus=all are real, and ipc.cache_line.round_trip beside it shows which one it is.",
    rehearse: Rehearse::CallsAndInstructions,
    needs,
    bounds: &[
        "cpus=1: < 128 bytes/cycle × hertz: no core loads more than two vectors of 64 bytes in a cycle, or stores more than \
         that",
        "cpus=all: < 128 bytes/cycle × hertz × cpus.allowed: no core loads more than two vectors of 64 bytes in a cycle, or \
         stores more than that",
    ],
    spend_ns: 8_000_000,
    ..Operation::NEW
};

/// Loads of every byte.
pub static READ: Operation = Operation {
    id: "memory.bandwidth.read",
    title: "bytes read from a working set of a given size",
    one_iteration: "one block read and all its words added up",
    method: "Random words are added up in assembly, block after block round the working set; the sum of every batch \
             is compared with one computed apart. loop: a word of 8 bytes in a turn; unrolled: 64 words; vectorN: \
             vectors of N bits; widest: the widest that the processor has; prefetch: each line asked for 8 KiB ahead \
             by prefetchnta; streams: four places of a block in turns. cpus=all: every CPU has a thread and memory \
             of its own, and takes the next blocks from a common count until all are done.",
    sources: &[
        (
            "R0, R1, R2, R4",
            "loops over words of 4 bytes: the loop's speed (E04)",
        ),
        ("R3", "a stride of one line"),
        ("STREAM", "none: it copies, scales and adds"),
        ("lmbench", "bw_mem rd: every fourth word is read"),
        ("sysbench", "memory --memory-oper=read: blocks of 1 KiB"),
    ],
    points: |profile| points(profile, Action::Read),
    payload_bytes: |point| Some(Spec::of(point, Action::Read).block as u64),
    predict: &[
        "let core = processor.vector_bytes × 1.9 (×1.25: two loads of the widest vectors in a cycle (Zen 5: 1.9)) / 1 cycle",
        "method=loop: let core = word_loop",
        "method=unrolled: let core = loads(8)",
        "method=vector128: let core = loads(16)",
        "method=vector256: let core = loads(32)",
        "let second = 46 bytes/cycle (×1.6: Zen 5: 206 GB/s at 4.5 GHz; Golden Cove has a path of 64 bytes)",
        "definitions of far memory",
        "let far = read",
        "method=widest size=4MiB: let t1 far = by_latency([memory.latency pages=4KiB size=4MiB])",
        "method=widest size=128MiB: let t1 far = by_latency([memory.latency pages=4KiB size=64MiB])",
        "let t1 alone = [memory.bandwidth.read method={method} size={size} cpus=1]",
        "what the method moves",
    ],
    evidence: &[
        "answers = 1: the sum of all words read is right in every batch",
        "blocks({min(size, 262144)})",
        INSTRUCTIONS,
    ],
    in_lines: |point| with_instructions(point, Action::Read),
    headline: &[
        ("method=widest size=128MiB cpus=1", "memory read, one CPU"),
        ("method=widest size=128MiB cpus=all", "memory read, all CPUs"),
    ],
    run: |bench| run(bench, Action::Read),
    ..COMMON
};

/// Stores of every word.
pub static WRITE: Operation = Operation {
    id: "memory.bandwidth.write",
    title: "bytes written to a working set of a given size",
    one_iteration: "one block whose every word is written",
    method: "One random word is stored in every place in assembly, block after block round the working set. Before \
             each batch two words are spoilt, which must be right after it; in the end every word of every block is \
             looked at. Methods as of memory.bandwidth.read; nontemporal: with O_DIRECTs, and the fence that waits \
             for the stores is in the time. data=zeros: a word of zero, over zeros.",
    sources: &[
        ("R0, R1, R2, R4", "loops over words, memset with zeros (E60)"),
        ("lmbench", "bw_mem wr: every fourth word is written"),
        ("sysbench", "memory: blocks of 1 KiB"),
        ("stress-ng", "--stream"),
    ],
    points: |profile| points(profile, Action::Write),
    payload_bytes: |point| Some(Spec::of(point, Action::Write).block as u64),
    predict: &[
        "let core = widest_stores",
        "method=loop: let core = word_loop",
        "method=unrolled: let core = stores(8)",
        "method=vector128: let core = stores(16)",
        "let second = 40 bytes/cycle (×1.6: Zen 5: 55; where each line comes in and goes out by one path, half of 64)",
        "definitions of far memory",
        "let far = written",
        "method=widest: let far = stored(read)",
        "method=nontemporal: let far = stored_past(read)",
        "let t1 alone = [memory.bandwidth.write method={method} size={size} cpus=1]",
        "what the method moves",
    ],
    evidence: &[
        "answers = 1: words spoilt before a batch were written by it",
        "blocks({min(size, 262144)})",
        INSTRUCTIONS,
    ],
    in_lines: |point| with_instructions(point, Action::Write),
    headline: &[("method=widest size=128MiB cpus=1", "memory write, one CPU")],
    run: |bench| run(bench, Action::Write),
    ..COMMON
};

/// From one place to another.
pub static COPY: Operation = Operation {
    id: "memory.bandwidth.copy",
    title: "bytes copied within a working set of a given size",
    one_iteration: "one block copied",
    method: "Random words are copied from the first half of the working set to the second, block after block. The \
             bytes copied are counted once (STREAM counts them twice). Two words of the target are spoilt before \
             each batch and must be right after it; in the end source and target are compared. library: memcpy; \
             string: rep movsb; nontemporal: stored with O_DIRECTs with the fence in the time; \
             nontemporal_prefetch: and the source asked for 8 KiB ahead.",
    sources: &[
        ("R4", "bcopy"),
        ("STREAM", "copy, by what the compiler makes of a loop"),
        ("mbw", "memcpy, memcpy of blocks, a loop of long words"),
        ("lmbench", "bw_mem cp, bcopy"),
        ("stress-ng", "--memcpy"),
        (
            "tinymembench",
            "every method; 32 MB buffers lie in large last caches (E61)",
        ),
    ],
    points: |profile| points(profile, Action::Copy),
    payload_bytes: |point| Some(Spec::of(point, Action::Copy).block as u64),
    predict: &[
        "let core = widest_stores",
        "method=loop: let core = word_loop",
        "method=library|string: let core = string_instruction",
        "method=unrolled: let core = stores(8)",
        "method=vector128: let core = stores(16)",
        "let second = 23 bytes/cycle (×1.6: Zen 5: 105 GB/s at 4.5 GHz)",
        "definitions of far memory",
        "let far = one_after_the_other(read, written)",
        "method=nontemporal|nontemporal_prefetch|string|library: let far = one_after_the_other(read, past)",
        "let t1 alone = [memory.bandwidth.copy method={method} size={size} cpus=1]",
        "what the method moves",
    ],
    evidence: &[
        "answers = 1: words spoilt before a batch were written by it",
        "blocks({min(size / 2, 262144)})",
        INSTRUCTIONS,
    ],
    in_lines: |point| with_instructions(point, Action::Copy),
    headline: &[("method=library size=128MiB cpus=1", "memcpy, one CPU")],
    run: |bench| run(bench, Action::Copy),
    ..COMMON
};

/// The same byte everywhere.
pub static FILL: Operation = Operation {
    id: "memory.bandwidth.fill",
    title: "bytes filled in a working set of a given size",
    one_iteration: "one block filled with a byte",
    method: "Every byte of a block becomes the same random byte, block after block. library: memset; string: rep \
             stosb; zero_line: the instruction that clears a line (clzero of AMD). Checked as \
             memory.bandwidth.write. data=zeros: the byte is zero, over zeros.",
    sources: &[
        ("R0", "rep stos"),
        ("R2, R4", "memset with zeros (E60)"),
        ("lmbench", "bw_mem bzero"),
    ],
    points: |profile| points(profile, Action::Fill),
    payload_bytes: |point| Some(Spec::of(point, Action::Fill).block as u64),
    predict: &[
        "let core = widest_stores",
        "method=library|string: let core = string_instruction",
        "let second = 39 bytes/cycle (×1.6: rep stosb on a Zen 5: 176 GB/s at 4.5 GHz)",
        "definitions of far memory",
        "let far = past",
        "let t1 alone = [memory.bandwidth.fill method={method} size={size} cpus=1]",
        "what the method moves",
    ],
    evidence: &[
        "answers = 1: words spoilt before a batch were written by it",
        "blocks({min(size, 262144)})",
        INSTRUCTIONS,
    ],
    in_lines: |point| with_instructions(point, Action::Fill),
    run: |bench| run(bench, Action::Fill),
    ..COMMON
};

/// Bytes of a block at most: long enough that what happens at its ends is nothing, short enough for a batch.
const BLOCK: usize = 256 << 10;

/// The working set that stands for memory, in bytes: four times the last cache of most machines.
const MEMORY: u64 = 128 << 20;

/// One size for each level: first cache, second cache, last cache, memory.
const SIZES: [u64; 4] = [16 << 10, 256 << 10, 4 << 20, MEMORY];

/// Bytes of a block where every instruction is stepped through.
const REHEARSED: usize = 1 << 10;

/// Working sets of all CPUs together, in bytes, at most: so much is asked of the machine.
const ALL_TOGETHER: usize = 512 << 20;

/// How the point goes about it.
#[derive(Debug, Clone, Copy)]
struct Spec {
    method: Option<Method>,
    /// The working set of one CPU, and of a block: of its source for a copy.
    size: usize,
    block: usize,
    content: Content,
}

impl Spec {
    fn of(point: &Point, action: Action) -> Self {
        let size = point
            .get("size")
            .and_then(|text| quantity::parse_bytes(text).ok());
        let size = usize::try_from(size.map_or(0, Bytes::bytes)).unwrap_or(0);
        Self {
            method: point.get("method").and_then(Method::named),
            size,
            block: (size / action.parts()).min(BLOCK),
            content: if point.get("data") == Some("zeros") {
                Content::Zeros
            } else {
                Content::Random
            },
        }
    }

    /// The same where every instruction is stepped through.
    fn rehearsed(self, action: Action) -> Self {
        Self {
            size: REHEARSED * action.parts(),
            block: REHEARSED,
            ..self
        }
    }

    /// The same with a share of what all CPUs may have together.
    fn among(self, cpus: usize) -> Self {
        let share = ALL_TOGETHER / cpus.max(1) / (2 * self.block).max(1) * (2 * self.block);
        Self {
            size: self.size.min(share.max(2 * self.block)),
            ..self
        }
    }

    /// The memory, cut into blocks.
    fn blocks(self, action: Action, seed: u64) -> Result<Blocks, Failure> {
        let method = self
            .method
            .ok_or_else(|| Failure::Failed("the point needs a method".to_owned()))?;
        let made = Blocks::new(action, method, (self.size, self.block), self.content, seed)?;
        made.ok_or_else(|| {
            Failure::skipped(
                "the processor lacks the instructions of this method",
                "expected; no action needed; method=widest takes the widest vectors that there are",
            )
        })
    }
}

fn needs(point: &Point) -> Vec<Need> {
    let size = Spec::of(point, Action::Read).size;
    if point.on_all_cpus() {
        let bytes = if size as u64 == MEMORY { ALL_TOGETHER } else { size };
        return vec![
            Need::SecondCpu,
            Need::Pinning,
            Need::Memory { bytes: bytes as u64 },
        ];
    }
    vec![Need::Memory { bytes: size as u64 }]
}

/// So also loads, stores and bytes.
const INSTRUCTIONS: &str = "instructions=*: instructions {instructions - 0.01}..{instructions + 0.01}: \
                            the loads and stores declared for a block of 1 KiB, and no fewer";

/// The point with the instructions of a block of 1 KiB; not for the library, whose procedures are its own.
fn with_instructions(point: &Point, action: Action) -> Point {
    let method = Spec::of(point, action).method;
    let own = method.filter(|method| *method != Method::Library && !point.on_all_cpus());
    let declared = own.and_then(|method| sys::bandwidth::declared(action, method, REHEARSED));
    match declared {
        Some(declared) => point.clone().with("instructions", declared.instructions),
        None => point.clone(),
    }
}

fn run(bench: &mut Bench<'_>, action: Action) -> Result<(), Failure> {
    let spec = Spec::of(bench.point(), action);
    if bench.is_rehearsal() {
        let blocks = spec.rehearsed(action).blocks(action, bench.seed())?;
        return alone(bench, blocks, REHEARSED * action.parts());
    }
    if bench.point().on_all_cpus() {
        return crew::all_cpus(bench, spec, action);
    }
    let blocks = spec.blocks(action, bench.seed())?;
    alone(bench, blocks, spec.size)
}

/// Blocks done by the calling thread; `size` is the working set that is meant.
pub fn alone(bench: &mut Bench<'_>, mut blocks: Blocks, size: usize) -> Result<(), Failure> {
    let mut main = |n: u64| Ok(if blocks.run(n) { n } else { 0 });
    bench.batches(Work::alone(&mut main))?;
    Looked::at(&blocks).tell(bench, size);
    Ok(())
}

/// What is found in the memory in the end.
#[derive(Debug, Clone, Copy, Default)]
struct Looked {
    right: u64,
    not_zero: u64,
    words: u64,
    bytes: usize,
}

impl Looked {
    fn at(blocks: &Blocks) -> Self {
        let checked = blocks.check();
        Self {
            right: checked.right,
            words: checked.words,
            not_zero: checked.not_zero,
            bytes: blocks.size(),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            right: self.right + other.right,
            not_zero: self.not_zero + other.not_zero,
            words: self.words + other.words,
            bytes: self.bytes + other.bytes,
        }
    }

    fn tell(self, bench: &mut Bench<'_>, size: usize) {
        let words = self.words as f64;
        bench.count("words.right", self.right as f64, words);
        bench.count("words.not_zero", self.not_zero as f64, words);
        bench.count("working_set", self.bytes as f64, size as f64);
    }
}
