//! Reference methods: an unoptimised loop over 4-byte words, memset to zero, a copy within the last-level cache.

use super::run_single;
use measure::{Area, Bench, Failure, Operation, Reference, Rehearse};
use quantity::Quantity;
use record::Need;
use std::hint::black_box;
use sys::bandwidth::{Action, Blocks, Content, Method};
use sys::memory::Mapping;

const REFERENCE: Operation = Operation {
    area: Area::Memory,
    quantity: Quantity::Bandwidth,
    confounds: "This is the result of the method, not of memory: see the correct operation.",
    rehearse: Rehearse::Nothing,
    payload_bytes: |_| Some(BLOCK as u64),
    needs: |_| vec![Need::Memory { bytes: LARGE as u64 }],
    evidence: &[
        "answers = 1: the sum read, or two words written, were correct",
        "linear",
        "undisturbed",
    ],
    spend_ns: 8_000_000,
    ..Operation::NEW
};

/// An unoptimised loop.
pub static WORDS: Operation = Operation {
    id: "memory.bandwidth.read.words_of_four",
    title: "read bandwidth of an unoptimised loop over 4-byte words",
    one_iteration: "one block of 256 KiB, read in 4-byte words",
    method: "A loop sums the 4-byte words of an array of 64 MiB, with the sum in memory as in unoptimised code.",
    sources: &[
        ("R0, R1, R2", "a loop over an array of int"),
        ("R4", "the same, unrolled manually"),
    ],
    reference: Some(Reference {
        wrong: "Each turn waits for the sum in memory: the result is the speed of the loop; memory is several times \
                faster (E04, E12).",
        right: ("memory.bandwidth.read", "method=widest bytes=128MiB cpus=1"),
    }),
    predict: &[
        "software loop through a sum in memory = 4 bytes × 1e9 ns/s / ((family.store_forward_cycles + 1 cycle (×1.5: a store forwarded \
                to the next load, and the addition)) × cycle_ns)",
    ],
    run: words,
    ..REFERENCE
};

/// memset with zeros.
pub static ZEROS: Operation = Operation {
    id: "memory.bandwidth.fill.zeros_in_cache",
    title: "memset to zero within a buffer of 8 MiB",
    one_iteration: "one block of 256 KiB set to zero by memset",
    method: "memset to zero, repeatedly through a buffer of 8 MiB that is already zero.",
    sources: &[
        ("R2, R4", "memset of an array to zero"),
        ("lmbench", "bw_mem bzero"),
    ],
    reference: Some(Reference {
        wrong: "Some processors move zeros at twice the rate (E60), and 8 MiB fit the last-level cache (E61): neither \
                is memory bandwidth.",
        right: ("memory.bandwidth.fill", "method=library bytes=128MiB cpus=1"),
    }),
    predict: &["hardware t1 last-level cache = [memory.bandwidth.fill method=library bytes=4MiB cpus=1]"],
    run: |bench| within(bench, Action::Fill, Content::Zeros),
    ..REFERENCE
};

/// bcopy.
pub static CACHED: Operation = Operation {
    id: "memory.bandwidth.copy.in_cache",
    title: "memcpy within a buffer of 8 MiB",
    one_iteration: "one block of 256 KiB copied by memcpy",
    method: "memcpy from the first 4 MiB of a buffer to the second, repeatedly.",
    sources: &[("R4", "bcopy of an array"), ("tinymembench", "buffers of 32 MB")],
    reference: Some(Reference {
        wrong: "8 MiB fit the last-level cache of most machines and are called memory (E61): a third too fast or more.",
        right: ("memory.bandwidth.copy", "method=library bytes=128MiB cpus=1"),
    }),
    predict: &["hardware t1 last-level cache = [memory.bandwidth.copy method=library bytes=4MiB cpus=1]"],
    run: |bench| within(bench, Action::Copy, Content::Random),
    ..REFERENCE
};

/// Bytes of a block, of a buffer that fits the last-level cache, and of an array that does not.
const BLOCK: usize = 256 << 10;
const SMALL: usize = 8 << 20;
const LARGE: usize = 64 << 20;

fn within(bench: &mut Bench<'_>, action: Action, content: Content) -> Result<(), Failure> {
    let made = Blocks::new(action, Method::Library, (SMALL, BLOCK), content, bench.seed())?;
    let blocks = made.ok_or_else(|| Failure::Failed("the library has no such function".to_owned()))?;
    run_single(bench, blocks, SMALL)
}

/// The sum of a block's 4-byte words, kept in memory.
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
    let expected: Vec<u32> = bytes.chunks_exact(BLOCK).map(sum).collect();
    let mut next = 0;
    bench.slope(&mut |n| {
        let mut answers = 0;
        for _ in 0..n {
            let block = bytes.get(next * BLOCK..(next + 1) * BLOCK).unwrap_or_default();
            answers += u64::from(expected.get(next) == Some(&sum(block)));
            next = (next + 1) % expected.len();
        }
        Ok(answers)
    })
}
