//! What stands out in a run: the few findings that a first screen has room for. Only what holds over the whole intervals of
//! the rows does; a row with too few trials for an interval shows nothing.

use crate::answers::contrast::quotient_of;
use crate::rows::row::Row;
use crate::run::distances::{Distance, distances};
use crate::thresholds::{COSTLY_OTHER_CPU, LIKE_MEMORY, SCALING_BANDWIDTH, SLOW_CLOCK_NS};
use record::{Machine, PointId, Range};

/// A finding that stands out.
#[derive(Debug, Clone, PartialEq)]
pub enum Highlight {
    /// A point costs far more or far less than predicted, or than on other machines.
    Distance(Distance),
    /// Loads from a working set that the last cache should hold are about as slow as loads from memory.
    CacheCapacity {
        /// The working set in bytes.
        bytes: f64,
        /// Its latency in nanoseconds.
        ns: f64,
        /// Whether the latency of memory was measured; otherwise it is what is published of processors of this family.
        is_measured: bool,
    },
    /// Waking a task on another CPU costs several switches on the same one.
    OtherCpu {
        /// The switch on the same CPU.
        same: PointId,
        /// That to another.
        other: PointId,
        /// How many times as much.
        factor: Range,
    },
    /// All CPUs together get hardly more bandwidth from memory than one.
    SharedBandwidth {
        /// How many CPUs.
        cpus: f64,
        /// The bandwidth of one CPU.
        one: PointId,
        /// That of all of them.
        all: PointId,
        /// Their bandwidth divided by that of one.
        factor: Range,
        /// Whether the next run, too, would find hardly more.
        is_decided: bool,
    },
    /// The clock is read by a system call, because the clock source cannot be read in user space.
    SlowClock {
        /// The clock source.
        source: String,
        /// What a reading costs, in nanoseconds.
        ns: f64,
    },
}

impl Highlight {
    /// Whether it is slow, and not only unlike its prediction.
    pub fn is_slow(&self) -> bool {
        !matches!(self, Self::Distance(distance) if !distance.is_slow)
    }
}

/// Clock sources that are read in user space.
const READ_IN_USER_SPACE: [&str; 4] = ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"];

/// What stands out among these rows: what is slow, first the largest distances, then what holds of several rows; after it what
/// is only unlike its prediction. `elsewhere` gives what a point came to on each of the other machines.
pub fn highlights<'r>(
    rows: impl IntoIterator<Item = &'r Row>,
    machine: &Machine,
    elsewhere: impl Fn(&PointId) -> Vec<f64>,
) -> Vec<Highlight> {
    let rows: Vec<&Row> = rows.into_iter().filter(|row| row.estimate.is_some()).collect();
    let capacity = cache_capacity(&rows, machine);
    // Loads that miss the cache are slow for that reason alone.
    let mut unexplained = rows.clone();
    unexplained.retain(|row| capacity.is_none() || row.point.id.operation != "memory.latency");
    let mut found: Vec<Highlight> =
        distances(&unexplained, elsewhere).into_iter().map(Highlight::Distance).collect();
    found.extend(capacity);
    found.extend(other_cpu(&rows));
    found.extend(shared_bandwidth(&rows, machine));
    found.extend(slow_clock(&rows, machine));
    found.sort_by_key(|one| !one.is_slow());
    found
}

fn range(row: &Row) -> Option<Range> {
    row.estimate.as_ref()?.range()
}

/// The second row divided by the first, from corner to corner of their intervals.
fn factor([first, second]: [&Row; 2]) -> Option<Range> {
    quotient_of(range(second)?, range(first)?)
}

/// The smallest working set that fits into half of the last cache and is as slow as memory: as a working set that does not
/// fit, or, where none was measured, as loads from memory on this family.
fn cache_capacity(rows: &[&Row], machine: &Machine) -> Option<Highlight> {
    let reported = machine.number("cache.last.size")?;
    let loads = rows.iter().filter(|row| {
        row.point.id.operation == "memory.latency" && row.point.id.parameter("page_size") == Some("4KiB")
    });
    let points = loads.filter_map(|row| {
        let bytes = quantity::parse_bytes(row.point.id.parameter("bytes")?).ok()?;
        Some((bytes.bytes() as f64, range(row)?))
    });
    let mut points: Vec<(f64, Range)> = points.collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let outside = points.last().filter(|(bytes, _)| *bytes >= 2.0 * reported);
    let least = match outside {
        Some((_, ns)) => LIKE_MEMORY * ns.high,
        None => machine.number("family.memory_ns")?,
    };
    let is_measured = outside.is_some();
    let (bytes, ns) = points.into_iter().find(|(bytes, ns)| *bytes <= reported / 2.0 && ns.low >= least)?;
    Some(Highlight::CacheCapacity { bytes, ns: ns.value, is_measured })
}

/// The two rows of an operation that differ only in these values of a parameter; the last, where there are several.
fn pair<'r>(rows: &[&'r Row], operation: &str, name: &str, values: [&str; 2]) -> Option<[&'r Row; 2]> {
    let [first, second] = values.map(|value| format!("{name}={value}"));
    let mut rows = rows.to_vec();
    rows.retain(|row| row.point.id.operation == operation);
    rows.iter().rev().find_map(|row| {
        let point = row.point.id.point.replace(&first, &second);
        let other = rows.iter().find(|other| other.point.id.point == point)?;
        (point != row.point.id.point).then_some([*row, *other])
    })
}

fn other_cpu(rows: &[&Row]) -> Option<Highlight> {
    let [same, other] = pair(rows, "switch.process.pipe", "cpu", ["same", "other"])?;
    let factor = factor([same, other])?;
    (factor.low >= COSTLY_OTHER_CPU).then(|| Highlight::OtherCpu {
        same: same.point.id.clone(),
        other: other.point.id.clone(),
        factor,
    })
}

fn shared_bandwidth(rows: &[&Row], machine: &Machine) -> Option<Highlight> {
    let cpus = machine.number("cpus.allowed").filter(|cpus| *cpus > 1.0)?;
    let [one, all] = pair(rows, "memory.bandwidth.read", "cpus", ["1", "all"])?;
    let factor = factor([one, all])?;
    let next = next_range(all).zip(next_range(one)).and_then(|(all, one)| quotient_of(all, one));
    let is_little = |factor: Range| factor.high < SCALING_BANDWIDTH * cpus;
    is_little(factor).then(|| Highlight::SharedBandwidth {
        cpus,
        one: one.point.id.clone(),
        all: all.point.id.clone(),
        factor,
        is_decided: next.is_some_and(is_little),
    })
}

/// The range in which the next run finds a row.
fn next_range(row: &Row) -> Option<Range> {
    let (value, half) = (row.typical()?, row.next_run_half_width()?);
    Some(Range { low: value * (1.0 - half), value, high: value * (1.0 + half) })
        .filter(|range| range.low > 0.0)
}

fn slow_clock(rows: &[&Row], machine: &Machine) -> Option<Highlight> {
    let source = machine.text("kernel.clocksource")?;
    let row = rows.iter().find(|row| row.point.id.operation == "clock.read.monotonic")?;
    let ns = range(row)?;
    let is_slow = ns.low >= SLOW_CLOCK_NS && !READ_IN_USER_SPACE.contains(&source);
    is_slow.then(|| Highlight::SlowClock { source: source.to_owned(), ns: ns.value })
}
