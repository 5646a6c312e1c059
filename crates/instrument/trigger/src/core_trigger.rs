//! The trigger for one core: looks that are kept, and what they say of a stretch of time.

use crate::clock::{Clock, MachineClock};
use crate::probe::Probe;
use crate::quiet::{Pauses, QUIET, quietest, usual_chain};
use std::collections::VecDeque;
use std::time::Duration;
use sys::arch;

/// Looks that are kept: the oldest goes first.
const MAX_LOOKS: usize = 1 << 16;

/// Looks from which the ratio of a quiet core is taken before the first wait, with pauses between them: 12 ms.
const FIRST_LOOKS: usize = 64;

/// One look at a core.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// When it began, in nanoseconds of CLOCK_MONOTONIC_RAW.
    pub at_ns: i64,
    /// When it ended.
    pub end_ns: i64,
    /// Ticks of the dependent additions, one core cycle each.
    pub chain: i64,
    /// Ticks of the independent additions.
    pub width: i64,
}

impl Look {
    /// The ratio of both, lower when the core is wider; `None` where one is not a time.
    pub fn ratio(&self) -> Option<f64> {
        (self.chain > 0 && self.width > 0).then(|| self.width as f64 / self.chain as f64)
    }
}

/// Looks at the core of the calling thread.
#[derive(Debug, Clone)]
pub struct CoreTrigger<C: Clock = MachineClock> {
    probe: Probe<C>,
    born: C::Moment,
    looks: VecDeque<Look>,
    taken: u64,
    known: Option<f64>,
}

impl Default for CoreTrigger {
    fn default() -> Self {
        Self::new()
    }
}

impl CoreTrigger {
    /// A trigger for the CPU that the calling thread is pinned to.
    pub fn new() -> Self {
        Self::with_clock(MachineClock::select())
    }
}

impl<C: Clock> CoreTrigger<C> {
    /// The same by this clock.
    pub fn with_clock(clock: C) -> Self {
        let probe = Probe::new(clock);
        probe.warm_up();
        Self { probe, born: clock.moment(), looks: VecDeque::new(), taken: 0, known: None }
    }

    /// Says what the ratio of this core is when it is quiet, from an earlier run.
    pub fn set_quiet_ratio(&mut self, ratio: f64) {
        self.known = Some(ratio);
    }

    /// The ratio of the core when it is quiet: the one that was set, or what the looks show.
    pub fn quiet_ratio(&self) -> Option<f64> {
        self.known.or_else(|| quietest(self.looks.iter().filter_map(Look::ratio)))
    }

    /// Looks at the core now: about three microseconds.
    pub fn look(&mut self) -> Look {
        let at_ns = self.probe.clock.nanos();
        let (chain, width) = self.probe.take(self.taken);
        let look = Look { at_ns, end_ns: self.probe.clock.nanos(), chain, width };
        self.taken += 1;
        if self.looks.len() == MAX_LOOKS {
            self.looks.pop_front();
        }
        self.looks.push_back(look);
        look
    }

    /// Looks and pauses until the core is quiet, at most this long; gives whether it is.
    pub fn wait_quiet(&mut self, timeout: Duration) -> bool {
        let began = self.probe.clock.nanos();
        let timeout = i64::try_from(timeout.as_nanos()).unwrap_or(i64::MAX);
        if self.known.is_none() && self.looks.len() < FIRST_LOOKS {
            let mut pauses = Pauses::default();
            for _ in 0..FIRST_LOOKS {
                let look = self.look();
                pauses.spin(self.probe.clock, look.end_ns);
            }
        }
        let mut pauses = Pauses::default();
        loop {
            let look = self.look();
            if self.is_quiet(&look) == Some(true) {
                return true;
            }
            if look.end_ns - began >= timeout {
                return false;
            }
            pauses.spin(self.probe.clock, look.end_ns);
        }
    }

    /// Whether the core was quiet at a look; `None` where no ratio is known.
    pub fn is_quiet(&self, look: &Look) -> Option<bool> {
        Some(look.ratio()? <= QUIET * self.quiet_ratio()?)
    }

    /// Whether the core was quiet from one moment to another: at all looks between both, at the last one before and at the
    /// first one after. `None` without a look on either end.
    pub fn was_quiet(&self, begin_ns: i64, end_ns: i64) -> Option<bool> {
        let looks = self.looks_around(begin_ns, end_ns)?;
        let quiet = QUIET * self.quiet_ratio()?;
        Some(looks.iter().all(|look| look.ratio().is_some_and(|ratio| ratio <= quiet)))
    }

