//! The probes of a core: a chain of dependent additions takes one core cycle each on any core, and independent additions
//! take longer when the issue width is divided. Neither touches memory beyond its own code, so that what an operation did
//! to caches does not change them.

use crate::clock::{Clock, MachineClock};

/// Looks that are not kept, before the first one.
pub const COLD_LOOKS: u64 = 3;

/// Turns of 50 adds in a probe: 4 000 cycles one after the other, about a microsecond; more where the clock is coarse.
const PROBE_TURNS: u64 = 80;

/// Independent additions for each dependent one: both probes take about as long, so that the clock's step, which is 10 ns on
/// some processors, is a hundredth of either.
const WIDER: u64 = 3;

/// Turns of each loop before it is timed, twice.
const WARM_TURNS: u64 = 2;

/// Ticks that a probe takes at least, so that one tick is half a per cent of it.
const MIN_PROBE_TICKS: i64 = 200;

/// Probes are not made longer than by this factor.
const MAX_PROBE_FACTOR: i64 = 32;

/// Turns of 50 adds before anything is timed: some 50 µs, enough to know roughly how long a tick is.
const FIRST_TURNS: u64 = 4_000;

/// The two probes of a core, timed by a clock.
#[derive(Debug, Clone, Copy)]
pub struct Probe<C = MachineClock> {
    /// What times them.
    pub clock: C,
    clock_cost: i64,
    /// Turns of the chain.
    pub turns: u64,
}

impl<C: Clock> Probe<C> {
    /// Both probes, long enough for the step of this clock.
    pub fn new(clock: C) -> Self {
        clock.dependent_adds(FIRST_TURNS);
        Self { clock, clock_cost: clock.cost_ticks().round() as i64, turns: probe_turns(clock) }
    }

    /// The first looks of a process are cold: their code is in no cache.
    pub fn warm_up(self) {
        (0..COLD_LOOKS).for_each(|look| {
            std::hint::black_box(self.take(look));
        });
    }

    /// Ticks of the chain of additions and of the independent ones, for the look of this number.
    pub fn take(self, look: u64) -> (i64, i64) {
        self.clock.dither(look);
        // What ran before may have left none of this code and stack in any cache, or not even its page in the tables.
        for _ in 0..2 {
            std::hint::black_box(self.clock.start());
            self.clock.dependent_adds(WARM_TURNS);
            std::hint::black_box(self.clock.stop());
            self.clock.independent_adds(WARM_TURNS);
            std::hint::black_box(self.clock.stop());
        }
        let start = self.clock.start();
        self.clock.dependent_adds(self.turns);
        let between = self.clock.stop();
        self.clock.independent_adds(WIDER * self.turns);
        let end = self.clock.stop();
        (between - start - self.clock_cost, end - between - self.clock_cost)
    }
}

/// As many turns as make the probe long against the clock's tick.
fn probe_turns(clock: impl Clock) -> u64 {
    let start = clock.start();
    clock.dependent_adds(PROBE_TURNS);
    let ticks = (clock.stop() - start).max(1);
    let longer = (MIN_PROBE_TICKS / ticks + 1).clamp(1, MAX_PROBE_FACTOR);
    PROBE_TURNS * longer.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{Core, Simulated, TURN_NS};

    /// Attempts on a shared machine: a neighbour that comes or goes within one moves the ratios of its half.
    const ATTEMPTS: usize = 20;

    #[test]
    fn probe_is_without_the_cost_of_the_clock_and_long_against_its_step() {
        for tick_ns in [0.5, 1.0, 10.0, 40.0] {
            let probe = Probe::new(Simulated::new(Core { tick_ns, ..Core::plain() }));
            let truth = probe.turns as f64 * TURN_NS / tick_ns;
            assert!(truth >= 0.9 * MIN_PROBE_TICKS as f64, "{tick_ns}: {truth}");
            let (chain, width) = probe.take(1);
            for ticks in [chain, width] {
                assert!((ticks as f64 - truth).abs() <= 1.5, "{tick_ns}: {ticks} of {truth}");
            }
        }
    }

    #[test]
    fn probe_is_independent_of_earlier_code() {
        let probe = Probe::new(MachineClock::select());
        let mut lines = vec![0u8; 16 << 20];
        let mut seen = Vec::new();
        let agree = (0..ATTEMPTS).any(|_| {
            let (mut warm, mut cold) = (Vec::new(), Vec::new());
            for look in 0..100 {
                lines.iter_mut().step_by(64).for_each(|line| *line = line.wrapping_add(1));
                std::hint::black_box(&lines);
                for ratios in [&mut cold, &mut warm] {
                    let (chain, width) = probe.take(look);
                    ratios.push(width as f64 / chain as f64);
                }
            }
            for ratios in [&mut warm, &mut cold] {
                ratios.sort_unstable_by(f64::total_cmp);
            }
            // Low quantiles of the ratios with warm and with cold caches: a neighbour raises the upper ones of both.
            seen.push((warm[10], cold[10]));
            (cold[10] / warm[10] - 1.0).abs() < 0.025
        });
        // A probe that depends on what ran before differs in every attempt.
        assert!(agree, "{seen:?}");
    }
}
