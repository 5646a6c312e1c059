//! Bandwidth: an unoptimised loop over 4-byte words, memset to zero, copies within a cache.

use crate::method::FlawedMethod;
use measure::{Bench, Failure, Operation, Parameters, Point, Rehearse, Result, takes};
use operations::bases::MEMORY;
use quantity::Quantity;
use record::{Need, Plot};
use std::hint::black_box;
use sys::bandwidth::{Action, Blocks, Content, Method};
use sys::memory::Mapping;
use workloads::memory::WorkingSet;
use workloads::memory::bandwidth::BLOCK;
use workloads::memory::bandwidth::single::run_single;

const MOVED: Operation = Operation {
    quantity: Quantity::Bandwidth,
    confounds: "This is the result of the method, not of memory: see the correct operation.",
    rehearse: Rehearse::Nothing,
    payload_bytes: |_| Some(BLOCK as u64),
    needs: |_| vec![Need::Memory { bytes: LARGE as u64 }],
    evidence: &["answers = 1: the sum read, or two words written, were correct", "linear", "undisturbed"],
    spend_ns: 8_000_000,
    ..MEMORY
};

/// An unoptimised loop.
pub static WORDS: FlawedMethod = FlawedMethod {
    wrong: "Each turn waits for the sum in memory: the result is the speed of the loop; memory is several times \
            faster (E04, E12).",
    right: ("memory.bandwidth.read", "method=widest bytes=128MiB cpus=1"),
    card: Operation {
        id: "memory.bandwidth.read.words_of_four",
        title: "read bandwidth of an unoptimised loop over 4-byte words",
        one_iteration: "one block of 256 KiB, or the array if it is smaller, read in 4-byte words",
        method: "A loop sums the 4-byte words of an array of n bytes, with the sum in memory as in unoptimised code.",
        sources: &[(
            "R1, 3 RAM access",
            "integers of an array in a loop, by its size: called the access time of a cache; the order is not said",
        )],
        predict: &[
            "software loop through a sum in memory = 4 bytes × 1e9 ns/s / ((family.store_forward_cycles + 1 cycle (×1.5: a store forwarded \
                    to the next load, and the addition)) × cycle_ns)",
        ],
        parameters: takes::<WorkingSet>,
        points: &[
            "profile!=thorough: bytes=4B|16KiB|256KiB|64MiB",
            "profile=thorough: bytes=4B|64B|1KiB|4KiB|16KiB|64KiB|256KiB|1MiB|4MiB|16MiB|64MiB",
        ],
        payload_bytes: |point| Some(array_and_block(point).1 as u64),
        plot: Some(|| Plot::logarithmic("bytes", "size of the array", Quantity::Size)),
        run: sum_words,
        ..MOVED
    },
};

/// memset with zeros.
pub static ZEROS: FlawedMethod = FlawedMethod {
    wrong: "Some processors move zeros at twice the rate (E60), and 8 MiB fit the last-level cache (E61): neither \
            is memory bandwidth.",
    right: ("memory.bandwidth.fill", "method=library bytes=128MiB cpus=1"),
    card: Operation {
        id: "memory.bandwidth.fill.zeros_in_cache",
        title: "memset to zero within a buffer of 8 MiB",
        one_iteration: "one block of 256 KiB set to zero by memset",
        method: "memset to zero, repeatedly through a buffer of 8 MiB that is already zero.",
        sources: &[("lmbench", "bw_mem bzero")],
        predict: &["hardware t1 last-level cache = [memory.bandwidth.fill method=library bytes=4MiB cpus=1]"],
        run: |bench| within_small(bench, Action::Fill, Content::Zeros),
        ..MOVED
    },
};

/// bcopy.
pub static CACHED: FlawedMethod = FlawedMethod {
    wrong: "8 MiB fit the last-level cache of most machines and are called memory (E61): a third too fast or more.",
    right: ("memory.bandwidth.copy", "method=library bytes=128MiB cpus=1"),
    card: Operation {
        id: "memory.bandwidth.copy.in_cache",
        title: "memcpy within a buffer of 8 MiB",
        one_iteration: "one block of 256 KiB copied by memcpy",
        method: "memcpy from the first 4 MiB of a buffer to the second, repeatedly.",
        sources: &[("tinymembench", "buffers of 32 MB")],
        predict: &["hardware t1 last-level cache = [memory.bandwidth.copy method=library bytes=4MiB cpus=1]"],
        run: |bench| within_small(bench, Action::Copy, Content::Random),
        ..MOVED
    },
};

