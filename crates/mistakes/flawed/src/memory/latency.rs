//! Latency of memory: each load timed by itself, and a chain that is not a permutation.

use crate::method::FlawedMethod;
use measure::{Area, Bench, Operation, Result, Work, choice, parameters, takes};
use operations::bases::{MEMORY, STRIDE};
use quantity::{Bytes, Quantity};
use record::{Need, Plot};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use sys::chase::Order;
use sys::clock::Clock;
use sys::memory::Mapping;
use workloads::memory::WorkingSet;
use workloads::memory::chase::{size_of, strided_cycle};

choice! {
    /// Loads that are left out.
    enum Below {
        /// Those from 2000 ticks of the clock on.
        Ticks = "2000ticks",
    }
}

impl Below {
    /// The first number of ticks that is left out: as in R4, 5.1.
    fn ticks(self) -> i64 {
        match self {
            Self::Ticks => 2_000,
        }
    }
}

parameters! {
    /// Loads of a list, each timed.
    struct TimedLoads {
        /// Of the working set.
        bytes: Bytes,
        /// Loads that are left out; none without.
        below: Option<Below> = None,
    }
}

parameters! {
    /// Loads in a chain whose links go into the next chunk.
    struct ShortCycle {
        /// Length of a chunk, in which the next load is anywhere.
        chunk: Bytes,
        /// Of the working set.
        bytes: Bytes,
    }
}

/// Each load between two clock reads.
pub static TIMED: FlawedMethod = FlawedMethod {
    wrong: "the clock reads cost more than a load from a cache (E07), and a list in order is prefetched (E17)",
    right: ("memory.latency", "page_size=4KiB bytes=64MiB"),
    card: Operation {
        id: "memory.latency.timed",
        area: Area::Memory,
        title: "dependent load of a list in order, timed individually",
        one_iteration: "one load of a list's next node, between two clock reads",
        method: "The lines of the working set are linked from the last to the first, in the reverse of the order in which they were \
                 written. The walk goes once through all of them and reads the clock before and after each load. The values are \
                 2048 loads at equal distances. The record keeps up to 4096 loads as a curve over the number of the load, the \
                 distance of two of which grows with that number. below=2000ticks: slower loads are left out of both.",
        confounds: "This is the result of the method, not a latency: see the correct operation.",
        sources: &[(
            "R4, 5.1",
            "some two million nodes in reverse order, probably each access timed; drawn as it is, and without values from 2000 cycles on (E30)",
        )],
        // 128 MiB are two million lines.
        points: &[
            "profile!=thorough: bytes=16KiB|64MiB; bytes=64MiB below=2000ticks",
            "profile=thorough: bytes=16KiB|256KiB|4MiB|64MiB|128MiB; bytes=128MiB below=2000ticks",
        ],
        revision: 2,
        plot: Some(|| Plot::logarithmic("bytes", "size of the working set", Quantity::Size)),
        parameters: takes::<TimedLoads>,
        needs: |point| vec![Need::Memory { bytes: 2 * size_of(point) }],
        predict: &[
            "hardware t0 clock read = 40 cycles (×1.7: RDTSC behind a fence: 25 to 70 cycles) × cycle_ns",
            "hardware t0 load = family.l1_cycles × cycle_ns",
            "hardware t1 clock read = [clock.read.rdtsc_lfence]",
            "hardware t1 load, prefetched = [memory.latency.stride stride=64B access=forward bytes={bytes}]",
        ],
        evidence: &["answers = 1: every load gave the number of the next line"],
        bounds: &[],
        curve: Some(|| Plot {
            is_scatter: true,
            ..Plot::logarithmic("load", "number of the load", Quantity::Count)
        }),
        run: time_each_load,
        ..Operation::VALUES
    },
};
/// A random element of the next chunk.
pub static SHORT_CYCLE: FlawedMethod = FlawedMethod {
    wrong: "The links are not a permutation: the walk enters a cycle that has a few elements of each chunk, always forward (E15).",
    right: ("memory.latency", "page_size=4KiB bytes=64MiB"),
    card: Operation {
        id: "memory.latency.short_cycle",
        revision: 2,
        title: "dependent load from a random element of the next chunk",
        one_iteration: "one load whose address is the result of the previous load",
        method: "Every element of 8 bytes links to a random element of the next chunk, those of the last chunk to the first one. Each \
                 load depends on the previous one. Chunks of 32, 128 and 512 elements are the strides of R0, 4.2.3, which \
                 probably count elements. The walk enters a cycle of some four, seven or fourteen elements of each chunk.",
        confounds: "This is the result of the method, not memory latency: see the correct operation. The cycle's lines may fit a \
                    smaller cache than the working set.",
        sources: &[
            (
                "R0, 4.2.1",
                "each pointer to a random one of the next chunk, or without randomness to its first one",
            ),
            (
                "R3, 4.1.1",
                "each 8-byte element to a random one of the next chunk, lists of 1 KB to 256 MB, 100 000 loads",
            ),
        ],
        parameters: takes::<ShortCycle>,
        points: &[
            "profile!=thorough: chunk=4KiB bytes=16KiB|256KiB|4MiB|64MiB",
            "profile=thorough: chunk=256B bytes=1KiB|2KiB|4KiB|8KiB|16KiB|32KiB|64KiB|128KiB|256KiB|512KiB|1MiB|2MiB|4MiB|8MiB\
             |16MiB|32MiB|64MiB|128MiB|256MiB; \
             chunk=1KiB|4KiB bytes=16KiB|32KiB|64KiB|128KiB|256KiB|512KiB|1MiB|2MiB|4MiB|8MiB|16MiB|32MiB|64MiB|128MiB|256MiB",
        ],
        predict: &[],
        evidence: &["dependent loads"],
        run: |bench| {
            let chunk = bench.parameters::<ShortCycle>()?.chunk.bytes() / ELEMENT as u64;
            let order = Order::NextChunk(u32::try_from(chunk).unwrap_or(1), bench.seed());
            strided_cycle(bench, ELEMENT, order)
        },
        ..STRIDE
    },
};

