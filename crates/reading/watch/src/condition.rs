//! What the kernel counted around the channels between two readings of its counters, and what of that is an event.

use crate::thresholds::{
    DISK_SLOW_MS, DISK_WAIT_SHARE, INTERRUPT_SHARE, OTHER_SHARE, RECLAIM_RATE, STEAL_SHARE, THROTTLED_SHARE,
};
use quantity::show_percent;

/// Why a channel may have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The machine slept.
    Suspended,
    /// The watch did not get to run.
    Halted,
    /// The wall clock was set.
    ClockStep,
    /// A CPU went offline or came online.
    Cpus,
    /// The CPU quota of the control group was used up.
    Throttled,
    /// The hypervisor ran something else.
    Steal,
    /// Another program used a CPU.
    Neighbour,
    /// Tasks reclaimed memory themselves.
    Reclaim,
    /// The disk was slow or in use.
    Disk,
    /// Interrupts took the CPU.
    Irq,
    /// The clock of the core changed.
    Clock,
    /// Only channels of the network changed, and nothing else was counted.
    Network,
    /// Nothing was counted that explains it.
    Unknown,
}

impl Reason {
    /// All of them, those first that explain a change better.
    pub const ALL: [Self; 13] = [
        Self::Suspended,
        Self::Halted,
        Self::ClockStep,
        Self::Cpus,
        Self::Throttled,
        Self::Steal,
        Self::Neighbour,
        Self::Reclaim,
        Self::Disk,
        Self::Irq,
        Self::Clock,
        Self::Network,
        Self::Unknown,
    ];

    /// One word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Suspended => "suspended",
            Self::Halted => "halted",
            Self::ClockStep => "clock_step",
            Self::Cpus => "cpus",
            Self::Throttled => "throttled",
            Self::Steal => "steal",
            Self::Neighbour => "neighbour",
            Self::Reclaim => "reclaim",
            Self::Disk => "disk",
            Self::Irq => "irq",
            Self::Clock => "clock",
            Self::Network => "network",
            Self::Unknown => "unknown",
        }
    }

    /// The letter that marks it on a screen.
    pub(crate) fn mark(self) -> char {
        match self {
            Self::Suspended => 'z',
            Self::Halted => 'h',
            Self::ClockStep => 'k',
            Self::Cpus => 'o',
            Self::Throttled => 't',
            Self::Steal => 's',
            Self::Neighbour => 'n',
            Self::Reclaim => 'r',
            Self::Disk => 'd',
            Self::Irq => 'i',
            Self::Clock => 'c',
            Self::Network => 'w',
            Self::Unknown => '?',
        }
    }

    /// Whether it is over as soon as it is seen.
    pub(crate) fn is_momentary(self) -> bool {
        matches!(self, Self::Suspended | Self::Halted | Self::ClockStep | Self::Cpus)
    }

    /// Whether it can explain a change of a channel of this area.
    pub(crate) fn explains(self, area: &str) -> bool {
        match self {
            Self::Disk => area == "file",
            Self::Network => area == "network",
            Self::ClockStep => false,
            _ => true,
        }
    }
}

/// A condition of the machine that is an event.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// What it is.
    pub reason: Reason,
    /// Its figures in words.
    pub detail: String,
}

/// What others used of a CPU.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherShare {
    /// The CPU; `None` where only the sum over all CPUs is known.
    pub cpu: Option<u32>,
    /// Share of its time.
    pub share: f64,
    /// The program, where it can be seen.
    pub name: Option<String>,
}

/// What a disk did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DiskUse {
    /// Its name.
    pub name: String,
    /// Milliseconds that a request took; `None` where there was none.
    pub request_ms: Option<f64>,
    /// Requests per second.
    pub requests_per_s: f64,
}

/// What was counted in an interval. What cannot be read is absent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Conditions {
    /// Other programs.
    pub others: Vec<OtherShare>,
    /// Share of stolen time by CPU.
    pub steal: Vec<(u32, f64)>,
    /// Share of the time in interrupts by CPU.
    pub interrupts: Vec<(u32, f64)>,
    /// Periods of the quota, and those in which the group was stopped.
    pub quota: (u64, u64),
    /// Pages per second that tasks reclaimed themselves.
    pub reclaimed_per_s: f64,
    /// The disk on which files are measured.
    pub disk: Option<DiskUse>,
    /// Shares of the time in which some task waited for a CPU, for memory, for a disk.
    pub pressure: [Option<f64>; 3],
    /// CPUs that are online.
    pub online: Vec<u32>,
}

