//! Bandwidth of words at a stride, each counted as a line, with the last-level cache filled before.

use crate::method::FlawedMethod;
use measure::{Area, Bench, Failure, Operation, Result, choice, parameters, takes};
use quantity::Quantity;
use record::Need;
use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};
use sys::clock::Clock;
use sys::memory::Mapping;

const COUNTED: Operation = Operation {
    area: Area::Memory,
    quantity: Quantity::Bandwidth,
    revision: 2,
    one_iteration: "one pass over 64 MiB: a word of 4 bytes of every fourth line, each counted as 64 bytes",
    confounds: "Every fourth line is touched, which some prefetchers follow and others do not. A write brings its line from memory \
                and evicts another one: twice the counted bytes move.",
    sources: &[(
        "R3, 4.2.1",
        "4-byte words at a stride of 256 bytes, counted as lines; the last cache filled clean for reads, dirty for writes",
    )],
    parameters: takes::<CountedLines>,
    points: &["last_cache=clean|dirty"],
    needs: |_| vec![Need::Memory { bytes: 3 * BYTES as u64 }],
    evidence: &[
        "answers = 1: every word held its content, or the one written to it",
        "working_set 2..1e4: the lines that fill the last-level cache take at least twice its size",
    ],
    ..Operation::VALUES
};

/// Reads.
pub static READ: FlawedMethod = FlawedMethod {
    wrong: "the rate is that of a loop that waits for single misses at a stride (E04), and not of a stream: lines are counted \
            whole, as they move, but the loop and the stride set their rate",
    right: ("memory.bandwidth.read", "method=widest bytes=128MiB cpus=1"),
    card: Operation {
        id: "memory.bandwidth.read.counted_lines",
        title: "read bandwidth of words at a stride, counted as lines",
        method: "Other memory of twice the last-level cache, and of at least 64 MiB, is read or written first, which leaves clean or \
                 dirty lines in it. Then a loop sums a word of 4 bytes at every 256 bytes of 64 MiB; the bandwidth is 64 bytes \
                 for each.",
        predict: &[
            "hardware t0 lines in flight = by_latency(family.memory_ns)",
            "hardware t1 lines at the rate of a stream = [memory.bandwidth.read method=widest bytes=128MiB cpus=1]",
        ],
        run: |bench| run(bench, false),
        ..COUNTED
    },
};

/// Writes.
pub static WRITE: FlawedMethod = FlawedMethod {
    wrong: "the rate is that of a loop that waits for single misses at a stride (E04), and not of a stream; each written line is \
            read first, so that half of the lines that move are not counted",
    right: ("memory.bandwidth.write", "method=widest bytes=128MiB cpus=1"),
    card: Operation {
        id: "memory.bandwidth.write.counted_lines",
        title: "write bandwidth of words at a stride, counted as lines",
        method: "As memory.bandwidth.read.counted_lines, but the words are written.",
        predict: &[
            "hardware t0 lines in flight = stored(by_latency(family.memory_ns))",
            "hardware t1 lines at the rate of a stream = [memory.bandwidth.write method=widest bytes=128MiB cpus=1]",
        ],
        run: |bench| run(bench, true),
        ..COUNTED
    },
};

/// Bytes that are read or written at a stride, and that fill the cache before at least.
const BYTES: usize = 64 << 20;

/// Words of 4 bytes from one access to the next (256 bytes), as in R3, 4.2.1, and of a line.
const STRIDE: usize = 64;
const LINE: usize = 16;

/// Bytes of a line, which are counted for each access.
const COUNTED_BYTES: usize = 64;

/// Passes of a trial.
const PASSES: usize = 4;

/// Leaves lines of other memory in the last-level cache, modified or not.
fn fill_cache(words: &[AtomicU32], dirty: bool) {
    for word in words.iter().step_by(LINE) {
        if dirty {
            word.store(1, Ordering::Relaxed);
        } else {
            black_box(word.load(Ordering::Relaxed));
        }
    }
}

choice! {
    /// What the last cache holds before.
    enum LastCache {
        /// Lines that were read.
        Clean = "clean",
        /// Lines that were written.
        Dirty = "dirty",
    }
}

parameters! {
    /// Accesses to one word of each line.
    struct CountedLines {
        /// What the last cache holds before.
        last_cache: LastCache,
    }
}

fn run(bench: &mut Bench<'_>, writes: bool) -> Result<()> {
    let dirty = bench.parameters::<CountedLines>()?.last_cache == LastCache::Dirty;
    let cache = sys::memory::last_level_cache();
    let filling = (2 * cache.unwrap_or(0)).max(BYTES);
    if filling > sys::memory::available().unwrap_or(usize::MAX) / 4 {
        return Err(Failure::skipped(
            "twice the last-level cache is more than a quarter of the memory available",
            "free memory, or raise the cgroup's limit",
        ));
    }
    let (mut mapping, mut other) = (Mapping::private(BYTES)?, Mapping::private(filling)?);
    mapping.touch(bench.seed());
    other.touch(bench.seed());
    let (words, others) = (mapping.short_words(), other.short_words());
    let sum = || {
        let words = words.iter().step_by(STRIDE);
        words.fold(0_u32, |sum, word| sum.wrapping_add(word.load(Ordering::Relaxed)))
    };
    let (expected, accesses) = (sum(), words.len().div_ceil(STRIDE));
    let (clock, mut values, mut correct) = (Clock::select(), Vec::with_capacity(PASSES), 0_u64);
    bench.watched_for(PASSES as f64, || {
        for pass in 1..=PASSES as u32 {
            fill_cache(others, dirty);
            let start = clock.moment();
            if writes {
                words.iter().step_by(STRIDE).for_each(|word| word.store(pass, Ordering::Relaxed));
            } else {
                correct += u64::from(black_box(sum()) == expected);
            }
            let nanos = clock.moment().nanos_since(start) as f64;
            values.push((accesses * COUNTED_BYTES) as f64 * 1e9 / nanos.max(1.0));
            correct += u64::from(writes && sum() == pass.wrapping_mul(accesses as u32));
        }
        Ok(())
    })?;
    bench.count("answers", correct as f64, PASSES as f64);
    let share = cache.map(|cache| filling as f64 / cache as f64);
    bench.try_count("working_set", share.ok_or("the kernel reports no size of the last-level cache"), 1.0);
    bench.values(values);
    Ok(())
}