/// Integers of an array, in order.
pub static INTEGERS: FlawedMethod = FlawedMethod {
    wrong: "The loads do not depend on each other and are prefetched: the result is the time of a turn of the loop (E17).",
    right: ("memory.latency", "page_size=4KiB bytes=64MiB"),
    card: Operation {
        id: "memory.latency.integers",
        title: "read of an integer of an array in order",
        one_iteration: "one integer of 4 bytes read and added",
        method: "A loop adds the 4-byte integers of an array, with the sum in memory as in unoptimised code; its time is divided by \
                 their number.",
        confounds: "This is the result of the method, not a latency: see the correct operation.",
        sources: &[(
            "R1, 3 RAM access",
            "the mean time to read an integer in a loop, arrays of powers of two to 2^20 integers; in which order is not said",
        )],
        parameters: takes::<WorkingSet>,
        points: &[
            "profile!=thorough: bytes=16KiB|256KiB|4MiB",
            "profile=thorough: bytes=1KiB|2KiB|4KiB|8KiB|16KiB|32KiB|64KiB|128KiB|256KiB|512KiB|1MiB|2MiB|4MiB",
        ],
        plot: STRIDE.plot,
        needs: |point| vec![Need::Memory { bytes: 2 * size_of(point) }],
        predict: &[
            "software loop through a sum in memory = (family.store_forward_cycles + 1 cycle (×1.5: a store forwarded to the next load, \
             and the addition)) × cycle_ns",
        ],
        evidence: &["answers = 1: the sum of the integers was right", "linear", "undisturbed"],
        run: add_integers,
        ..MEMORY
    },
};

/// Bytes of an element.
const ELEMENT: usize = 8;