impl Conditions {
    /// Those that are events.
    pub(crate) fn events(&self) -> Vec<Condition> {
        let mut events = Vec::new();
        let mut add = |reason, detail| events.push(Condition { reason, detail });
        let (periods, stopped) = self.quota;
        if stopped > 0 && stopped as f64 >= THROTTLED_SHARE * periods.max(1) as f64 {
            add(Reason::Throttled, format!("quota used up in {stopped} of {periods} periods"));
        }
        if let Some((cpu, share)) = most(&self.steal, STEAL_SHARE) {
            add(Reason::Steal, format!("{} of CPU {cpu} stolen by the host", show_percent(share)));
        }
        let other = self.others.iter().filter(|other| other.share >= OTHER_SHARE);
        if let Some(other) = other.max_by(|a, b| a.share.total_cmp(&b.share)) {
            let name = other.name.as_deref().unwrap_or("another program");
            let cpu = other.cpu.map_or_else(|| "the CPUs".to_owned(), |cpu| format!("CPU {cpu}"));
            add(Reason::Neighbour, format!("{name} used {} of {cpu}", show_percent(other.share)));
        }
        if self.reclaimed_per_s >= RECLAIM_RATE {
            add(
                Reason::Reclaim,
                format!("{:.0} pages/s reclaimed by tasks themselves", self.reclaimed_per_s),
            );
        }
        let slow = self.disk.as_ref().and_then(|disk| Some((disk, disk.request_ms?)));
        match (slow, self.pressure[2]) {
            (Some((disk, ms)), _) if ms >= DISK_SLOW_MS => {
                add(Reason::Disk, format!("requests of {} took {ms:.0} ms", disk.name));
            }
            (_, Some(share)) if share >= DISK_WAIT_SHARE => {
                // Requests to another disk, or none that ended in this second.
                let rate = self.disk.as_ref().map(|disk| disk.requests_per_s).filter(|rate| *rate >= 0.5);
                let rate = rate.map_or_else(String::new, |rate| format!(", {rate:.0} requests/s"));
                add(Reason::Disk, format!("tasks waited for disks for {}{rate}", show_percent(share)));
            }
            _ => {}
        }
        if let Some((cpu, share)) = most(&self.interrupts, INTERRUPT_SHARE) {
            add(Reason::Irq, format!("interrupts took {} of CPU {cpu}", show_percent(share)));
        }
        events
    }
}

/// The CPU with the largest share that is at least this.
fn most(shares: &[(u32, f64)], least: f64) -> Option<(u32, f64)> {
    let reached = shares.iter().copied().filter(|(_, share)| *share >= least);
    reached.max_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reasons(conditions: &Conditions) -> Vec<Reason> {
        conditions.events().into_iter().map(|event| event.reason).collect()
    }

    #[test]
    fn conditions_are_events_from_their_thresholds_on() {
        assert_eq!(reasons(&Conditions::default()), []);
        let other = |share| OtherShare { cpu: Some(1), share, name: Some("hog".to_owned()) };
        let disk = |ms| Some(DiskUse { name: "vda".to_owned(), request_ms: Some(ms), requests_per_s: 9.0 });
        for (conditions, expected) in [
            (Conditions { others: vec![other(0.2)], ..Conditions::default() }, None),
            (Conditions { others: vec![other(0.5)], ..Conditions::default() }, Some(Reason::Neighbour)),
            (Conditions { steal: vec![(0, 0.1), (1, 0.01)], ..Conditions::default() }, Some(Reason::Steal)),
            (Conditions { quota: (10, 1), ..Conditions::default() }, Some(Reason::Throttled)),
            (Conditions { quota: (100, 1), ..Conditions::default() }, None),
            (Conditions { reclaimed_per_s: 500.0, ..Conditions::default() }, Some(Reason::Reclaim)),
            (Conditions { disk: disk(30.0), ..Conditions::default() }, Some(Reason::Disk)),
            (Conditions { disk: disk(3.0), ..Conditions::default() }, None),
            (Conditions { pressure: [None, None, Some(0.5)], ..Conditions::default() }, Some(Reason::Disk)),
            (Conditions { interrupts: vec![(3, 0.3)], ..Conditions::default() }, Some(Reason::Irq)),
        ] {
            assert_eq!(reasons(&conditions), Vec::from_iter(expected), "{conditions:?}");
        }
    }

    #[test]
    fn details_name_program_and_cpu() {
        let other = OtherShare { cpu: Some(1), share: 0.5, name: Some("hog".to_owned()) };
        let conditions = Conditions { others: vec![other], ..Conditions::default() };
        let details =
            |conditions: &Conditions| conditions.events().into_iter().map(|event| event.detail).collect();
        let hog: Vec<String> = details(&conditions);
        assert_eq!(hog, ["hog used 50 % of CPU 1"]);
        let waiting = |requests_per_s| Conditions {
            pressure: [None, None, Some(0.5)],
            disk: Some(DiskUse { name: "vda".to_owned(), request_ms: None, requests_per_s }),
            ..Conditions::default()
        };
        for (rate, expected) in [(0.0, ""), (12.0, ", 12 requests/s")] {
            let detail: Vec<String> = details(&waiting(rate));
            assert_eq!(detail, [format!("tasks waited for disks for 50 %{expected}")]);
        }
    }
}
