//! What delayed one iteration, from what the kernel counted around it.

use crate::thresholds::{
    COINCIDENCE, EXPLAINED, LEAST_MISSING_TICKS, LONGEST_INTERRUPT_NS, MOST_SHARED, MOST_TICKS_LEFT,
    SHARED_FACTOR, USUAL_TICKS,
};
use record::{Machine, Outlier, TailLooks};

/// What delayed an iteration.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum TailCause {
    /// The process was stopped and continued.
    Stopped,
    /// The quota of a control group was used up.
    Throttled,
    /// Another task had the CPU while an actor could have run; its name where it was seen.
    OtherTask(Option<String>),
    /// A page came from a device.
    MajorFault,
    /// Memory had to be freed first.
    Reclaim,
    /// The task slept while tasks waited for a device.
    Device,
    /// The hypervisor ran something else.
    Hypervisor,
    /// The CPU took no timer interrupt while a task had it: the hypervisor or the firmware stopped it.
    TicksMissing,
    /// The tick of the kernel's timer.
    Tick,
    /// An interrupt or softirq, as the kernel names it.
    Interrupt(String),
    /// Pages were mapped that ordinary iterations do not touch.
    MinorFault,
    /// The other hardware thread of the core was in use.
    SharedCore,
    /// None of these.
    Unknown,
}

/// The kernel's names of interrupts and softirqs that a tick raises.
const OF_TICK: [&str; 7] = [
    "timer interrupts",
    "arch_timer",
    "softirq TIMER",
    "softirq SCHED",
    "softirq RCU",
    "softirq HRTIMER",
    "IRQ work",
];

/// The interrupts among them that the timer of a CPU raises.
const OF_TIMER: [&str; 2] = ["timer interrupts", "arch_timer"];

/// The period of the kernel's tick in nanoseconds; `None` where CPUs may run without one.
pub(crate) fn tick_ns(machine: &Machine) -> Option<f64> {
    let all_have_it = machine.text("cpus.without_tick").is_none_or(|cpus| cpus == "none");
    machine.number("kernel.tick_ns").filter(|_| all_have_it)
}

/// What is ordinary in a trial, against which its outliers are held.
pub(crate) struct Ordinary<'l> {
    pub(crate) looks: &'l TailLooks,
    /// Median of the iterations, in nanoseconds.
    pub(crate) typical_ns: f64,
    /// The ratio of the probes while the core is quiet, if it is known.
    pub(crate) quiet_ratio: Option<f64>,
    /// The period of the kernel's tick in nanoseconds, if there is one.
    pub(crate) tick_ns: Option<f64>,
    /// Whether an iteration creates a task, for which its creator waits as for any other.
    pub(crate) has_children: bool,
}

