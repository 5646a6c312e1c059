//! What the pattern of odd points is a sign of.

use crate::odd::Lie;
use crate::siblings::UsualFacts;
use crate::table::{Column, Fleet};
use crate::thresholds::{EXPLAINED_SHARE, STEADY_GROUP};
use stats::order::median;

/// Working sets from here on are in memory, or mostly so, on all but the largest machines.
const IN_MEMORY: u64 = 64 << 20;

/// Points that depend on one thing.
type Group = fn(&Column) -> bool;

/// What a core does alone.
const CORE: Group = |column| ["arithmetic", "loop", "call"].contains(&column.id.family());
/// Entries of the kernel.
const KERNEL: Group = |column| column.id.family() == "syscall";
/// Latency of memory.
const MEMORY_LATENCY: Group = |column| column.id.operation == "memory.latency" && is_in_memory(column);
/// Bandwidth of memory.
const MEMORY_BANDWIDTH: Group =
    |column| column.id.operation.starts_with("memory.bandwidth.") && is_in_memory(column);
/// Reading the clock without the kernel.
const CLOCK: Group = |column| column.id.operation == "clock.read.monotonic";
/// Storage.
const STORAGE: Group = |column| {
    let direct = ["file.read.direct", "file.read.uncached", "file.write.direct", "file.write.fsync"];
    direct.contains(&column.id.operation.as_str())
};

fn is_in_memory(column: &Column) -> bool {
    let size = column.id.parameter("bytes").and_then(|size| quantity::parse_bytes(size).ok());
    size.is_some_and(|size| size.bytes() >= IN_MEMORY)
}

/// A pattern and what it is a sign of.
struct Rule {
    group: Group,
    /// The group costs at least this many times what it costs elsewhere.
    least: f64,
    /// These cost what they cost elsewhere, within [`STEADY_GROUP`].
    steady: &'static [Group],
    says: &'static str,
    causes: Causes,
}

/// What may cause a pattern.
enum Causes {
    /// The clock of the cores: it was measured with the points.
    Clock,
    /// These.
    Listed(&'static [Listed]),
}

/// A cause that facts of the machine may speak against.
struct Listed {
    says: &'static str,
    /// How the keys of the facts begin that would differ from the siblings'; empty where no fact speaks of it.
    facts: &'static str,
    /// These facts speak against it only where they have this value.
    only_at: Option<&'static str>,
}

const fn listed(says: &'static str, facts: &'static str) -> Listed {
    Listed { says, facts, only_at: None }
}

const RULES: &[Rule] = &[
    Rule {
        group: CORE,
        least: 1.03,
        steady: &[],
        says: "work of a single core is slower",
        causes: Causes::Clock,
    },
    Rule {
        group: MEMORY_BANDWIDTH,
        least: 1.2,
        steady: &[CORE],
        says: "memory bandwidth is lower while the cores are as fast as elsewhere",
        causes: Causes::Listed(&[
            listed("an empty memory channel", "memory.modules"),
            listed("slower memory modules", "memory.bus_bandwidth"),
            listed("other users of the memory", ""),
        ]),
    },
    Rule {
        group: MEMORY_LATENCY,
        least: 1.08,
        steady: &[CORE],
        says: "memory latency is higher while the cores are as fast as elsewhere",
        causes: Causes::Listed(&[
            listed("other memory modules", "memory.modules"),
            listed("a lower clock of the memory", "memory.bus_bandwidth"),
            listed("memory of another NUMA node", ""),
        ]),
    },
    Rule {
        group: KERNEL,
        least: 1.03,
        steady: &[CORE],
        says: "system calls cost more",
        causes: Causes::Listed(&[
            listed("a mitigation", "mitigation."),
            Listed { says: "a seccomp filter", facts: "environment.seccomp", only_at: Some("off") },
            listed("another kernel", "kernel."),
        ]),
    },
    Rule {
        group: CLOCK,
        least: 2.0,
        steady: &[CORE],
        says: "reading the clock takes longer",
        causes: Causes::Listed(&[listed("a clock source that the vDSO cannot read", "kernel.clocksource")]),
    },
    Rule {
        group: STORAGE,
        least: 1.15,
        steady: &[CORE, KERNEL],
        says: "storage is slower",
        causes: Causes::Listed(&[
            listed("another disk", "storage."),
            listed("the state of the disk or its queue", ""),
            listed("other users of the disk", ""),
        ]),
    },
];

/// A pattern of costs with what may cause it; no cause is proven.
#[derive(Debug, Clone, PartialEq)]
pub struct Sign {
    /// The pattern.
    pub says: &'static str,
    /// What may cause it.
    pub cause: Cause,
    /// Cost of the points that show it, in the median, divided by that on the median machine.
    pub ratio: f64,
    /// How many points show it.
    pub points: usize,
}

/// What may cause a pattern.
#[derive(Debug, Clone, PartialEq)]
pub enum Cause {
    /// The clock that was measured is lower than the siblings', both in hertz.
    LowerClock {
        /// Here.
        here: f64,
        /// On the median sibling.
        siblings: f64,
    },
    /// The clock that was measured, in hertz, is not lower, or not by enough.
    NotTheClock {
        /// Here.
        here: f64,
        /// On the median sibling.
        siblings: f64,
    },
    /// No clock was recorded.
    UnknownClock,
    /// One of these, whose facts differ or are unknown. Empty where all facts that would differ are the siblings'.
    OneOf(Vec<&'static str>),
}

/// A machine among its siblings.
pub(crate) struct Patient<'f> {
    pub(crate) fleet: &'f Fleet,
    /// The machines of its type.
    pub(crate) siblings: &'f [usize],
    /// What is usual with these.
    pub(crate) usual: &'f UsualFacts,
    /// The machine.
    pub(crate) machine: usize,
    /// Its place among its siblings.
    pub(crate) place: usize,
}

/// What the costs of a machine are signs of.
pub(crate) fn signs(patient: &Patient<'_>, lies: &[Lie]) -> Vec<Sign> {
    let found = RULES.iter().filter_map(|rule| {
        let (ratio, points) = patient.ratio(rule.group, lies);
        let ratio = ratio.filter(|ratio| *ratio >= rule.least)?;
        let mut steady = rule.steady.iter().filter_map(|group| patient.ratio(*group, lies).0);
        steady.all(|ratio| ratio.max(1.0 / ratio) < STEADY_GROUP).then(|| Sign {
            says: rule.says,
            cause: patient.cause(rule, ratio),
            ratio,
            points,
        })
    });
    found.collect()
}

impl Patient<'_> {
    /// The median over the points of a group of what they cost here divided by what they cost on the median machine, and how
    /// many these are.
    fn ratio(&self, group: Group, lies: &[Lie]) -> (Option<f64>, usize) {
        let here = lies.iter().filter(|lie| self.fleet.columns.get(lie.column).is_some_and(group));
        let distances: Vec<f64> = here.filter_map(|lie| Some(lie.member(self.place)?.0)).collect();
        (median(&distances).map(f64::exp), distances.len())
    }

