//! Rows like those of the tables with which four of the five reports end, each with the point that measures it.

/// A row of the reports' summary tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SummaryRow {
    /// `cpu`, `os`, `memory`, `network` or `file`.
    pub area: &'static str,
    /// What the row is called.
    pub label: &'static str,
    /// The operation of the program.
    pub operation: &'static str,
    /// Its point.
    pub point: &'static str,
    /// Bytes of the working set of a load or a stream, which tell in which cache it lies.
    pub working_set: Option<u64>,
    /// The point of the round trip in which its time is given, too.
    pub round_trip: Option<(&'static str, &'static str)>,
}

impl SummaryRow {
    /// What `oscope run` must be given to measure it besides the selection; empty where nothing is missing.
    pub fn option(&self) -> &'static str {
        if self.point.contains("path=remote") {
            "--peer HOST:PORT"
        } else if self.operation.starts_with("file.remote.") {
            "--remote-dir DIR"
        } else {
            ""
        }
    }
}

const fn row(
    area: &'static str,
    label: &'static str,
    operation: &'static str,
    point: &'static str,
) -> SummaryRow {
    SummaryRow { area, label, operation, point, working_set: None, round_trip: None }
}

const fn load(label: &'static str, point: &'static str, kib: u64) -> SummaryRow {
    SummaryRow { working_set: Some(kib << 10), ..row("memory", label, "memory.latency", point) }
}

const fn stream(label: &'static str, operation: &'static str) -> SummaryRow {
    SummaryRow {
        working_set: Some(128 << 20),
        ..row("memory", label, operation, "method=widest bytes=128MiB cpus=1")
    }
}

const fn connection(
    label: &'static str,
    operation: &'static str,
    point: &'static str,
    round_trip: &'static str,
) -> SummaryRow {
    let round_trip = Some((ROUND_TRIP, round_trip));
    SummaryRow { round_trip, ..row("network", label, operation, point) }
}

const ROUND_TRIP: &str = "network.round_trip.tcp";
const LOCAL_ROUND_TRIP: &str = "path=loopback cpu=same bytes=64B";
const REMOTE_ROUND_TRIP: &str = "path=remote bytes=64B";

/// The rows, in the order of the reports: R0, 7; R1, 4; R2, 7; R3, 7.2; and the sections of R4, which has no table.
/// What two of them have stands here, local and remote.
pub const SUMMARY_ROWS: [SummaryRow; 30] = [
    row("cpu", "read the clock", "clock.read.monotonic", ""),
    row("cpu", "loop iteration", "loop.iteration", "counter=register iterations=1024"),
    row("cpu", "procedure call", "call.procedure", "arguments=0"),
    row("os", "system call (getppid)", "syscall.getppid", "method=libc"),
    row("os", "process: fork + exit + wait", "process.create.fork_wait", "resident=0B"),
    row("os", "thread: create + join", "thread.create.join", ""),
    row("os", "process switch (pipe)", "switch.process.pipe", "cpu=same"),
    row("os", "thread switch (pipe)", "switch.thread.pipe", "cpu=same"),
    load("load from 16 KiB", "page_size=4KiB bytes=16KiB", 16),
    load("load from 256 KiB", "page_size=4KiB bytes=256KiB", 256),
    load("load from 4 MiB", "page_size=4KiB bytes=4MiB", 4 << 10),
    load("load from 64 MiB", "page_size=4KiB bytes=64MiB", 64 << 10),
    stream("read of 128 MiB", "memory.bandwidth.read"),
    stream("write of 128 MiB", "memory.bandwidth.write"),
    row("memory", "page fault, page cached", "fault.file.minor", "stride=64KiB fill_write=4KiB"),
    row("memory", "page fault, from disk", "fault.file.major", "access=random"),
    row("network", "round trip, loopback", ROUND_TRIP, LOCAL_ROUND_TRIP),
    row("network", "round trip, remote", ROUND_TRIP, REMOTE_ROUND_TRIP),
    row("network", "TCP bandwidth, loopback", "network.bandwidth.tcp", "path=loopback cpu=same"),
    row("network", "TCP bandwidth, remote", "network.bandwidth.tcp", "path=remote"),
    connection("connect, loopback", "network.connection.connect", "path=loopback cpu=same", LOCAL_ROUND_TRIP),
    connection("connect, remote", "network.connection.connect", "path=remote", REMOTE_ROUND_TRIP),
    connection("close, loopback", "network.connection.close", "path=loopback cpu=same", LOCAL_ROUND_TRIP),
    connection("close, remote", "network.connection.close", "path=remote", REMOTE_ROUND_TRIP),
    row("file", "file cache, limit 32 MiB", "file.cache_size", "memory_limit=32MiB"),
    row("file", "file read, sequential", "file.read.uncached", "access=sequential file_size=16MiB"),
    row("file", "file read, random", "file.read.uncached", "access=random file_size=64MiB"),
    row(
        "file",
        "remote file, sequential",
        "file.remote.read.uncached",
        "access=sequential file_size=16MiB server_cache=warm",
    ),
    row(
        "file",
        "remote file, random",
        "file.remote.read.uncached",
        "access=random file_size=16MiB server_cache=warm",
    ),
    row("file", "file read, 4 processes", "file.contention", "access=random others=same competitors=3"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_unique_and_in_the_order_of_the_areas() {
        let areas = ["cpu", "os", "memory", "network", "file"];
        let places = SUMMARY_ROWS.map(|row| areas.iter().position(|area| *area == row.area));
        assert!(places.iter().all(Option::is_some) && places.is_sorted());
        for (index, row) in SUMMARY_ROWS.iter().enumerate() {
            let others = SUMMARY_ROWS.iter().skip(index + 1);
            let is_same = |other: &SummaryRow| {
                other.label == row.label || (other.operation, other.point) == (row.operation, row.point)
            };
            assert!(!others.clone().any(is_same), "{row:?}");
        }
    }
}
