//! Words at a stride, each counted as a line, with the last-level cache filled before.

use measure::{Bench, Result, choice, parameters};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use sys::clock::Clock;
use sys::memory::Mapping;

/// Bytes that are read or written at a stride, and as many that fill the cache before.
pub const BYTES: usize = 64 << 20;

/// Words from one access to the next (256 bytes), as in R3, and of a line.
const STRIDE: usize = 32;
const LINE: usize = 8;

/// Passes of a trial.
const PASSES: usize = 4;

/// Leaves lines of other memory in the last-level cache, modified or not.
fn fill_cache(words: &[AtomicU64], dirty: bool) {
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
    pub enum LastCache {
        /// Lines that were read.
        Clean = "clean",
        /// Lines that were written.
        Dirty = "dirty",
    }
}

parameters! {
    /// Accesses to one word of each line.
    pub struct CountedLines {
        /// What the last cache holds before.
        last_cache: LastCache,
    }
}

/// Reads.
///
/// # Errors
/// When there is no memory.
pub fn read(bench: &mut Bench<'_>) -> Result<()> {
    run(bench, false)
}

/// Writes.
///
/// # Errors
/// When there is no memory.
pub fn write(bench: &mut Bench<'_>) -> Result<()> {
    run(bench, true)
}

fn run(bench: &mut Bench<'_>, writes: bool) -> Result<()> {
    let dirty = bench.parameters::<CountedLines>()?.last_cache == LastCache::Dirty;
    let (mut mapping, mut other) = (Mapping::private(BYTES)?, Mapping::private(BYTES)?);
    mapping.touch(bench.seed());
    other.touch(bench.seed());
    let (words, others) = (mapping.words(), other.words());
    let sum = || {
        let words = words.iter().step_by(STRIDE);
        words.fold(0_u64, |sum, word| sum.wrapping_add(word.load(Ordering::Relaxed)))
    };
    let (expected, accesses) = (sum(), words.len().div_ceil(STRIDE));
    let (clock, mut values, mut correct) = (Clock::select(), Vec::with_capacity(PASSES), 0_u64);
    bench.watched_for(PASSES as f64, || {
        for pass in 1..=PASSES as u64 {
            fill_cache(others, dirty);
            let start = clock.moment();
            if writes {
                words.iter().step_by(STRIDE).for_each(|word| word.store(pass, Ordering::Relaxed));
            } else {
                correct += u64::from(black_box(sum()) == expected);
            }
            let nanos = clock.moment().nanos_since(start) as f64;
            values.push((accesses * LINE * 8) as f64 * 1e9 / nanos.max(1.0));
            correct += u64::from(writes && sum() == pass * accesses as u64);
        }
        Ok(())
    })?;
    bench.count("answers", correct as f64, PASSES as f64);
    bench.values(values);
    Ok(())
}