    /// The clock of the core between two moments, in hertz; `None` without a look on either end.
    pub fn clock_hz(&self, begin_ns: i64, end_ns: i64) -> Option<f64> {
        let chains: Vec<i64> = self.looks_around(begin_ns, end_ns)?.iter().map(|look| look.chain).collect();
        self.hz_of(&chains)
    }

    /// The clock of the core by chains that looks took, in hertz.
    pub fn hz_of(&self, chains: &[i64]) -> Option<f64> {
        let ns_per_tick = self.probe.clock.nanos_per_tick(self.born, self.probe.clock.moment());
        let additions = (self.probe.turns * arch::CHAIN) as f64;
        Some(additions / (usual_chain(chains)? * ns_per_tick) * 1e9)
    }

    /// The looks from the last one before a stretch to the first one after it.
    fn looks_around(&self, begin_ns: i64, end_ns: i64) -> Option<Vec<Look>> {
        let first = self.looks.partition_point(|look| look.at_ns <= begin_ns).checked_sub(1)?;
        let last = self.looks.partition_point(|look| look.at_ns < end_ns);
        (last < self.looks.len()).then(|| self.looks.range(first..=last).copied().collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::simulated::{Core, Neighbour, Simulated};

    fn shared(stretches: [f64; 2], seed: u64) -> Simulated {
        Simulated::new(Core { neighbour: Some(Neighbour::new(1.5, stretches, seed)), ..Core::plain() })
    }

    #[test]
    fn stretch_beside_a_neighbour_was_not_quiet() {
        let clock = shared([3e6, 3e6], 1);
        let mut trigger = CoreTrigger::with_clock(clock);
        let (mut right, mut judged) = (0, 0);
        for _ in 0..400 {
            trigger.wait_quiet(Duration::from_millis(100));
            let begin = trigger.look();
            let before = clock.now();
            clock.work(1e5);
            let was_slowed = clock.now() - before > 1.01e5;
            let end = trigger.look();
            let was_quiet = trigger.was_quiet(begin.at_ns, end.at_ns).unwrap();
            judged += 1;
            right += usize::from(was_quiet != was_slowed);
        }
        assert!(right * 100 >= judged * 95, "{right} of {judged}");
    }

    #[test]
    fn wait_for_a_core_that_stays_shared_ends_at_the_timeout() {
        let clock = shared([1.0, 1e12], 3);
        clock.work(1e6);
        let mut trigger = CoreTrigger::with_clock(clock);
        trigger.set_quiet_ratio(1.0);
        let began = clock.now();
        assert!(!trigger.wait_quiet(Duration::from_millis(3)));
        let waited = clock.now() - began;
        assert!((3e6..3e6 + Pauses::LONGEST as f64 + 20_000.0).contains(&waited), "{waited}");
    }

    #[test]
    fn stretch_without_a_look_on_both_ends_is_undecided() {
        let mut trigger = CoreTrigger::with_clock(Simulated::new(Core::plain()));
        assert_eq!(trigger.was_quiet(0, i64::MAX), None);
        let (begin, end) = (trigger.look(), trigger.look());
        assert_eq!(trigger.was_quiet(begin.at_ns, end.at_ns), Some(true));
        assert_eq!(trigger.was_quiet(begin.at_ns, end.at_ns + 1), None);
        assert_eq!(trigger.clock_hz(begin.at_ns - 1, end.at_ns), None);
    }

    #[test]
    fn clock_of_the_core_is_that_of_the_chain() {
        let mut trigger = CoreTrigger::with_clock(Simulated::new(Core::plain()));
        let looks: Vec<Look> = (0..30).map(|_| trigger.look()).collect();
        let hz = trigger.clock_hz(looks[0].at_ns, looks[29].at_ns).unwrap();
        assert!((hz / 3e9 - 1.0).abs() < 0.01, "{hz}");
    }

    #[test]
    fn machine_has_looks_and_a_clock() {
        let mut trigger = CoreTrigger::new();
        let looks: Vec<Look> = (0..20).map(|_| trigger.look()).collect();
        assert!(looks.iter().all(|look| look.end_ns > look.at_ns));
        assert!(trigger.clock_hz(looks[0].at_ns, looks[19].at_ns).is_some_and(|hz| hz > 1e8));
    }
}
