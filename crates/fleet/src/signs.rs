//! What the pattern of odd points is a sign of.

use crate::odd::Lie;
use crate::table::{Column, Fleet};
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
    /// These cost what they cost elsewhere, within [`STEADY`].
    steady: &'static [Group],
    says: &'static str,
}

/// Groups within this factor are as elsewhere.
const STEADY: f64 = 1.03;

const RULES: &[Rule] = &[
    Rule {
        group: CORE,
        least: 1.03,
        steady: &[],
        says: "work of a single core is slower: a lower clock (power cap, governor, thermal throttling)",
    },
    Rule {
        group: MEMORY_BANDWIDTH,
        least: 1.2,
        steady: &[CORE],
        says: "memory bandwidth is lower while the cores are as fast as elsewhere: a memory channel may be empty or \
               slower",
    },
    Rule {
        group: MEMORY_LATENCY,
        least: 1.08,
        steady: &[CORE],
        says: "memory latency is higher while the cores are as fast as elsewhere: DIMMs, their clock, or the NUMA node",
    },
    Rule {
        group: KERNEL,
        least: 1.03,
        steady: &[CORE],
        says: "system calls cost more: a mitigation, a seccomp filter, or another kernel",
    },
    Rule {
        group: CLOCK,
        least: 2.0,
        steady: &[CORE],
        says: "reading the clock takes longer: a clock source that the vDSO cannot read",
    },
    Rule {
        group: STORAGE,
        least: 1.15,
        steady: &[CORE, KERNEL],
        says: "storage is slower: the disk, its queue, or other users of it",
    },
];

/// A likely cause; none of them is proven.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sign {
    /// What it may be.
    pub says: &'static str,
    /// Cost of the points that show it, in the median, divided by that on the median machine.
    pub ratio: f64,
    /// How many points show it.
    pub points: usize,
}

/// What the costs of the machine at this place of its type are signs of.
pub(crate) fn signs(fleet: &Fleet, lies: &[Lie], index: usize) -> Vec<Sign> {
    let of_group = |group: Group| -> Vec<f64> {
        let is_in = |lie: &&Lie| fleet.columns.get(lie.column).is_some_and(group);
        lies.iter().filter(is_in).filter_map(|lie| Some(lie.at(index)?.0)).collect()
    };
    let ratio = |group: Group| median(of_group(group)).map(f64::exp);
    let is_steady = |group: &Group| ratio(*group).is_none_or(|ratio| ratio.max(1.0 / ratio) < STEADY);
    let found = RULES.iter().filter_map(|rule| {
        let ratio = ratio(rule.group).filter(|ratio| *ratio >= rule.least)?;
        rule.steady.iter().all(is_steady).then(|| Sign {
            says: rule.says,
            ratio,
            points: of_group(rule.group).len(),
        })
    });
    found.collect()
}
