//! The size of a line by accesses at a stride in an array that was hardly touched.

use crate::method::FlawedMethod;
use measure::{Area, Bench, Operation, Result, parameters, takes};
use quantity::{Bytes, Quantity};
use record::Plot;
use std::hint::black_box;
use std::sync::atomic::Ordering;
use sys::clock::Clock;
use sys::memory::Mapping;

/// As in R0, 4.2.1, but that A[0] is not set before the clock: there, short strides probably had no fault.
pub static EIGHT_ACCESSES: FlawedMethod = FlawedMethod {
    wrong: "The first touches of a new array are timed: the page faults hide the lines (E14).",
    right: ("memory.line_size", "distance=64B"),
    card: Operation {
        id: "memory.line_size.eight_accesses",
        area: Area::Memory,
        title: "eight accesses at a stride in a new array",
        one_iteration: "eight integers of a new array doubled, a stride apart, between two clock reads",
        method: "Memory is mapped; a clock read, A[k]*=2 to A[8k]*=2 for integers of 4 bytes k integers apart, a clock read. Each sample \
                 has a new mapping.",
        confounds: "malloc may give memory that was used before: then there are no faults, and the lines may be in a cache.",
        sources: &[(
            "R0, 4.2.1",
            "A[0] set; timed, A[k]*=2 to A[8*k]*=2 in an array of 4096 int by malloc, for k = 1, 2, 4 to 2048, the last ones beyond its end",
        )],
        parameters: takes::<Strided>,
        points: &[
            "profile!=thorough: stride=4B|64B|512B|4KiB",
            "profile=thorough: stride=4B|8B|16B|32B|64B|128B|256B|512B|1KiB|2KiB|4KiB|8KiB",
        ],
        plot: Some(|| Plot::logarithmic("stride", "distance of two accesses", Quantity::Size)),
        predict: &[
            "stride=..256B: let pages = 1",
            "stride=512B..: let pages = {min(8, 8 * stride / 4096 + 1)}",
            "software t0 first touches of pages = pages × 2500 cycles (×2: an anonymous fault of some 2500 cycles) × cycle_ns",
            "software t1 first touches of pages = pages × [fault.anonymous.write]",
            "software t1 a fenced clock read = [clock.read.rdtsc_lfence]",
        ],
        evidence: &[
            "answers = 1: eight elements were doubled, and no other",
            "faults.minor 1..40: the array was new",
        ],
        run: time_accesses,
        ..Operation::VALUES
    },
};

parameters! {
    /// Accesses at a stride.
    struct Strided {
        /// From one access to the next.
        stride: Bytes,
    }
}

/// Samples of a trial.
const SAMPLES: usize = 64;

/// Accesses of a sample.
const ACCESSES: usize = 8;

/// Doubles eight integers of a new array.
fn time_accesses(bench: &mut Bench<'_>) -> Result<()> {
    let step = (bench.parameters::<Strided>()?.stride.bytes() as usize / 4).max(1);
    let clock = Clock::select();
    let (began, mut correct) = (clock.moment(), 0_u64);
    let ticks = bench.watched_for(SAMPLES as f64, || {
        let mut ticks = Vec::with_capacity(SAMPLES);
        for _ in 0..SAMPLES {
            let array = Mapping::private((ACCESSES * step + 1) * 4)?;
            let integers = array.short_words();
            let start = clock.start();
            for integer in black_box(integers).iter().skip(step).step_by(step).take(ACCESSES) {
                // Zero, doubled, is zero: one is added, so that the access can be seen.
                integer.store(2 * integer.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
            }
            ticks.push(clock.stop() - start);
            let doubled: u32 = integers.iter().map(|integer| integer.load(Ordering::Relaxed)).sum();
            correct += u64::from(doubled == ACCESSES as u32);
        }
        Ok(ticks)
    })?;
    let scale = clock.nanos_per_tick(began, clock.moment());
    bench.count("answers", correct as f64, SAMPLES as f64);
    bench.values(ticks.into_iter().map(|ticks| ticks as f64 * scale).collect());
    Ok(())
}