/// bcopy of few bytes.
pub static SMALL_COPY: FlawedMethod = FlawedMethod {
    wrong: "both buffers are in the first-level cache: neither size reaches memory (E16), and few bytes give the cost of a call",
    right: ("memory.bandwidth.copy", "method=library bytes=128MiB cpus=1"),
    card: Operation {
        id: "memory.bandwidth.copy.small",
        title: "memcpy of n bytes, repeatedly",
        one_iteration: "one memcpy of n bytes between two buffers on pages of their own",
        method: "memcpy of the same n bytes from one page-aligned buffer to another, in a loop; the first byte differs from batch to \
                 batch, and the copy is compared after each.",
        sources: &[(
            "R4, 5.2",
            "bcopy of 1 B to more than two pages, up to 27 bytes per nanosecond, called the bandwidth of RAM (E16)",
        )],
        parameters: takes::<WorkingSet>,
        points: &[
            "profile!=thorough: bytes=1B|64B|1KiB|8KiB",
            "profile=thorough: bytes=1B|4B|16B|64B|256B|1KiB|2KiB|4KiB|8KiB|16KiB",
        ],
        needs: |_| Vec::new(),
        payload_bytes: |point| WorkingSet::read(point).ok().map(|all| all.bytes.bytes()),
        plot: Some(|| Plot::logarithmic("bytes", "bytes copied", Quantity::Size)),
        predict: &[
            "hardware t0 call, and a vector in each cycle = {bytes} bytes × 1e9 ns/s / (({6 + bytes / 32} cycles (×1.7: a call through \
             the linkage table and a return, and 32 bytes stored in a cycle)) × cycle_ns)",
            "hardware t1 call, and bytes as in L1 = {bytes} bytes × 1e9 ns/s / ([call.procedure.indirect method=linker] + {bytes} bytes × 1e9 ns/s / \
             [memory.bandwidth.copy method=library bytes=16KiB cpus=1])",
        ],
        evidence: &[
            "answers = 1: after each batch the copy was equal to its source",
            "linear",
            "undisturbed",
        ],
        run: copy_repeatedly,
        ..MOVED
    },
};

/// Copies the same bytes from one page to another.
fn copy_repeatedly(bench: &mut Bench<'_>) -> Result<()> {
    let bytes = bench.parameters::<WorkingSet>()?.bytes.bytes() as usize;
    let (mut source, mut copy) = (Mapping::private(bytes)?, Mapping::private(bytes)?);
    source.touch(bench.seed());
    bench.slope(&mut |n| {
        let source = source.bytes_mut().get_mut(..bytes).unwrap_or_default();
        let copy = copy.bytes_mut().get_mut(..bytes).unwrap_or_default();
        if let Some(first) = source.first_mut() {
            *first = first.wrapping_add(1);
        }
        for _ in 0..n {
            black_box(&mut *copy).copy_from_slice(black_box(&*source));
        }
        Ok(if copy == source { n } else { 0 })
    })
}

/// Bytes of a buffer that fits the last-level cache.
const SMALL: usize = 8 << 20;

/// Bytes of an array that does not.
const LARGE: usize = 64 << 20;

/// Blocks of a buffer that fits the last-level cache, by the C library's function.
fn within_small(bench: &mut Bench<'_>, action: Action, content: Content) -> Result<()> {
    let made = Blocks::new(action, Method::Library, (SMALL, BLOCK), content, bench.seed())?;
    let blocks = made.ok_or_else(|| Failure::failed("the library has no such function"))?;
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

/// Bytes of the array of a point, and of its blocks.
fn array_and_block(point: &Point) -> (usize, usize) {
    let array = WorkingSet::read(point).map_or(LARGE, |set| set.bytes.bytes() as usize);
    (array, array.min(BLOCK))
}

/// Sums the 4-byte words of an array, with the sum in memory.
fn sum_words(bench: &mut Bench<'_>) -> Result<()> {
    let (array, block) = array_and_block(bench.point());
    let mut mapping = Mapping::private(array)?;
    mapping.touch(bench.seed());
    let bytes = &*mapping.bytes_mut();
    let expected: Vec<u32> = bytes.chunks_exact(block).map(sum).collect();
    let mut next = 0;
    bench.slope(&mut |n| {
        let mut answers = 0;
        for _ in 0..n {
            let block = bytes.get(next * block..(next + 1) * block).unwrap_or_default();
            answers += u64::from(expected.get(next) == Some(&sum(block)));
            next = (next + 1) % expected.len();
        }
        Ok(answers)
    })
}
