//! The levels of the memory hierarchy, from the latencies of a sweep over working sets.

use super::sweep::{Sweep, monotonic};
use super::working_set;
use measure::{Bench, Point, Result, choice, parameters};
use stats::plateaus::{Shape, plateaus};

/// Levels of the card: three caches, memory, and a further cache off the processor.
const MAX_LEVELS: usize = 5;

/// Bytes of the largest working set: at least and at most.
const LARGEST: (usize, usize) = (64 << 20, 512 << 20);

/// The same at least where memory is short.
pub const SMALLEST_SWEEP: usize = 8 << 20;

/// The largest working set for a last-level cache, as the kernel reports it: twice its size shows its end.
fn wanted(cache: Option<usize>) -> usize {
    let twice = cache.unwrap_or(0).saturating_mul(2).next_multiple_of(1 << 20);
    twice.clamp(LARGEST.0, LARGEST.1)
}

/// A plateau varies by at most 25 %, spans half an octave, and the next is at least 50 % higher.
const SHAPE: Shape = Shape { flat: 1.25, long: 1.45, step: 1.5 };

choice! {
    /// What is found of a level.
    pub enum LevelProperty {
        /// How much it holds.
        Capacity = "capacity",
        /// Of a load that it serves.
        Latency = "latency",
    }
}

parameters! {
    /// A level of the caches, or memory.
    pub struct Level {
        /// From 1.
        level: u64,
        /// What is found of it.
        property: LevelProperty,
    }
}

fn point(level: usize, property: LevelProperty) -> Point {
    Point::only().with("level", level).with("property", property.name())
}

/// Capacity and latency of each level, for all points.
///
/// # Errors
/// Skipped where there is too little memory.
pub fn find_levels(bench: &mut Bench<'_>) -> Result<()> {
    let wanted = wanted(sys::memory::last_level_cache());
    let largest = working_set::largest(wanted, SMALLEST_SWEEP)?;
    let mut sweep = Sweep::new(largest, bench.seed())?;
    let start = sweep.sampler.clock.moment();
    let curve = sweep.curve(&mut || bench.sample_core_state());
    let points = curve.len();
    let levels = plateaus(&monotonic(&curve), SHAPE);
    let mut latencies = Vec::new();
    for plateau in levels.iter().take(MAX_LEVELS) {
        latencies.push(sweep.latency(plateau)?);
        bench.sample_core_state();
    }
    let tick = sweep.sampler.clock.nanos_per_tick(start, sweep.sampler.clock.moment());
    for level in 1..=MAX_LEVELS {
        let capacity = levels.get(level - 1).and_then(|plateau| plateau.edge);
        let latency = latencies.get(level - 1).map(|ticks| ticks * tick);
        report(bench, point(level, LevelProperty::Capacity), capacity, (largest, wanted));
        report(bench, point(level, LevelProperty::Latency), latency, (largest, wanted));
    }
    bench.curve(curve.into_iter().map(|(size, ticks)| (size, ticks * tick)));
    bench.count("lines.visited", sweep.visited as f64, sweep.lines as f64);
    bench.count("curve.points", points as f64, 1.0);
    working_set::count_huge(bench, sweep.memory.huge_bytes(), sweep.memory.room());
    bench.count("samples.crowded", sweep.sampler.shared_samples as f64, sweep.sampler.samples as f64);
    Ok(())
}

fn report(bench: &mut Bench<'_>, point: Point, value: Option<f64>, (largest, wanted): (usize, usize)) {
    let size = quantity::show_bytes(quantity::Bytes::from_bytes(largest as u64));
    let (reason, remedy) = if largest < wanted {
        let reason = format!("no end of the level up to {size}, a quarter of the available memory");
        (reason, "free memory, or raise the cgroup's limit")
    } else {
        (format!("no further level up to {size}, or no end of the last"), "expected; no action needed")
    };
    bench.value_or_absent(point, value, &reason, remedy);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sweep_ends_beyond_the_reported_cache() {
        let caches = [None, Some(8), Some(32), Some(105), Some(480)];
        assert_eq!(caches.map(|cache| wanted(cache.map(|cache| cache << 20)) >> 20), [64, 64, 64, 210, 512]);
    }
}
