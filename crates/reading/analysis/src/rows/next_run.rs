//! What the next run on this machine will say: repeatability within a run, and reproducibility between runs.
//!
//! Fresh processes sample the variance between processes. Nothing within a minute samples what lasts for minutes: the state of the
//! host's disk, of a cache that it shares out, of its memory. How far runs lie apart by that depends on what a point waits
//! for; the table has it by class of point.

use crate::rows::row::{Estimate, Row};
use crate::thresholds::{
    COVERAGE, RUNS_OF_ANONYMOUS_FAULTS, RUNS_OF_CONTROLLED_CPUS, RUNS_OF_CPU, RUNS_OF_CREATION,
    RUNS_OF_DIRECT_READS, RUNS_OF_DIRECTORIES, RUNS_OF_FAULTS, RUNS_OF_FILE_FAULTS, RUNS_OF_FILES,
    RUNS_OF_LATENCY, RUNS_OF_LINE_SIZE, RUNS_OF_MAPPINGS, RUNS_OF_MEMORY, RUNS_OF_MEMORY_BANDWIDTH,
    RUNS_OF_MESSAGES, RUNS_OF_NAMES, RUNS_OF_NETWORK, RUNS_OF_PROCESSES, RUNS_OF_SHARED_MEMORY,
    RUNS_OF_SIGNALS_AND_THREADS, RUNS_OF_SWITCHES, RUNS_OF_SYSTEM_CALLS, RUNS_OF_TWO_CPUS, SHARED_MEMORY,
};
use quantity::Quantity;
use record::PlannedPoint;
use stats::interval::{Coverage, Interval};
use std::f64::consts::SQRT_2;

/// Standard deviations of a normal distribution that [`COVERAGE`] takes.
const COVERED: f64 = 1.96;

/// Standard deviation between runs by the beginning of an operation's id; the first that fits counts.
const BY_OPERATION: &[(&str, f64)] = &[
    ("syscall.", RUNS_OF_SYSTEM_CALLS),
    ("signal.", RUNS_OF_SIGNALS_AND_THREADS),
    ("thread.", RUNS_OF_SIGNALS_AND_THREADS),
    ("ipc.", RUNS_OF_MESSAGES),
    ("switch.", RUNS_OF_SWITCHES),
    ("wakeup.", RUNS_OF_SWITCHES),
    ("memory.latency", RUNS_OF_LATENCY),
    ("memory.line_size", RUNS_OF_LINE_SIZE),
    ("memory.bandwidth", RUNS_OF_MEMORY_BANDWIDTH),
    ("memory.", RUNS_OF_MEMORY),
    ("mapping.", RUNS_OF_MAPPINGS),
    ("fault.anonymous", RUNS_OF_ANONYMOUS_FAULTS),
    ("fault.file", RUNS_OF_FILE_FAULTS),
    ("fault.", RUNS_OF_FAULTS),
    ("file.rename", RUNS_OF_NAMES),
    ("file.delete", RUNS_OF_NAMES),
    ("file.create", RUNS_OF_CREATION),
    ("file.read.direct", RUNS_OF_DIRECT_READS),
    ("directory.", RUNS_OF_DIRECTORIES),
];

/// The same for all other points, by area.
const BY_AREA: &[(&str, f64)] = &[
    ("cpu", RUNS_OF_CPU),
    ("os", RUNS_OF_PROCESSES),
    ("memory", RUNS_OF_MEMORY),
    ("network", RUNS_OF_NETWORK),
    ("file", RUNS_OF_FILES),
];

/// The standard deviation between runs of a point, as a share of its value; `None` for what is neither a time nor a bandwidth.
pub(crate) fn between_runs(point: &PlannedPoint) -> Option<f64> {
    if !matches!(point.quantity, Quantity::Latency | Quantity::Bandwidth) {
        return None;
    }
    let id = &point.id;
    let is_of_two_cpus = matches!(id.parameter("cpu"), Some("other" | "sibling" | "node"));
    if is_of_two_cpus && id.operation != "ipc.cache_line.round_trip" {
        // Streams between CPUs in a controlled idle state were not repeated.
        let is_controlled = id.parameter("idle").is_some() && point.quantity == Quantity::Latency;
        return Some(if is_controlled { RUNS_OF_CONTROLLED_CPUS } else { RUNS_OF_TWO_CPUS });
    }
    let size = id.parameter("bytes").and_then(|text| quantity::parse_bytes(text).ok());
    if id.operation == "memory.latency" && size.is_some_and(|size| size.bytes() >= SHARED_MEMORY) {
        return Some(RUNS_OF_SHARED_MEMORY);
    }
    let by_operation = BY_OPERATION.iter().find(|(start, _)| id.operation.starts_with(start));
    let by_area = || BY_AREA.iter().find(|(area, _)| *area == point.area);
    Some(by_operation.or_else(by_area).map_or(RUNS_OF_TWO_CPUS, |(_, share)| *share))
}

