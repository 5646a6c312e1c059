//! The trigger: probes the cores of the actors before and after every sample, and waits until they are quiet.
//!
//! A virtual CPU is often one hardware thread of a core whose other thread runs another guest, and the guest cannot
//! see it; probes show it.

use crate::clock::{Clock, MachineClock};
use crate::other_core::{OtherCore, ROUND_TRIPS};
use oscope_trigger::{Pauses, Probe, QUIET, quietest, usual_chain};
use record::{CoreLooks, Looks, TriggerRequest};
use sys::arch;
use sys::usage::Usage;

/// Looks before the first sample of a trial that does not know what a quiet core looks like.
const FIRST_LOOKS: usize = 32;

/// Looks from which the core's clock is computed, at least.
const LOOKS_FOR_CLOCK: usize = 24;

/// Looks for which there is memory from the beginning.
const TOUCHED_LOOKS: usize = 512;

/// Looks that a trial may keep: a bound for its line in the record.
const MAX_LOOKS: usize = 4_096;

/// Looks at cores, and what they say.
pub(crate) struct Trigger<C = MachineClock> {
    probe: Probe<C>,
    other: Option<OtherCore>,
    born: i64,
    request: TriggerRequest,
    waited_ns: u64,
    looks: Looks,
    /// Ticks that cache lines took to the other core and back, as far as looks saw them.
    round_trips: Vec<i64>,
}

impl Trigger {
    /// A trigger for the CPU of the main actor, which the caller is on, and for that of the other actor, where there is one
    /// on another CPU.
    pub(crate) fn new(
        clock: MachineClock,
        cpu: Option<u32>,
        other: Option<u32>,
        request: &TriggerRequest,
    ) -> Self {
        let probe = Probe::new(clock);
        probe.warm_up();
        let other = other.and_then(|cpu| OtherCore::start(cpu, probe));
        Self::with(probe, other, cpu, request)
    }
}

impl<C: Clock> Trigger<C> {
    /// A trigger with this warm probe of the caller's core, and with a thread on the other one.
    pub(crate) fn with(
        probe: Probe<C>,
        other: Option<OtherCore>,
        cpu: Option<u32>,
        request: &TriggerRequest,
    ) -> Self {
        let waits = request.timeout_ns.is_some();
        let cpus = std::iter::once(cpu).chain(other.iter().map(|core| Some(core.cpu())));
        let cores = cpus.map(|cpu| CoreLooks { cpu, chain: column(), width: column() }).collect();
        let mut this = Self {
            probe,
            born: probe.clock.start(),
            request: request.clone(),
            waited_ns: 0,
            round_trips: column(),
            looks: Looks { at: column(), additions: probe.turns * arch::CHAIN, cores },
            other,
        };
        if waits && this.looks.cores.iter().any(|core| this.known_ratio(core).is_none()) {
            (0..FIRST_LOOKS).for_each(|_| {
                this.look();
            });
        }
        this
    }

    /// Switches of its own making, which count among those of the process.
    pub(crate) fn usage(&self) -> Usage {
        self.other.as_ref().map(OtherCore::usage).unwrap_or_default()
    }

    /// Whether samples are to be taken on a quiet core only.
    pub(crate) fn waits(&self) -> bool {
        self.request.timeout_ns.is_some()
    }

    /// Whether waiting is over for this trial.
    pub(crate) fn is_out_of_time(&self) -> bool {
        self.request
            .timeout_ns
            .is_none_or(|timeout| self.waited_ns >= timeout || self.looks.at.len() >= MAX_LOOKS)
    }

    /// Whether a sample after this look should wait.
    pub(crate) fn must_wait(&self, look: u32) -> bool {
        !self.is_out_of_time() && !self.is_quiet(look)
    }

    /// Nanoseconds spent waiting.
    pub(crate) fn waited_ns(&self) -> u64 {
        self.waited_ns
    }

