//! The deviation between runs on one machine, by what a point waits for: the table for machines without earlier records.

use crate::thresholds::{
    RUNS_OF_ANONYMOUS_FAULTS, RUNS_OF_CONTROLLED_CPUS, RUNS_OF_CPU, RUNS_OF_CREATION, RUNS_OF_DIRECT_READS,
    RUNS_OF_DIRECTORIES, RUNS_OF_FAULTS, RUNS_OF_FILE_FAULTS, RUNS_OF_FILES, RUNS_OF_LATENCY,
    RUNS_OF_LINE_SIZE, RUNS_OF_MAPPINGS, RUNS_OF_MEMORY, RUNS_OF_MEMORY_BANDWIDTH, RUNS_OF_MESSAGES,
    RUNS_OF_NAMES, RUNS_OF_NETWORK, RUNS_OF_OWN_OBJECTS, RUNS_OF_PROCESSES, RUNS_OF_SHARED_CACHE,
    RUNS_OF_SHARED_MEMORY, RUNS_OF_SHARED_OBJECTS, RUNS_OF_SIGNALS_AND_THREADS, RUNS_OF_SWITCHES,
    RUNS_OF_SYSTEM_CALLS, RUNS_OF_TWO_CPUS, SHARED_MEMORY,
};
use quantity::Quantity;
use record::PlannedPoint;

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
    ("pairs.", RUNS_OF_TWO_CPUS),
    ("scaling.actors", RUNS_OF_TWO_CPUS),
    ("schedule.request", RUNS_OF_TWO_CPUS),
    ("network.round_trip.loaded", RUNS_OF_TWO_CPUS),
];

/// The same for all other points, by area.
const BY_AREA: &[(&str, f64)] = &[
    ("cpu", RUNS_OF_CPU),
    ("os", RUNS_OF_PROCESSES),
    ("memory", RUNS_OF_MEMORY),
    ("network", RUNS_OF_NETWORK),
    ("file", RUNS_OF_FILES),
];

