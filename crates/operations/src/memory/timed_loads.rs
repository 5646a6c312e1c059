//! Reference method of latency: each load timed by itself.

use super::latency::LATENCY;
use measure::{Area, Bench, Failure, How, Operation, Point, Reference, Rehearse};
use quantity::Quantity;
use record::{Need, Plot};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use sys::clock::Clock;
use sys::memory::Mapping;

/// Each load between two clock reads.
pub static TIMED: Operation = Operation {
    id: "memory.latency.timed",
    area: Area::Memory,
    title: "dependent load, timed by itself, of a list in order",
    one_iteration: "one load of a list's next node, from before a clock read until after another one",
    method: "The lines of the working set are linked from the last to the first. The walk reads the clock before and after each \
             load. All of a trial's differences are in the record as a curve over the number of the load.",
    confounds: "This is the result of the method, not a latency: see the correct operation.",
    sources: &[("R4", "two million nodes, each access timed, values above 2 000 cycles dropped (E30)")],
    reference: Some(Reference {
        wrong: "the clock reads cost more than a load from a cache (E07), and a list in order is prefetched (E15, E17)",
        right: ("memory.latency", "page_size=4KiB bytes=64MiB"),
    }),
    how: How::Values,
    rehearse: Rehearse::Nothing,
    points: |profile| Point::of_profile(profile, "bytes=16KiB|64MiB", "bytes=16KiB|256KiB|4MiB|64MiB"),
    plot: Some(|| Plot::logarithmic("bytes", "size of the working set", Quantity::Size)),
    needs: |point| vec![Need::Memory { bytes: 2 * point.size("bytes").unwrap_or(0) }],
    predict: &[
        "hardware t0 clock read = 40 cycles (×1.7: RDTSC behind a fence: 25 to 70 cycles) × cycle_ns",
        "hardware t0 load = family.l1_cycles × cycle_ns",
        "hardware t1 clock read = [clock.read.rdtsc_lfence]",
        "hardware t1 load, prefetched = [memory.latency.stride stride=64B access=forward bytes={bytes}]",
    ],
    evidence: &["answers = 1: every load gave the number of the next line"],
    bounds: &[],
    run,
    ..LATENCY_OF_A_LOAD
};

const LATENCY_OF_A_LOAD: Operation = Operation { gate: LATENCY.gate, ..Operation::NEW };

/// Loads of a trial.
const LOADS: usize = 2_048;

/// Words from one line to the next.
const STEP: usize = 8;

fn load(words: &[AtomicU64], at: usize) -> usize {
    words.get(at).map_or(0, |word| word.load(Ordering::Relaxed) as usize)
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = bench.point().size("bytes")? as usize;
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