    fn cause(&self, rule: &Rule, ratio: f64) -> Cause {
        match rule.causes {
            Causes::Clock => self.clock(rule.group, ratio),
            Causes::Listed(causes) => {
                let possible = causes.iter().filter(|cause| !self.is_excluded(cause));
                Cause::OneOf(possible.map(|cause| cause.says).collect())
            }
        }
    }

    /// Whether the facts that a cause would change are the siblings'.
    fn is_excluded(&self, cause: &Listed) -> bool {
        let Some(machine) = self.fleet.machines.get(self.machine).filter(|_| !cause.facts.is_empty()) else {
            return false;
        };
        let usual = self.usual.iter().filter(|(key, _)| key.starts_with(cause.facts));
        let mut usual = usual.filter_map(|(key, usual)| Some((key, usual.as_ref()?))).peekable();
        usual.peek().is_some()
            && usual.all(|(key, usual)| {
                machine.facts.get(key) == Some(usual) && cause.only_at.is_none_or(|value| **usual == *value)
            })
    }

    /// Whether the measured clock of the cores is the cause of what these points cost.
    fn clock(&self, group: Group, ratio: f64) -> Cause {
        let columns = self.fleet.columns.iter().enumerate().filter(|(_, column)| group(column));
        let clocks = columns.filter_map(|(column, _)| {
            let here = self.fleet.machines.get(self.machine)?.log_clock(column)?;
            let siblings = self.siblings.iter().filter_map(|index| self.fleet.machines.get(*index));
            Some((here, median(siblings.filter_map(|machine| machine.log_clock(column)))?))
        });
        let (here, siblings): (Vec<f64>, Vec<f64>) = clocks.unzip();
        let lower = median(here.iter().zip(&siblings).map(|(here, siblings)| siblings - here));
        let (Some(lower), Some(here), Some(siblings)) = (lower, median(here), median(siblings)) else {
            return Cause::UnknownClock;
        };
        let (here, siblings) = (here.exp(), siblings.exp());
        match lower >= EXPLAINED_SHARE * ratio.ln() {
            true => Cause::LowerClock { here, siblings },
            false => Cause::NotTheClock { here, siblings },
        }
    }
}