/// The standard deviation between runs of a point, as a share of its value; `None` for what is neither a time, a bandwidth nor the
/// capacity of a shared cache.
pub(crate) fn by_class(point: &PlannedPoint) -> Option<f64> {
    let id = &point.id;
    if point.quantity == Quantity::Size && id.operation == "memory.levels" {
        // The first two levels are a core's own.
        return (!matches!(id.parameter("level"), Some("1" | "2"))).then_some(RUNS_OF_SHARED_CACHE);
    }
    if !matches!(point.quantity, Quantity::Latency | Quantity::Bandwidth) {
        return None;
    }
    let is_of_two_cpus = matches!(id.parameter("cpu"), Some("other" | "sibling" | "node"))
        || point.cpus.is_some_and(|cpus| cpus > 1);
    // Actors that compute on their CPUs and never sleep: how a CPU idles is nothing to them.
    if is_of_two_cpus && id.operation.starts_with("scaling.") && point.gate.cpu_share.is_some() {
        let is_shared = id.parameter("object") == Some("shared");
        return Some(if is_shared { RUNS_OF_SHARED_OBJECTS } else { RUNS_OF_OWN_OBJECTS });
    }
    if is_of_two_cpus && id.operation != "ipc.cache_line.round_trip" {
        // Streams between CPUs in a controlled idle state were not repeated.
        let is_controlled = id.parameter("idle").is_some() && point.quantity == Quantity::Latency;
        return Some(if is_controlled { RUNS_OF_CONTROLLED_CPUS } else { RUNS_OF_TWO_CPUS });
    }
    if id.operation == "wakeup.latency" && id.parameter("load") == Some("idle") {
        return Some(RUNS_OF_TWO_CPUS);
    }
    let size = id.parameter("bytes").and_then(|text| quantity::parse_bytes(text).ok());
    if id.operation == "memory.latency" && size.is_some_and(|size| size.bytes() >= SHARED_MEMORY) {
        return Some(RUNS_OF_SHARED_MEMORY);
    }
    let by_operation = BY_OPERATION.iter().find(|(start, _)| id.operation.starts_with(start));
    let known = by_operation.or_else(|| BY_AREA.iter().find(|(area, _)| *area == point.area));
    Some(known.map_or(RUNS_OF_TWO_CPUS, |(_, share)| *share))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Gate, PointId};

    fn point_of(operation: &str, point: &str, area: &str) -> PlannedPoint {
        let (area, quantity) = (area.to_owned(), Quantity::Latency);
        PlannedPoint { area, quantity, ..PlannedPoint::new(PointId::new(operation, point)) }
    }

    #[test]
    fn classes_are_by_what_a_point_waits_for() {
        for (operation, point, area, share) in [
            ("switch.process.pipe", "cpu=same", "os", 0.012),
            ("process.create.fork_wait", "", "os", 0.01),
            ("switch.process.pipe", "cpu=other", "os", RUNS_OF_TWO_CPUS),
            ("switch.process.pipe", "cpu=other idle=busy", "os", RUNS_OF_CONTROLLED_CPUS),
            ("ipc.cache_line.round_trip", "cpu=other", "os", 0.03),
            ("pairs.cache_line", "", "os", RUNS_OF_TWO_CPUS),
            ("scaling.actors", "cpus=1 actors=4", "os", RUNS_OF_TWO_CPUS),
            ("schedule.request", "load=30 time=wakeup", "os", RUNS_OF_TWO_CPUS),
            ("syscall.floor", "", "os", 0.003),
            ("memory.latency", "bytes=16KiB", "memory", 0.006),
            ("memory.latency", "page_size=4KiB bytes=4MiB", "memory", RUNS_OF_SHARED_MEMORY),
            ("wakeup.latency", "load=idle", "os", RUNS_OF_TWO_CPUS),
            ("wakeup.latency", "load=busy", "os", 0.012),
            ("fault.huge", "", "memory", 0.01),
            ("file.stat", "", "file", 0.06),
            ("of.nothing", "", "unknown", RUNS_OF_TWO_CPUS),
        ] {
            let found = by_class(&point_of(operation, point, area));
            assert_eq!(found, Some(share), "{operation} {point}");
        }
    }

    #[test]
    fn actors_on_several_cpus_that_never_sleep_have_classes_by_their_object() {
        let on = |cpus, point, cpu_share| {
            let gate = Gate { cpu_share, ..Gate::default() };
            by_class(&PlannedPoint { cpus, gate, ..point_of("scaling.file", point, "os") })
        };
        let (own, shared, computes) = ("call=pread object=own", "call=pread object=shared", Some(0.9));
        assert_eq!(on(Some(2), own, computes), Some(RUNS_OF_OWN_OBJECTS));
        assert_eq!(on(Some(2), shared, computes), Some(RUNS_OF_SHARED_OBJECTS));
        assert_eq!(on(Some(2), shared, None), Some(RUNS_OF_TWO_CPUS), "it sleeps");
        assert_eq!(on(Some(1), own, computes), on(None, own, computes));
    }

    #[test]
    fn capacity_of_a_shared_cache_differs_between_runs_and_of_a_private_one_hardly() {
        let capacity = |level: u8| {
            let point = point_of("memory.levels", &format!("level={level} property=capacity"), "memory");
            by_class(&PlannedPoint { quantity: Quantity::Size, ..point })
        };
        let shared = Some(RUNS_OF_SHARED_CACHE);
        assert_eq!([1, 2, 3, 4].map(capacity), [None, None, shared, shared]);
    }

    #[test]
    fn streams_between_cpus_are_in_the_widest_class() {
        let mut stream = point_of("network.bandwidth.tcp", "path=loopback cpu=other idle=busy", "network");
        stream.quantity = Quantity::Bandwidth;
        assert_eq!(by_class(&stream), Some(RUNS_OF_TWO_CPUS));
    }
}
