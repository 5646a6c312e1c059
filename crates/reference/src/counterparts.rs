//! Which published figures are compared with which operation.

mod counterpart;
mod file;
mod network;

pub use counterpart::Counterpart;
use counterpart::{at, counterpart};

use crate::{Figure, ReferenceError, figures};

/// Counterparts of what the machine and its kernel do without a network or files.
const MACHINE: &[Counterpart] = &[
    counterpart("clock.read.rdtsc_cpuid", "", "clock.read.rdtsc_cpuid"),
    counterpart("clock.read.rdtsc", "", "clock.read.rdtsc"),
    counterpart("clock.read.mach_absolute_time", "", "clock.read.monotonic"),
    counterpart("clock.frequency", "", "clock.frequency"),
    counterpart("loop.iteration", "", "loop.iteration.unoptimised"),
    counterpart("call.procedure", "", "call.procedure"),
    at("syscall.getpid.libc", "", "syscall.getpid", "method=libc"),
    at("syscall.getpid.raw", "", "syscall.getpid", "method=raw"),
    at("syscall.getpid.int80", "", "syscall.getppid", "method=int80"),
    at("syscall.getppid.libc", "", "syscall.getppid", "method=libc"),
    at("syscall.getcwd.libc", "", "syscall.getcwd", "method=libc"),
    at("syscall.getcwd.raw", "", "syscall.getcwd", "method=raw"),
    counterpart("syscall.getcwd.int80", "", "syscall.getcwd.int80"),
    counterpart("syscall.write", "", "syscall.write.dev_null"),
    counterpart("syscall.kill", "", "syscall.kill.probe"),
    counterpart("syscall.nanosleep", "", "syscall.nanosleep.zero"),
    counterpart("syscall.open.read", "", "syscall.open_close.read"),
    at("syscall.open.read", "", "syscall.open", "access=read"),
    at("syscall.open.write", "", "syscall.open", "access=write"),
    counterpart("syscall.close", "", "syscall.close"),
    counterpart("syscall.open.write", "", "syscall.open_close.write"),
    counterpart("process.create.fork.parent", "", "process.create.fork.parent"),
    counterpart("process.create.fork.first", "", "process.create.fork.either"),
    counterpart("process.create.fork.run", "", "process.create.fork.run"),
    counterpart("process.create.fork.wait", "", "process.create.fork_wait"),
    counterpart("thread.create.pthread.parent", "", "thread.create.pthread.parent"),
    counterpart("thread.create.pthread.first", "", "thread.create.pthread.either"),
    counterpart("thread.create.pthread.run", "", "thread.create.pthread.run"),
    counterpart("thread.create.pthread.join", "", "thread.create.join"),
    counterpart("switch.process.pipe", "", "switch.process.pipe"),
    counterpart("switch.process.pipe_oneway", "", "switch.process.one_way"),
    counterpart("switch.process.wait", "", "switch.process.fork_wait_timestamp"),
    counterpart("switch.process.pipe_wait", "", "switch.process.fork_wait_timestamp"),
    counterpart("switch.thread.pipe", "", "switch.thread.pipe"),
    counterpart("switch.thread.mutex", "", "switch.thread.mutex"),
    counterpart("switch.thread.condvar", "", "switch.thread.condition"),
    counterpart("switch.thread.semaphore", "", "switch.thread.failed_semaphore"),
    counterpart("memory.latency.chunk", "", "memory.latency.short_cycle"),
    counterpart("memory.latency.list", "", "memory.latency"),
    counterpart("memory.latency.list", "", "memory.latency.timed"),
    counterpart("memory.latency.array", "", "memory.latency.stride"),
    counterpart("memory.latency.stride", "", "memory.latency.stride"),
    counterpart("memory.levels.line", "", "memory.line_size"),
    counterpart("memory.levels.size", "", "memory.levels"),
    counterpart("memory.bandwidth.read.loop", "", "memory.bandwidth.read"),
    counterpart("memory.bandwidth.read.unrolled", "", "memory.bandwidth.read"),
    counterpart("memory.bandwidth.read.stride", "", "memory.bandwidth.read"),
    counterpart("memory.bandwidth.write", "", "memory.bandwidth.write"),
    counterpart("memory.bandwidth.write.loop", "", "memory.bandwidth.write"),
    counterpart("memory.bandwidth.write.unrolled", "", "memory.bandwidth.write"),
    counterpart("memory.bandwidth.write.stride", "", "memory.bandwidth.write"),
    counterpart("memory.bandwidth.write.memset", "", "memory.bandwidth.fill"),
    counterpart("memory.bandwidth.write.rep_stos", "", "memory.bandwidth.fill"),
    counterpart("memory.bandwidth.copy.bcopy", "", "memory.bandwidth.copy"),
    counterpart("fault.file.major", "", "fault.file.major"),
    counterpart("fault.file.dontneed", "", "fault.dontneed"),
    counterpart("fault.file.dontneed", "", "fault.file.dontneed"),
    counterpart("fault.file.mmap", "", "fault.file.major"),
];