    /// The median time of a cache line to the other core and back, in ticks; `None` where there is no other core, or it never
    /// answered.
    pub(crate) fn round_trip(&self) -> Option<f64> {
        let mut sorted = self.round_trips.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).map(|&ticks| ticks as f64 / f64::from(ROUND_TRIPS))
    }

    /// What was seen.
    pub(crate) fn looks(&self) -> &Looks {
        &self.looks
    }

    /// The core's clock in additions per tick: from the mean of the chains that no interrupt made longer, because the steps
    /// of a coarse clock average out in a mean and not in a median.
    pub(crate) fn additions_per_tick(&mut self) -> Option<f64> {
        while self.looks.at.len() < LOOKS_FOR_CLOCK {
            self.look();
        }
        let mean = usual_chain(&self.looks.cores.first()?.chain)?;
        Some(self.looks.additions as f64 / mean)
    }

    /// Looks at the cores now; gives the number of the look.
    pub(crate) fn look(&mut self) -> u32 {
        let number = self.looks.at.len() as u64;
        self.looks.at.push(self.probe.clock.start() - self.born);
        let own = self.probe.take(number);
        // A look without an answer has no time.
        let seen = self.other.as_ref().map(OtherCore::look);
        self.round_trips.extend(seen.flatten().and_then(|seen| seen.round_trip));
        let other = seen.map(|seen| seen.map_or((0, 0), |seen| (seen.chain, seen.width)));
        for (core, (chain, width)) in self.looks.cores.iter_mut().zip(std::iter::once(own).chain(other)) {
            core.chain.push(chain);
            core.width.push(width);
        }
        u32::try_from(self.looks.at.len() - 1).unwrap_or(u32::MAX)
    }

    /// Whether no core was shared at a look, as far as this trial can know.
    pub(crate) fn is_quiet(&self, look: u32) -> bool {
        self.looks.cores.iter().all(|core| {
            let known = self.known_ratio(core).or_else(|| own_ratio(core));
            let ratio = core.ratio(look as usize);
            ratio.zip(known).is_none_or(|(ratio, quiet)| ratio <= QUIET * quiet)
        })
    }

    fn known_ratio(&self, core: &CoreLooks) -> Option<f64> {
        let mut known = self.request.quiet.iter();
        known.find(|(cpu, _)| Some(*cpu) == core.cpu).map(|(_, ratio)| *ratio)
    }

    /// Looks and pauses until the core is quiet; gives whether it is. Between two looks the core has nothing to do but to
    /// read the clock.
    pub(crate) fn wait(&mut self) -> bool {
        let began = self.probe.clock.nanos();
        let before = self.waited_ns;
        let mut pauses = Pauses::default();
        while !self.is_out_of_time() {
            let look = self.look();
            let now = self.probe.clock.nanos();
            self.waited_ns = before + (now - began).max(0).unsigned_abs();
            if self.is_quiet(look) {
                return true;
            }
            if self.is_out_of_time() {
                break;
            }
            pauses.spin(self.probe.clock, now);
        }
        false
    }
}

/// An empty column whose memory was touched, so that the first looks of a trial cause no page fault.
fn column() -> Vec<i64> {
    let mut column = vec![1; TOUCHED_LOOKS];
    column.clear();
    column
}

/// The ratio of a quiet core as one trial sees it.
fn own_ratio(core: &CoreLooks) -> Option<f64> {
    quietest((0..core.width.len()).filter_map(|look| core.ratio(look)))
}

/// The stopping rule of a trial.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Enough {
    /// Samples on a quiet core after which a trial is over.
    pub(crate) quiet: usize,
    /// Fewest samples in all where there are fewer of those.
    pub(crate) least: usize,
    /// Most samples in all.
    pub(crate) most: usize,
    /// Time for samples in nanoseconds.
    pub(crate) spend_ns: u64,
}

/// How many samples a trial has, and for how long it took them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Progress {
    pub(crate) samples: usize,
    pub(crate) quiet: usize,
    pub(crate) spent_ns: u64,
}

impl Progress {
    /// Counts a sample that took `nanos` nanoseconds.
    pub(crate) fn add(&mut self, is_quiet: bool, nanos: i64) {
        self.samples += 1;
        self.quiet += usize::from(is_quiet);
        self.spent_ns += nanos.max(0).unsigned_abs();
    }
}

impl Enough {
    /// The same within `spend_ns` nanoseconds.
    pub(crate) fn within(self, spend_ns: u64) -> Self {
        Self { spend_ns, ..self }
    }