impl Row {
    /// The interval in which the next run on this machine finds the value with a probability of about 95 %; `None` without an
    /// interval, and for what is neither a time nor a bandwidth.
    pub fn next_run(&self) -> Option<Interval> {
        let share = between_runs(&self.point)?;
        let estimate = self.estimate.as_ref()?;
        let within = estimate.interval?;
        let between = COVERED * share * estimate.typical.abs();
        // Either run has both components.
        let reach = |within: f64| SQRT_2 * within.hypot(between);
        Some(Interval {
            low: estimate.typical - reach(estimate.typical - within.low),
            high: estimate.typical + reach(within.high - estimate.typical),
            coverage: Coverage::NextRun(COVERAGE),
        })
    }

    /// Half the width of that interval as a share of the value; that of this run where there is none.
    pub fn next_run_half_width(&self) -> Option<f64> {
        let estimate = self.estimate.as_ref()?;
        let next = Estimate { interval: self.next_run().or(estimate.interval), ..estimate.clone() };
        next.half_width()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::PointId;

    fn row(operation: &str, point: &str, area: &str, half: f64) -> Row {
        let planned = PlannedPoint::new(PointId::new(operation, point));
        let interval = Interval::at_level(100.0 - half, 100.0 + half, COVERAGE);
        let estimate = Estimate { typical: 100.0, interval: Some(interval), ..Estimate::default() };
        let planned = PlannedPoint { area: area.to_owned(), quantity: Quantity::Latency, ..planned };
        Row { estimate: Some(estimate), ..Row::new(planned) }
    }

    #[test]
    fn the_next_run_is_wider_than_this_one_by_both_components() {
        let next = row("file.read.direct", "access=random", "file", 3.0).next_run().unwrap();
        let half = SQRT_2 * 3.0_f64.hypot(1.96 * 7.0);
        assert!((next.high - 100.0 - half).abs() < 1e-9 && (100.0 - next.low - half).abs() < 1e-9);
        // Without a component between runs it is that of a difference of two.
        let next = row("call.procedure", "", "cpu", 1.0).next_run_half_width().unwrap();
        assert!((next - SQRT_2 * 0.01).abs() < 1e-4, "{next}");
    }

    #[test]
    fn classes_are_by_what_a_point_waits_for() {
        for (operation, point, area, share) in [
            ("switch.process.pipe", "cpu=same", "os", 0.012),
            ("process.create.fork_wait", "", "os", 0.004),
            ("switch.process.pipe", "cpu=other", "os", RUNS_OF_TWO_CPUS),
            ("switch.process.pipe", "cpu=other idle=busy", "os", RUNS_OF_CONTROLLED_CPUS),
            ("ipc.cache_line.round_trip", "cpu=other", "os", 0.03),
            ("syscall.floor", "", "os", 0.0008),
            ("memory.latency", "bytes=16KiB", "memory", 0.006),
            ("memory.latency", "page_size=4KiB bytes=4MiB", "memory", RUNS_OF_SHARED_MEMORY),
            ("fault.huge", "", "memory", 0.01),
            ("file.stat", "", "file", 0.06),
            ("of.nothing", "", "unknown", RUNS_OF_TWO_CPUS),
        ] {
            let found = between_runs(&row(operation, point, area, 1.0).point);
            assert_eq!(found, Some(share), "{operation} {point}");
        }
    }

    #[test]
    fn streams_between_cpus_are_in_the_widest_class() {
        let mut stream = row("network.bandwidth.tcp", "path=loopback cpu=other idle=busy", "network", 1.0);
        stream.point.quantity = Quantity::Bandwidth;
        assert_eq!(between_runs(&stream.point), Some(RUNS_OF_TWO_CPUS));
    }

    #[test]
    fn what_is_neither_a_time_nor_a_bandwidth_has_the_interval_of_its_run() {
        let mut count = row("clock.frequency", "", "cpu", 2.0);
        count.point.quantity = Quantity::Count;
        assert_eq!((count.next_run(), count.next_run_half_width()), (None, Some(0.02)));
    }
}
