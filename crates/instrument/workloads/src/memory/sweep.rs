//! A sweep over growing working sets: the latency curve of the cache levels.

use super::LINE;
use super::quiet_sampler::QuietSampler;
use measure::{Failure, Result};
use stats::plateaus::Plateau;
use sys::chase::{LOADS, Order};
use sys::growing::{Growing, STEP};

/// Working sets in bytes and the latency of a load.
pub type Curve = Vec<(f64, f64)>;

/// The smallest working set in bytes: four blocks.
const SMALLEST: usize = 4 * STEP;

/// Sets up to this size are measured at several offsets; larger ones average over enough pages.
const SMALL: usize = 4 << 20;
const OFFSETS: usize = 3;

/// Growth factor up to a quarter of `SMALL`, to `SMALL`, to four times that, and above. An edge is resolved to about half a
/// step; finer steps for large sets would take seconds.
const FINE: f64 = 1.05;
const NEXT: f64 = 1.09;
const MIDDLE: f64 = 1.19;
const COARSE: f64 = 1.42;

/// Timed turns of [`LOADS`] loads: minimum (a microsecond or more) and maximum.
const MIN_TURNS: u64 = 16;
const MAX_TURNS: u64 = 128;

/// Timings of a set at each offset.
const REPEATS: usize = 2;

/// The state of a sweep.
pub struct Sweep {
    /// What takes its samples.
    pub sampler: QuietSampler,
    /// The memory that is visited.
    pub memory: Growing,
    random: u64,
    /// Lines linked into cycles, and distinct lines visited.
    pub lines: u64,
    /// Lines visited so far.
    pub visited: u64,
}

impl Sweep {
    /// For working sets up to `largest` bytes.
    pub fn new(largest: usize, seed: u64) -> Result<Self> {
        Ok(Self {
            sampler: QuietSampler::calibrate(),
            memory: Growing::new(largest, seed)?,
            random: seed,
            lines: 0,
            visited: 0,
        })
    }

    /// The curve over all sizes, in ticks; `sample_core` is called at each.
    pub fn curve(&mut self, sample_core: &mut dyn FnMut()) -> Curve {
        let sizes = sizes(self.memory.room());
        let mut curve: Curve = sizes.iter().map(|&size| (size as f64, f64::INFINITY)).collect();
        for offset in 0..OFFSETS {
            self.memory.restart();
            for (&size, pair) in sizes.iter().zip(curve.iter_mut()) {
                if offset > 0 && size > SMALL {
                    break;
                }
                self.memory.grow(size);
                pair.1 = pair.1.min(self.load());
                sample_core();
            }
            self.lines += self.memory.lines();
            self.visited += self.memory.distinct();
        }
        curve
    }

    /// Ticks of a load in the current set: the minimum of several walks.
    fn load(&mut self) -> f64 {
        let turns = self.memory.lines() / LOADS + 1;
        // Two warm-up rounds of small sets let pseudo-LRU caches converge. A walk continues with the least recently
        // visited lines, so part of a large set suffices.
        let warm = match self.memory.lines() as usize * LINE {
            bytes if bytes <= SMALL / 4 => 2 * turns,
            bytes if bytes <= SMALL => turns,
            bytes if bytes <= 4 * SMALL => turns / 3,
            _ => turns / 4,
        };
        self.memory.walk(warm);
        let turns = turns.clamp(MIN_TURNS, MAX_TURNS);
        let memory = &mut self.memory;
        (0..REPEATS).map(|_| self.sampler.per_load(|| memory.walk(turns))).fold(f64::INFINITY, f64::min)
    }

    /// Ticks of a load in one random cycle of single lines in the middle of a plateau.
    pub fn latency(&mut self, plateau: &Plateau) -> Result<f64> {
        let end = plateau.edge.map_or(plateau.last, |edge| edge.min(plateau.last));
        let size = (plateau.first * end).sqrt() as usize / LINE * LINE;
        let mut minimum = f64::INFINITY;
        for _ in 0..OFFSETS {
            self.random = self.random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let positions = (self.memory.room() - size) / STEP + 1;
            let start = (self.random >> 33) as usize % positions * STEP;
            let cycle = self.memory.cycle(start, size, Order::Random(self.random));
            let mut cycle = cycle
                .ok_or_else(|| Failure::failed(format!("a working set of {size} bytes does not fit")))?;
            // Counting distinct lines also warms the caches.
            self.visited += cycle.distinct();
            self.lines += cycle.lines();
            let turns = (cycle.lines() / LOADS).clamp(MIN_TURNS, MAX_TURNS);
            for _ in 0..REPEATS {
                minimum = minimum.min(self.sampler.per_load(|| cycle.walk(turns)));
            }
            if size > SMALL {
                break;
            }
        }
        Ok(minimum)
    }
}

/// The sizes of a sweep in ascending order, multiples of a block.
fn sizes(largest: usize) -> Vec<usize> {
    let mut all = vec![SMALLEST];
    let mut size = SMALLEST as f64;
    while let Some(&last) = all.last().filter(|last| **last < largest) {
        size *= match last {
            last if last < SMALL / 4 => FINE,
            last if last < SMALL => NEXT,
            last if last < 4 * SMALL => MIDDLE,
            _ => COARSE,
        };
        let whole = (size as usize).next_multiple_of(STEP).min(largest);
        if whole > last {
            all.push(whole);
        }
    }
    all
}

/// The curve made monotonic: no working set is slower than a larger one.
pub fn monotonic(curve: &Curve) -> Curve {
    let mut curve = curve.clone();
    let mut minimum = f64::INFINITY;
    for pair in curve.iter_mut().rev() {
        minimum = minimum.min(pair.1);
        pair.1 = minimum;
    }
    curve
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_ascend_in_small_steps_to_the_largest() {
        for largest in [8 << 20, 64 << 20] {
            let all = sizes(largest);
            assert_eq!((all[0], *all.last().unwrap()), (SMALLEST, largest));
            assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
            let fine = all.windows(2).filter(|pair| (32 * STEP..SMALL).contains(&pair[0]));
            assert!(fine.clone().count() > 75);
            assert!(fine.into_iter().all(|pair| pair[1] as f64 <= pair[0] as f64 * 1.12));
        }
    }

    #[test]
    fn monotonic_curve_never_falls() {
        let curve = vec![(1.0, 2.0), (2.0, 9.0), (3.0, 4.0), (4.0, 5.0)];
        let fixed: Vec<f64> = monotonic(&curve).iter().map(|pair| pair.1).collect();
        assert_eq!(fixed, [2.0, 4.0, 4.0, 5.0]);
    }

    #[test]
    fn every_cycle_visits_all_its_lines() {
        let (mut sweep, mut samples) = (Sweep::new(1 << 20, 3).unwrap(), 0);
        let curve = sweep.curve(&mut || samples += 1);
        assert!(samples >= curve.len());
        assert!(curve.iter().all(|(_, ticks)| ticks.is_finite() && *ticks > 0.0));
        let plateau = Plateau { height: 1.0, first: 8192.0, last: 32768.0, edge: None };
        assert!(sweep.latency(&plateau).unwrap() > 0.0);
        assert!(sweep.lines > 0 && sweep.lines == sweep.visited);
    }
}