/// Every counterpart.
pub fn counterparts() -> impl Iterator<Item = &'static Counterpart> + Clone {
    [MACHINE, network::NETWORK, file::FILE].into_iter().flatten()
}

impl Counterpart {
    /// Whether it is the counterpart of a figure.
    pub fn matches(&self, figure: &Figure) -> bool {
        let has = |wanted: &str| figure.parameter.split(' ').any(|pair| pair == wanted);
        self.published == figure.operation && self.with.split_whitespace().all(has)
    }

    /// Whether it compares with a point of its operation.
    pub fn is_of(&self, point: &str) -> bool {
        self.point.is_empty() || self.point == point
    }
}

/// What the reports say of an operation: their results without the single trials, sorted from small to large; rows
/// that only derive something (slopes, ratios, bounds) are left out, and so are repeated figures.
pub fn beside<'f>(all: &'f [Figure], operation: &str) -> Vec<&'f Figure> {
    let counterparts = counterparts().filter(|counterpart| counterpart.operation == operation);
    let stands = |figure: &Figure| counterparts.clone().any(|counterpart| counterpart.matches(figure));
    let tells = |figure: &Figure| !figure.is_trial() && is_plain(figure) && figure.result().is_some();
    let mut found: Vec<&Figure> = all.iter().filter(|figure| stands(figure) && tells(figure)).collect();
    let value = |figure: &Figure| figure.result().map_or(0.0, |shown| shown.value);
    found.sort_by(|a, b| value(a).total_cmp(&value(b)));
    found.dedup_by(|a, b| {
        a.report == b.report && alike(a, b) && (value(a) / value(b) - 1.0).abs() < SAME_FIGURE
    });
    found
}

/// The same of all figures that the program carries.
///
/// # Errors
/// When the data that the program carries cannot be read.
pub fn of_operation(operation: &str) -> Result<Vec<Figure>, ReferenceError> {
    let all = figures()?;
    Ok(beside(&all, operation).into_iter().cloned().collect())
}

/// A summary repeats a figure with fewer digits.
const SAME_FIGURE: f64 = 0.01;

fn alike(a: &Figure, b: &Figure) -> bool {
    let centre = |figure: &Figure| figure.parameter.is_empty() || figure.parameter.contains("statistic=mean");
    a.operation == b.operation && (a.parameter == b.parameter || centre(a) || centre(b))
}

/// Not derived from other rows.
fn is_plain(figure: &Figure) -> bool {
    let derived =
        ["fit=", "ratio=", "difference=", "per=", "part=", "statistic=bound", "statistic=filter", "net="];
    !derived.iter().any(|word| figure.parameter.contains(word))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_counterpart_has_figures() {
        let all = figures().unwrap();
        for counterpart in counterparts() {
            assert!(all.iter().any(|figure| counterpart.matches(figure)), "{counterpart:?}");
        }
    }

    #[test]
    fn a_figure_matches_by_all_its_parameters() {
        let all = figures().unwrap();
        let remote = counterparts().find(|counterpart| counterpart.with == "bytes=64 peer=remote").unwrap();
        let held: Vec<&Figure> = all.iter().filter(|figure| remote.matches(figure)).collect();
        assert!(!held.is_empty());
        assert!(
            held.iter()
                .all(|figure| figure.operation == "round_trip.tcp" && figure.parameter.contains("remote"))
        );
        assert!(remote.is_of("path=remote bytes=64B") && !remote.is_of("path=loopback cpu=same bytes=64B"));
    }

    #[test]
    fn figures_of_an_operation_are_sorted_and_unique() {
        let said = of_operation("switch.process.pipe").unwrap();
        let texts: Vec<String> = said
            .iter()
            .map(|figure| format!("{} {}", figure.report, figure.result().unwrap().text()))
            .collect();
        assert_eq!(texts, ["R2 1.39 µs", "R1 6.62 µs"]);
        assert!(of_operation("noise.gaps").unwrap().is_empty());
    }
}
