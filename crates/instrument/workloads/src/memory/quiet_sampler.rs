//! Short samples of a memory walk, repeated when the core was shared.

use sys::arch;
use sys::clock::Clock;

/// An issue-width probe slower than its minimum by this factor means a busy sibling hardware thread, which halves the
/// caches: as in the gate of batches.
const SHARED: f64 = 1.16;

/// Turns of 50 additions in a probe: some 800 cycles.
const PROBE_TURNS: u64 = 80;

/// Initial probes, which find the minimum: two milliseconds.
const FIRST_PROBES: usize = 6_000;

/// Attempts per sample, and repetitions of all samples together: a core that is always shared must not stall the run.
const TRIES: u32 = 6;
const RETRIES: u32 = 1_500;

/// Times memory walks on an unshared core.
pub struct QuietSampler {
    /// The clock that times samples.
    pub clock: Clock,
    fastest_probe: i64,
    retries_left: u32,
    /// Samples, and those accepted although the core was shared.
    pub samples: u64,
    /// Samples that were taken while the core was shared.
    pub shared_samples: u64,
}

impl QuietSampler {
    /// One with a clock that was selected now.
    pub fn calibrate() -> Self {
        let clock = Clock::select();
        let fastest = (0..FIRST_PROBES).map(|_| probe(clock)).min();
        Self {
            clock,
            fastest_probe: fastest.unwrap_or(1).max(1),
            retries_left: RETRIES,
            samples: 0,
            shared_samples: 0,
        }
    }

    /// Ticks per load of `walk`, which returns its loads; the minimum of `TRIES` if the core was shared each time.
    pub fn per_load(&mut self, mut walk: impl FnMut() -> u64) -> f64 {
        self.samples += 1;
        let mut minimum = f64::INFINITY;
        for _ in 0..TRIES {
            let before = self.is_shared();
            let start = self.clock.start();
            let loads = walk();
            let ticks = (self.clock.stop() - start) as f64 / loads.max(1) as f64;
            if !before && !self.is_shared() {
                return ticks;
            }
            minimum = minimum.min(ticks);
            self.retries_left = self.retries_left.saturating_sub(1);
            if self.retries_left == 0 {
                break;
            }
        }
        self.shared_samples += 1;
        minimum
    }

    fn is_shared(&mut self) -> bool {
        let ticks = probe(self.clock);
        self.fastest_probe = self.fastest_probe.min(ticks.max(1));
        ticks as f64 > self.fastest_probe as f64 * SHARED
    }
}

fn probe(clock: Clock) -> i64 {
    let start = clock.start();
    std::hint::black_box(arch::independent_adds(PROBE_TURNS));
    clock.stop() - start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_are_bounded_on_a_shared_core() {
        let mut sampler = QuietSampler::calibrate();
        // No probe is this fast, so every sample counts as shared.
        sampler.fastest_probe = 1;
        let mut walks = 0;
        for _ in 0..2 * u64::from(RETRIES) {
            let ticks = sampler.per_load(|| {
                walks += 1;
                1
            });
            assert!(ticks.is_finite());
        }
        assert_eq!(sampler.shared_samples, sampler.samples);
        assert!(walks <= 3 * RETRIES, "{walks}");
    }
}
