//! Short samples of a walk through memory, taken again where the core was shared meanwhile.

use sys::arch;
use sys::clock::Clock;

/// A probe of the core's width that takes longer than at its best by this factor means a busy hardware thread
/// next door, which halves the caches: as in the gate of batches.
const SHARED: f64 = 1.16;

/// Turns of 50 additions in a probe: some 800 cycles.
const PROBE_TURNS: u64 = 80;

/// Probes at the beginning, which find out how wide the core is at its best: two milliseconds.
const FIRST_PROBES: usize = 6_000;

/// A sample is taken so often at most, and all samples together so often again: a core that is always shared
/// must not hold up the run.
const TRIES: u32 = 6;
const SPARE: u32 = 1_500;

/// Times walks and knows whether the core was alone.
pub struct Quiet {
    pub clock: Clock,
    widest: i64,
    spare: u32,
    /// Samples taken, and those that were taken while the core was shared all the same.
    pub samples: u64,
    pub crowded: u64,
}

impl Quiet {
    pub fn new() -> Self {
        let clock = Clock::select();
        let widest = (0..FIRST_PROBES).map(|_| width(clock)).min();
        Self {
            clock,
            widest: widest.unwrap_or(1).max(1),
            spare: SPARE,
            samples: 0,
            crowded: 0,
        }
    }

    /// Ticks of each of the loads that `walk` does; the least of `TRIES` where the core was shared every time.
    pub fn per_load(&mut self, mut walk: impl FnMut() -> u64) -> f64 {
        self.samples += 1;
        let mut least = f64::INFINITY;
        for _ in 0..TRIES {
            let before = self.is_shared();
            let start = self.clock.start();
            let loads = walk();
            let ticks = (self.clock.stop() - start) as f64 / loads.max(1) as f64;
            if !before && !self.is_shared() {
                return ticks;
            }
            least = least.min(ticks);
            self.spare = self.spare.saturating_sub(1);
            if self.spare == 0 {
                break;
            }
        }
        self.crowded += 1;
        least
    }

    fn is_shared(&mut self) -> bool {
        let width = width(self.clock);
        self.widest = self.widest.min(width.max(1));
        width as f64 > self.widest as f64 * SHARED
    }
}

fn width(clock: Clock) -> i64 {
    let start = clock.start();
    std::hint::black_box(arch::independent_adds(PROBE_TURNS));
    clock.stop() - start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_end_though_the_core_be_shared_for_ever() {
        let mut quiet = Quiet::new();
        // Nothing is as wide as this, so every sample seems crowded.
        quiet.widest = 1;
        let mut walks = 0;
        for _ in 0..2 * u64::from(SPARE) {
            let ticks = quiet.per_load(|| {
                walks += 1;
                1
            });
            assert!(ticks.is_finite());
        }
        assert_eq!(quiet.crowded, quiet.samples);
        assert!(walks <= 3 * SPARE, "{walks}");
    }
}
