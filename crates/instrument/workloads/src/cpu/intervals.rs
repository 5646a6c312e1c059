//! Single operations between two clock reads.

use super::frequency::after;
use measure::{Bench, Result};
use sys::clock::Clock;

/// Samples of one trial.
const SAMPLES: usize = 256;

/// Discarded samples before them.
const WARM_UP: usize = 32;

/// Ticks of one operation, and whether it gave 1.
pub fn interval(clock: Clock, work: impl Fn() -> u64) -> (i64, bool) {
    let start = clock.start();
    let answer = std::hint::black_box(work());
    let ticks = clock.stop() - start;
    (ticks, answer == 1 && ticks >= 0)
}

/// Ticks of the shortest of many empty intervals.
pub fn shortest_empty(clock: Clock) -> i64 {
    (0..SAMPLES).map(|_| interval(clock, || 1).0).min().unwrap_or(0)
}

/// Times single operations, each of which gives its ticks and whether its answer was right.
pub fn time(bench: &mut Bench<'_>, clock: Clock, once: &dyn Fn(Clock) -> (i64, bool)) -> Result<()> {
    let from = clock.moment();
    let mut ticks = Vec::with_capacity(SAMPLES);
    let mut answers = 0.0;
    for sample in 0..WARM_UP + SAMPLES {
        let (taken, right) = once(clock);
        if sample >= WARM_UP {
            answers += f64::from(u8::from(right));
            ticks.push(taken);
        }
    }
    let nanos_per_tick = clock.nanos_per_tick(from, after(clock, from, 500_000));
    bench.count("answers", answers, SAMPLES as f64);
    bench.values(ticks.iter().map(|&ticks| ticks as f64 * nanos_per_tick).collect());
    Ok(())
}
