//! Reference methods: words of four bytes in a compiler's loop, memset of zeros, a copy that fits the last cache.

use super::alone;
use measure::{Area, Bench, Failure, Operation, Reference, Rehearse};
use quantity::Quantity;
use record::Need;
use std::hint::black_box;
use sys::bandwidth::{Action, Blocks, Content, Method};
use sys::memory::Mapping;

const ALONE: Operation = Operation {
    area: Area::Memory,
    quantity: Quantity::Bandwidth,
    confounds: "This is what the method gives, not what memory does: see the row of the right one.",
    rehearse: Rehearse::Nothing,
    payload_bytes: |_| Some(BLOCK as u64),
    needs: |_| vec![Need::Memory { bytes: LARGE as u64 }],
    evidence: &[
        "answers = 1: the sum of what was read, or two words of what was written, were right",
        "linear",
        "undisturbed",
    ],
    spend_ns: 8_000_000,
    ..Operation::NEW
};

/// A loop as a compiler without optimisation makes it.
pub static WORDS: Operation = Operation {
    id: "memory.bandwidth.read.words_of_four",
    title: "bytes read by a loop over words of four bytes",
    one_iteration: "one block of 256 KiB read, four bytes at a time",
    method: "An array of 64 MiB is added up by a loop over words of four bytes, with the sum in memory as \
             unoptimised code has it.",
    sources: &[
        ("R0, R1, R2", "a loop over an array of int"),
        ("R4", "the same, unrolled by hand"),
    ],
    reference: Some(Reference {
        wrong: "Four bytes in the time of a loop that waits for its sum in memory: the result is the loop's speed, \
                and memory could do several times as much (E04, E12).",
        right: ("memory.bandwidth.read", "method=widest bytes=128MiB cpus=1"),
    }),
    predict: &[
        "software the loop = 4 bytes × 1e9 ns/s / ((family.store_forward_cycles + 1 cycle (×1.5: a store forwarded \
                to the next load, and the addition: the chain of the sum)) × cycle_ns)",
    ],
    run: words,
    ..ALONE
};

/// memset with zeros.
pub static ZEROS: Operation = Operation {
    id: "memory.bandwidth.fill.zeros_in_cache",
    title: "memset of zeros in a buffer of 8 MiB",
    one_iteration: "one block of 256 KiB set to zero by memset",
    method: "memset with zero through a buffer of 8 MiB that is zero already, round and round.",
    sources: &[
        ("R2, R4", "memset of an array with zero"),
        ("lmbench", "bw_mem bzero"),
    ],
    reference: Some(Reference {
        wrong: "Some processors move zeros at twice the rate (E60), and 8 MiB lie in the last cache (E61): neither is \
                what a program's bytes cost in memory.",
        right: ("memory.bandwidth.fill", "method=library bytes=128MiB cpus=1"),
    }),
    predict: &["hardware t1 the last cache = [memory.bandwidth.fill method=library bytes=4MiB cpus=1]"],
    run: |bench| within(bench, Action::Fill, Content::Zeros),
    ..ALONE
};

/// bcopy.
pub static CACHED: Operation = Operation {
    id: "memory.bandwidth.copy.in_cache",
    title: "memcpy in a buffer of 8 MiB",
    one_iteration: "one block of 256 KiB copied by memcpy",
    method: "memcpy from the first 4 MiB of a buffer to the second, round and round.",
    sources: &[("R4", "bcopy of an array"), ("tinymembench", "buffers of 32 MB")],
    reference: Some(Reference {
        wrong: "8 MiB lie in the last cache of most machines, and are called memory (E61): a third too fast, or more.",
        right: ("memory.bandwidth.copy", "method=library bytes=128MiB cpus=1"),
    }),
    predict: &["hardware t1 the last cache = [memory.bandwidth.copy method=library bytes=4MiB cpus=1]"],
    run: |bench| within(bench, Action::Copy, Content::Random),
    ..ALONE
};

/// Bytes of a block, of the buffer that fits the last cache, and of the array that does not.
const BLOCK: usize = 256 << 10;
const SMALL: usize = 8 << 20;
const LARGE: usize = 64 << 20;

fn within(bench: &mut Bench<'_>, action: Action, content: Content) -> Result<(), Failure> {
    let made = Blocks::new(action, Method::Library, (SMALL, BLOCK), content, bench.seed())?;
    let blocks = made.ok_or_else(|| Failure::Failed("the library does not do this".to_owned()))?;
    alone(bench, blocks, SMALL)
}

/// The sum of a block's words of four bytes, with the sum in memory.
fn sum(block: &[u8]) -> u32 {
    let mut sum = 0_u32;
    for chunk in block.chunks_exact(4) {
        let word = chunk.first_chunk().map_or(0, |bytes| u32::from_ne_bytes(*bytes));
        sum = sum.wrapping_add(word);
        black_box(&mut sum);
    }
    sum
}

fn words(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let mut mapping = Mapping::private(LARGE)?;
    mapping.touch(bench.seed());
    let bytes = &*mapping.bytes_mut();
    let right: Vec<u32> = bytes.chunks_exact(BLOCK).map(sum).collect();
    let mut next = 0;
    bench.slope(&mut |n| {
        let mut answers = 0;
        for _ in 0..n {
            let block = bytes.get(next * BLOCK..(next + 1) * BLOCK).unwrap_or_default();
            answers += u64::from(right.get(next) == Some(&sum(block)));
            next = (next + 1) % right.len();
        }
        Ok(answers)
    })
}
