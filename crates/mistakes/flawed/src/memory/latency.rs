//! Latency of memory: each load timed by itself, and a chain that is not a permutation.

use crate::method::FlawedMethod;
use measure::{Area, Bench, Operation, Result, parameters, takes};
use operations::bases::STRIDE;
use quantity::{Bytes, Quantity};
use record::{Need, Plot};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use sys::chase::Order;
use sys::clock::Clock;
use sys::memory::Mapping;
use workloads::memory::chase::{size_of, strided_cycle};
use workloads::memory::{LINE, WorkingSet};

parameters! {
    /// Loads in a chain whose links go to one of the next lines.
    struct ShortCycle {
        /// Length within which the next load is anywhere.
        chunk: Bytes,
        /// Of the working set.
        bytes: Bytes,
    }
}

/// Each load between two clock reads.
pub static TIMED: FlawedMethod = FlawedMethod {
    wrong: "the clock reads cost more than a load from a cache (E07), and a list in order is prefetched (E15, E17)",
    right: ("memory.latency", "page_size=4KiB bytes=64MiB"),
    card: Operation {
        id: "memory.latency.timed",
        area: Area::Memory,
        title: "dependent load of a list in order, timed individually",
        one_iteration: "one load of a list's next node, between two clock reads",
        method: "The lines of the working set are linked from the last to the first. The walk reads the clock before and after each \
                 load. All of a trial's differences are in the record as a curve over the number of the load.",
        confounds: "This is the result of the method, not a latency: see the correct operation.",
        sources: &[(
            "R4, 5.1",
            "some two million nodes in reverse order, each access timed, values from 2000 cycles left out (E30)",
        )],
        points: &["profile!=thorough: bytes=16KiB|64MiB", "profile=thorough: bytes=16KiB|256KiB|4MiB|64MiB"],
        plot: Some(|| Plot::logarithmic("bytes", "size of the working set", Quantity::Size)),
        parameters: takes::<WorkingSet>,
        needs: |point| vec![Need::Memory { bytes: 2 * size_of(point) }],
        predict: &[
            "hardware t0 clock read = 40 cycles (×1.7: RDTSC behind a fence: 25 to 70 cycles) × cycle_ns",
            "hardware t0 load = family.l1_cycles × cycle_ns",
            "hardware t1 clock read = [clock.read.rdtsc_lfence]",
            "hardware t1 load, prefetched = [memory.latency.stride stride=64B access=forward bytes={bytes}]",
        ],
        evidence: &["answers = 1: every load gave the number of the next line"],
        bounds: &[],
        run: time_each_load,
        ..Operation::VALUES
    },
};
/// Random lines of those that follow.
pub static SHORT_CYCLE: FlawedMethod = FlawedMethod {
    wrong: "The links are not a permutation: the walk enters a cycle of about one line in thirty, always forward (E15).",
    right: ("memory.latency", "page_size=4KiB bytes=64MiB"),
    card: Operation {
        id: "memory.latency.short_cycle",
        title: "dependent load from a random one of the next lines",
        one_iteration: "one load whose address is the result of the previous load",
        method: "Every line of the working set links to a random one of the lines that follow within a chunk's length. Each load \
                 depends on the previous one. 32, 128 and 512 pointers are the strides of R0, 4.2.3.",
        confounds: "This is the result of the method, not memory latency: see the correct operation.",
        sources: &[
            ("R0, 4.2.1", "each element to a random one of the next chunk: the links are not a permutation"),
            ("R3, 4.1.1", "each element to a random one of the next chunk, lists of 1 KB to 256 MB"),
        ],
        parameters: takes::<ShortCycle>,
        points: &[
            "profile!=thorough: chunk=4KiB bytes=16KiB|256KiB|4MiB|64MiB",
            "profile=thorough: chunk=256B|1KiB|4KiB bytes=16KiB|64KiB|256KiB|1MiB|4MiB|16MiB|64MiB",
        ],
        predict: &[],
        evidence: &["dependent loads"],
        run: |bench| {
            let lines =
                u32::try_from(bench.parameters::<ShortCycle>()?.chunk.bytes() / LINE as u64).unwrap_or(1);
            strided_cycle(bench, LINE, Order::Within(lines, bench.seed()))
        },
        ..STRIDE
    },
};

/// Loads of a trial.
const LOADS: usize = 2_048;

/// Words from one line to the next.
const STEP: usize = 8;

fn load(words: &[AtomicU64], at: usize) -> usize {
    words.get(at).map_or(0, |word| word.load(Ordering::Relaxed) as usize)
}

/// Walks a list in order and reads the clock before and after each load.
fn time_each_load(bench: &mut Bench<'_>) -> Result<()> {
    let bytes = bench.parameters::<WorkingSet>()?.bytes.bytes() as usize;
    let mut mapping = Mapping::private(bytes)?;
    mapping.touch(bench.seed());
    let words = mapping.words();
    let last = (words.len() / STEP).saturating_sub(1) * STEP;
    for line in (0..=last).step_by(STEP) {
        let next = if line == 0 { last } else { line - STEP };
        if let Some(word) = words.get(line) {
            word.store(next as u64, Ordering::Relaxed);
        }
    }
    let (clock, mut at, mut correct) = (Clock::select(), last, 0);
    let began = clock.moment();
    let ticks = bench.watched_for(LOADS as f64, || {
        let mut ticks = Vec::with_capacity(LOADS);
        for _ in 0..LOADS {
            let before = clock.start();
            let next = black_box(load(words, black_box(at)));
            ticks.push(clock.stop() - before);
            correct += u64::from(next == if at == 0 { last } else { at - STEP });
            at = next;
        }
        Ok(ticks)
    })?;
    let scale = clock.nanos_per_tick(began, clock.moment());
    let values: Vec<f64> = ticks.iter().map(|&ticks| ticks as f64 * scale).collect();
    bench.curve(values.iter().enumerate().map(|(index, value)| (index as f64, *value)));
    bench.count("answers", correct as f64, LOADS as f64);
    bench.values(values);
    Ok(())
}
