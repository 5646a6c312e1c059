//! Dependent loads, each between two clock reads.

use super::WorkingSet;
use measure::{Bench, Result};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use sys::clock::Clock;
use sys::memory::Mapping;

/// Loads of a trial.
const LOADS: usize = 2_048;

/// Words from one line to the next.
const STEP: usize = 8;

fn load(words: &[AtomicU64], at: usize) -> usize {
    words.get(at).map_or(0, |word| word.load(Ordering::Relaxed) as usize)
}

/// Walks a list in order and reads the clock before and after each load.
///
/// # Errors
/// When there is no memory.
pub fn time_each_load(bench: &mut Bench<'_>) -> Result<()> {
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