    /// Whether the trial is over.
    pub(crate) fn has<C: Clock>(&self, progress: Progress, trigger: &Trigger<C>) -> bool {
        let Progress { samples, quiet, spent_ns } = progress;
        let in_time = spent_ns < self.spend_ns;
        if samples >= self.most {
            return true;
        }
        match trigger.waits() && !trigger.is_out_of_time() {
            true => quiet >= self.quiet || (quiet >= self.least && !in_time),
            false => samples >= self.least && !in_time || trigger.waits() && quiet >= self.quiet,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{Core, Neighbour, Simulated, SimulatedTrial};

    fn trigger(timeout_ns: Option<u64>, quiet: Vec<(u32, f64)>) -> Trigger {
        Trigger::new(MachineClock::select(), Some(7), None, &TriggerRequest { timeout_ns, quiet })
    }

    #[test]
    fn looks_are_numbered_and_have_both_probes() {
        let mut trigger = trigger(None, Vec::new());
        assert_eq!((trigger.look(), trigger.look()), (0, 1));
        let looks = trigger.looks();
        assert!(looks.at.is_sorted() && looks.at.len() == 2);
        assert!(looks.cores.iter().all(|core| core.chain.len() == 2 && core.width.len() == 2));
    }

    fn shared(stretches: [f64; 2], seed: u64) -> Simulated {
        Simulated::new(Core { neighbour: Some(Neighbour::new(1.5, stretches, seed)), ..Core::plain() })
    }

    #[test]
    fn wait_for_a_shared_core_ends_at_the_timeout() {
        let clock = shared([1.0, 1e12], 3);
        clock.work(1e6);
        let mut trigger = clock.trigger(3_000_000);
        let began = clock.now();
        assert!(!trigger.wait() && trigger.is_out_of_time());
        let waited = clock.now() - began;
        assert!(trigger.waited_ns() >= 3_000_000 && waited >= 3e6, "{waited}");
        // At most the last pause and a look too long.
        assert!(waited < 3e6 + Pauses::LONGEST as f64 + 20_000.0, "{waited}");
        assert!(trigger.looks().at.len() > 2);
        // There is nothing left to wait for.
        assert!(!trigger.wait() && !trigger.must_wait(0));
    }

    #[test]
    fn wait_ends_within_a_quiet_stretch() {
        for seed in 0..100 {
            let clock = shared([2e6, 1e6], seed);
            let mut trigger = clock.trigger(1_000_000_000);
            let mut ended_quiet = 0;
            for _ in 0..20 {
                assert!(trigger.wait(), "{seed}");
                ended_quiet += usize::from(!clock.is_shared());
                clock.work(3e5);
            }
            // A stretch may end just behind the look.
            assert!(ended_quiet >= 18, "{seed}: {ended_quiet} of 20");
        }
    }

    #[test]
    fn waits_add_up_to_the_timeout() {
        let clock = shared([30_000.0, 3e6], 5);
        let mut trigger = clock.trigger(20_000_000);
        let mut waited = 0.0;
        while !trigger.is_out_of_time() {
            let began = clock.now();
            trigger.wait();
            waited += clock.now() - began;
            clock.work(5e4);
        }
        assert!((20e6..20e6 + 2.0 * Pauses::LONGEST as f64).contains(&waited), "{waited}");
    }

    #[test]
    fn quiet_core_is_not_waited_for() {
        let clock = Simulated::new(Core::plain());
        let mut trigger = clock.trigger(1_000_000_000);
        assert!(trigger.wait());
        assert_eq!(trigger.looks().at.len(), 1);
    }

    #[test]
    fn quiet_ratio_of_another_cpu_is_ignored() {
        let trigger = trigger(Some(1), vec![(8, 1e-9)]);
        assert_eq!(trigger.looks().at.len(), FIRST_LOOKS);
        assert!((0..32).any(|look| trigger.is_quiet(look)));
    }

    #[test]
    fn other_core_is_probed_by_a_thread_on_it() {
        let cpu = *sys::cpu::allowed().unwrap().first().unwrap();
        // With the trigger off as well, so that its controls have the same probes.
        for timeout_ns in [None, Some(0)] {
            let request = TriggerRequest { timeout_ns, quiet: Vec::new() };
            let mut trigger = Trigger::new(MachineClock::select(), None, Some(cpu), &request);
            let look = trigger.look() as usize;
            let cores = &trigger.looks().cores;
            assert_eq!(cores.iter().map(|core| core.cpu).collect::<Vec<_>>(), [None, Some(cpu)]);
            assert!(cores.iter().all(|core| core.width.len() == look + 1 && core.chain.len() == look + 1));
            assert!(cores.iter().any(|core| (0..=look).any(|look| core.ratio(look).is_some())));
        }
    }

    #[test]
    fn trial_ends_at_enough_quiet_samples_or_at_its_time_limit() {
        let enough = Enough { quiet: 16, least: 12, most: 64, spend_ns: 1_000 };
        let waiting = trigger(Some(u64::MAX), vec![(7, 1.0)]);
        let tired = trigger(Some(0), vec![(7, 1.0)]);
        let off = trigger(None, Vec::new());
        for (trigger, samples, quiet, spent_ns, has_enough) in [
            (&waiting, 16, 16, 0, true),
            (&waiting, 40, 11, 2_000, false),
            (&waiting, 40, 12, 2_000, true),
            (&waiting, 64, 0, 0, true),
            (&tired, 12, 0, 2_000, true),
            (&tired, 12, 0, 0, false),
            (&off, 20, 20, 0, false),
            (&off, 12, 0, 2_000, true),
        ] {
            assert_eq!(enough.has(Progress { samples, quiet, spent_ns }, trigger), has_enough);
        }
    }
}