impl Ordinary<'_> {
    /// What a counter rises by per iteration.
    fn mean(&self, name: &str) -> f64 {
        let sum = self.looks.usual.get(name).map_or(0.0, |usual| usual.sum);
        sum / self.looks.iterations.max(1) as f64
    }

    /// The probability that a counter rises in a window of this length by chance: by how often it rises in the time of all
    /// windows.
    fn by_chance(&self, name: &str, window_ns: f64) -> f64 {
        let rose = self.looks.usual.get(name).map_or(0, |usual| usual.rose) as f64;
        let windows = self.looks.window_ns.max(1) as f64;
        (rose * window_ns / windows).min(1.0)
    }

    /// Whether a counter rose around an outlier, and hardly ever does around another iteration.
    fn is_rare_elsewhere(&self, outlier: &Outlier, name: &str) -> bool {
        let rose = outlier.rose.get(name).is_some_and(|rise| *rise > 0.0);
        rose && self.by_chance(name, outlier.window_ns as f64) <= COINCIDENCE
    }

    /// The cause of an outlier: those first that the kernel counts in time.
    pub(crate) fn cause(&self, outlier: &Outlier) -> TailCause {
        let excess_ns = (outlier.took_ns as f64 - self.typical_ns).max(1.0);
        let rise = |name: &str| outlier.rose.get(name).copied().unwrap_or(0.0);
        let explains = |ns: f64| ns >= EXPLAINED * excess_ns;
        // Of several counters of one kind, such as those of each actor, the largest rise beyond the usual.
        let beyond_usual = |kind: &str| {
            let of_kind =
                outlier.rose.iter().filter(|(name, _)| name.as_str() == kind || name.contains(kind));
            of_kind.map(|(name, rise)| rise - self.mean(name)).fold(0.0, f64::max)
        };
        let waited_ns = beyond_usual("run_delay_ns");
        // A task that slept has no time on the CPU; one that computed was not waiting for a device.
        let has_slept = rise("switches.voluntary") > 0.0 && rise("run_ns") < EXPLAINED * excess_ns;
        let is_long = outlier.took_ns as f64 >= 2.0 * self.mean_window_ns();
        // The kernel brings it up to date at ticks and switches: without either the task had the CPU all the time.
        let has_switched =
            ["switches.voluntary", "switches.involuntary"].into_iter().any(|name| rise(name) > 0.0);
        let ran_ns = if has_switched { beyond_usual("run_ns") } else { excess_ns };
        let stall = |name: &str| is_long && has_slept && explains(1e3 * (rise(name) - self.mean(name)));
        if rise("continued") > 0.0 {
            TailCause::Stopped
        } else if explains(beyond_usual("quota.throttled_ns")) {
            TailCause::Throttled
        } else if explains(waited_ns) && (outlier.program.is_some() || !self.has_children) {
            TailCause::OtherTask(outlier.program.clone())
        } else if self.is_rare_elsewhere(outlier, "faults.major") {
            TailCause::MajorFault
        } else if explains(1e3 * (rise("memory.stalled_us") - self.mean("memory.stalled_us"))) {
            TailCause::Reclaim
        } else if stall("io.stalled_us") {
            TailCause::Device
        } else if self.is_rare_elsewhere(outlier, "steal_ns") {
            TailCause::Hypervisor
        } else if explains(ran_ns) && self.lacks_ticks(outlier, ran_ns) {
            TailCause::TicksMissing
        } else {
            self.short_cause(outlier, excess_ns)
        }
    }

    fn mean_window_ns(&self) -> f64 {
        self.looks.window_ns as f64 / self.looks.iterations.max(1) as f64
    }

    /// Whether ticks that come while tasks compute did not come while one had the CPU for this long.
    fn lacks_ticks(&self, outlier: &Outlier, ran_ns: f64) -> bool {
        let Some(tick_ns) = self.tick_ns else { return false };
        let is_timer = |name: &str| OF_TIMER.iter().any(|timer| name.contains(timer));
        let usual = &self.looks.usual;
        let computed_ns = usual
            .iter()
            .filter(|(name, _)| name.contains("run_ns"))
            .map(|(_, usual)| usual.sum)
            .fold(0.0, f64::max);
        let usual_ticks: f64 =
            usual.iter().filter(|(name, _)| is_timer(name)).map(|(_, usual)| usual.sum).sum();
        let came: f64 = outlier.rose.iter().filter(|(name, _)| is_timer(name)).map(|(_, rise)| rise).sum();
        let (due, usually_due) = (ran_ns / tick_ns, computed_ns / tick_ns);
        usually_due >= USUAL_TICKS
            && usual_ticks >= EXPLAINED * usually_due
            && due >= LEAST_MISSING_TICKS
            && came <= MOST_TICKS_LEFT * due
    }

    /// The cause of a short delay: an event that was counted, and whose length is not.
    fn short_cause(&self, outlier: &Outlier, excess_ns: f64) -> TailCause {
        let window_ns = outlier.window_ns as f64;
        let events =
            outlier.rose.keys().filter(|name| name.starts_with("irq ") || name.starts_with("softirq "));
        let rare = events.filter(|name| self.is_rare_elsewhere(outlier, name));
        let rarest = rare
            .min_by(|one, other| self.by_chance(one, window_ns).total_cmp(&self.by_chance(other, window_ns)));
        let is_shared = outlier.probe_ratio.zip(self.quiet_ratio);
        let is_shared = is_shared.is_some_and(|(ratio, quiet)| ratio > quiet * SHARED_FACTOR);
        match rarest {
            Some(name) if excess_ns <= LONGEST_INTERRUPT_NS => {
                if OF_TICK.iter().any(|of_tick| name.contains(of_tick)) {
                    TailCause::Tick
                } else {
                    TailCause::Interrupt(name.clone())
                }
            }
            _ if self.is_rare_elsewhere(outlier, "faults.minor") => TailCause::MinorFault,
            _ if is_shared && outlier.took_ns as f64 <= MOST_SHARED * self.typical_ns => {
                TailCause::SharedCore
            }
            _ => TailCause::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::fixtures::machine;
    use record::Usual;

    /// What is ordinary: 10 000 windows of 50 µs, around some of which counters rose.
    fn looks(usual: &[(&str, f64, u64)]) -> TailLooks {
        let usual =
            usual.iter().map(|(name, sum, rose)| ((*name).to_owned(), Usual { sum: *sum, rose: *rose }));
        TailLooks {
            usual: usual.collect(),
            iterations: 10_000,
            window_ns: 500_000_000,
            ..TailLooks::default()
        }
    }

    /// What is ordinary where an iteration takes 5 µs and creates no task.
    fn ordinary(looks: &TailLooks) -> Ordinary<'_> {
        let (typical_ns, quiet_ratio, tick_ns) = (5_000.0, Some(1.0), Some(4e6));
        Ordinary { looks, typical_ns, quiet_ratio, tick_ns, has_children: false }
    }

    fn cause(usual: &[(&str, f64, u64)], took_us: u64, rose: &[(&str, f64)]) -> TailCause {
        let looks = looks(usual);
        let ordinary = ordinary(&looks);
        let rose = rose.iter().map(|(name, rise)| ((*name).to_owned(), *rise)).collect();
        let took_ns = took_us * 1_000;
        ordinary.cause(&Outlier { took_ns, window_ns: took_ns + 45_000, rose, ..Outlier::default() })
    }

    const TIMER: &str = "irq LOC Local timer interrupts";

    #[test]
    fn planted_delays_have_their_class() {
        let ticks = &[(TIMER, 125.0, 125)][..];
        for (took_us, rose, expected) in [
            (1_000, &[("continued", 1.0)][..], TailCause::Stopped),
            // Group by group, and with its name.
            (9_000, &[("quota.throttled_ns /a", 8e6), ("run_delay_ns", 8e6)], TailCause::Throttled),
            (1_000, &[("run_delay_ns", 9e5), ("switches.involuntary", 1.0)], TailCause::OtherTask(None)),
            (1_000, &[("actor 1 run_delay_ns", 9e5)], TailCause::OtherTask(None)),
            (1_000, &[("faults.major", 1.0), ("io.stalled_us", 900.0)], TailCause::MajorFault),
            (1_000, &[("memory.stalled_us", 800.0)], TailCause::Reclaim),
            (1_000, &[("io.stalled_us", 800.0), ("switches.voluntary", 1.0)], TailCause::Device),
            (1_000, &[("steal_ns", 1e7)], TailCause::Hypervisor),
            (40, &[(TIMER, 1.0)], TailCause::Tick),
            (40, &[(TIMER, 1.0), ("irq 24 nic0", 1.0)], TailCause::Interrupt("irq 24 nic0".to_owned())),
            (40, &[("faults.minor", 1.0)], TailCause::MinorFault),
            (40, &[("run_delay_ns", 1e3)], TailCause::Unknown),
        ] {
            assert_eq!(cause(ticks, took_us, rose), expected, "{took_us} {rose:?}");
        }
    }

    /// An interrupt that delays the child of an iteration makes its parent wait.
    #[test]
    fn waiting_for_an_own_child_is_no_other_task() {
        let looks = looks(&[(TIMER, 125.0, 125)]);
        let delayed = |has_children, program: Option<&str>| {
            let ordinary = Ordinary { typical_ns: 50_000.0, has_children, ..ordinary(&looks) };
            let rose = [(TIMER.to_owned(), 1.0), ("run_delay_ns".to_owned(), 9e4)].into();
            let program = program.map(str::to_owned);
            ordinary.cause(&Outlier {
                took_ns: 150_000,
                window_ns: 195_000,
                rose,
                program,
                ..Outlier::default()
            })
        };
        assert_eq!(delayed(false, None), TailCause::OtherTask(None));
        assert_eq!(delayed(true, None), TailCause::Tick);
        assert_eq!(delayed(true, Some("cc1")), TailCause::OtherTask(Some("cc1".to_owned())));
    }

    #[test]
    fn what_rises_anyway_is_not_a_cause() {
        // Around every second iteration: it says nothing of one.
        let frequent =
            &[(TIMER, 5_000.0, 5_000), ("faults.minor", 10_000.0, 10_000), ("steal_ns", 1e7, 2_000)][..];
        let rose = &[(TIMER, 1.0), ("faults.minor", 1.0), ("steal_ns", 1e7)][..];
        assert_eq!(cause(frequent, 100, rose), TailCause::Unknown);
        // Ticks come every 4 ms: an outlier of 20 ms has some, and none of them took that long.
        assert_eq!(cause(&[(TIMER, 125.0, 125)], 20_000, &[(TIMER, 5.0)]), TailCause::Unknown);
        assert_eq!(cause(&[], 2_000, &[(TIMER, 1.0)]), TailCause::Unknown);
        // Others waited for a device while this one computed.
        let computing = &[("io.stalled_us", 900.0), ("run_ns", 9e5), ("switches.voluntary", 1.0)][..];
        assert_eq!(cause(&[], 1_000, computing), TailCause::Unknown);
    }

    #[test]
    fn ticks_that_did_not_come_while_a_task_had_the_cpu_tell_of_a_stopped_cpu() {
        // A task that computes for 400 of 500 ms, and the ticks of that time.
        let computing = &[(TIMER, 100.0, 100), ("run_ns", 4e8, 10_000)][..];
        let paused = |ran_ns: f64, ticks: f64| [("run_ns", ran_ns), (TIMER, ticks)];
        for (usual, took_us, rose, expected) in [
            (computing, 20_000, &paused(21e6, 1.0)[..], TailCause::TicksMissing),
            (computing, 20_000, &[("actor 1 run_ns", 21e6), (TIMER, 1.0)], TailCause::TicksMissing),
            // Steal time and a signal say more.
            (computing, 20_000, &[("run_ns", 21e6), (TIMER, 1.0), ("steal_ns", 1e7)], TailCause::Hypervisor),
            (computing, 20_000, &[("run_ns", 21e6), ("continued", 1.0)], TailCause::Stopped),
            // No tick has brought its time up to date, and it has not slept.
            (computing, 20_000, &[], TailCause::TicksMissing),
            (computing, 20_000, &[("run_ns", 4e6)], TailCause::TicksMissing),
            (computing, 20_000, &[("switches.involuntary", 1.0), ("run_ns", 4e6)], TailCause::Unknown),
            // It computed, and the ticks came.
            (computing, 20_000, &paused(21e6, 5.0), TailCause::Unknown),
            // It slept: an idle CPU has no ticks.
            (computing, 20_000, &[("switches.voluntary", 1.0), ("run_ns", 3e5)], TailCause::Unknown),
            // Two ticks may be late.
            (computing, 9_000, &paused(9e6, 0.0), TailCause::Unknown),
            // No ticks come while a task computes, as with `nohz_full`, or they have another name.
            (&[("run_ns", 4e8, 10_000)], 20_000, &paused(21e6, 0.0), TailCause::Unknown),
            // Too little was computed to know whether ticks come: those here are wake-ups.
            (
                &[(TIMER, 10_000.0, 10_000), ("run_ns", 3e7, 10_000)],
                20_000,
                &paused(21e6, 0.0),
                TailCause::Unknown,
            ),
        ] {
            assert_eq!(cause(usual, took_us, rose), expected, "{took_us} {rose:?}");
        }
    }

    #[test]
    fn machine_of_which_cpus_have_no_tick_has_no_period() {
        let tick = ("kernel.tick_ns", 4e6);
        assert_eq!(tick_ns(&machine(&[("cpus.without_tick", "none")], &[tick])), Some(4e6));
        assert_eq!(tick_ns(&machine(&[], &[tick])), Some(4e6));
        assert_eq!(tick_ns(&machine(&[("cpus.without_tick", "1")], &[tick])), None);
        assert_eq!(tick_ns(&machine(&[], &[])), None);
    }

    #[test]
    fn shared_core_explains_what_a_shared_core_can_cost() {
        let looks = looks(&[]);
        let ordinary = ordinary(&looks);
        for (took_ns, probe_ratio, expected) in [
            (9_000, Some(1.8), TailCause::SharedCore),
            (9_000, Some(1.0), TailCause::Unknown),
            (90_000, Some(1.8), TailCause::Unknown),
            (9_000, None, TailCause::Unknown),
        ] {
            let outlier = Outlier { took_ns, probe_ratio, window_ns: 60_000, ..Outlier::default() };
            assert_eq!(ordinary.cause(&outlier), expected);
        }
    }
}