/// Adds the integers of an array, again and again.
fn add_integers(bench: &mut Bench<'_>) -> Result<()> {
    let bytes = bench.parameters::<WorkingSet>()?.bytes.bytes() as usize;
    let mut mapping = Mapping::private(bytes)?;
    mapping.touch(bench.seed());
    let integers = mapping.short_words();
    let add = || {
        let mut sum = 0_u32;
        for integer in integers {
            sum = sum.wrapping_add(integer.load(Ordering::Relaxed));
            black_box(&mut sum);
        }
        sum
    };
    let (expected, count) = (add(), integers.len().max(1) as u64);
    bench.batches(Work {
        multiple_of: count,
        ..Work::new(&mut |n| Ok((0..n / count).map(|_| if add() == expected { count } else { 0 }).sum()))
    })
}

/// Loads that are values of a trial, and those that the record keeps as a curve.
const VALUES: usize = 2_048;
const KEPT: usize = 4_096;

/// Loads at least: small lists are walked again.
const MIN_LOADS: usize = 2_048;

/// Words from one line to the next.
const STEP: usize = 8;

fn load(words: &[AtomicU64], at: usize) -> usize {
    words.get(at).map_or(0, |word| word.load(Ordering::Relaxed) as usize)
}

/// Walks a list in order and reads the clock before and after each load.
fn time_each_load(bench: &mut Bench<'_>) -> Result<()> {
    let TimedLoads { bytes, below } = bench.parameters()?;
    let mut mapping = Mapping::private(bytes.bytes() as usize)?;
    mapping.touch(bench.seed());
    let words = mapping.words();
    let last = (words.len() / STEP).saturating_sub(1) * STEP;
    for line in (0..=last).step_by(STEP) {
        let next = if line == 0 { last } else { line - STEP };
        if let Some(word) = words.get(line) {
            word.store(next as u64, Ordering::Relaxed);
        }
    }
    let loads = (words.len() / STEP).max(MIN_LOADS);
    let (clock, mut at, mut correct) = (Clock::select(), last, 0);
    let mut ticks = vec![0_i64; loads];
    // The pages of the list were touched by its links, and so are those of the results.
    ticks.fill(1);
    let began = clock.moment();
    bench.watched_for(loads as f64, || {
        for place in &mut ticks {
            let before = clock.start();
            let next = black_box(load(words, black_box(at)));
            *place = clock.stop() - before;
            correct += u64::from(next == if at == 0 { last } else { at - STEP });
            at = next;
        }
        Ok(())
    })?;
    let scale = clock.nanos_per_tick(began, clock.moment());
    let limit = below.map_or(i64::MAX, Below::ticks);
    let shown = |number: &usize| {
        ticks.get(*number).filter(|ticks| **ticks < limit).map(|ticks| *ticks as f64 * scale)
    };
    let curve = kept(loads).into_iter().filter_map(|number| Some(((number + 1) as f64, shown(&number)?)));
    bench.curve(curve);
    bench.count("answers", correct as f64, loads as f64);
    bench.values((0..VALUES).filter_map(|value| shown(&(value * loads / VALUES))).collect());
    Ok(())
}

/// The numbers of the loads that are kept: all at first, then fewer, at distances that grow by a constant factor.
fn kept(loads: usize) -> Vec<usize> {
    let growth = (loads as f64).powf(1.0 / KEPT as f64);
    let (mut kept, mut next) = (Vec::with_capacity(KEPT), 0.0_f64);
    while (next as usize) < loads && kept.len() < KEPT {
        kept.push(next as usize);
        next = (next * growth).max(next + 1.0);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_loads_reach_from_the_first_to_near_the_last_and_are_few() {
        for loads in [2_048, 1 << 20, 2 << 20] {
            let kept = kept(loads);
            assert!(kept.len() <= KEPT && kept.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(
                kept.first() == Some(&0) && kept.last().is_some_and(|last| *last + loads / 50 > loads),
                "{loads}"
            );
        }
    }
}
