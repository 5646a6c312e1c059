//! Which published figures stand beside which operation.

mod file;
mod network;

use crate::{Figure, ReferenceError, figures};

/// Published operations that measured the same thing as one of the program's, in the same or a kindred way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The operation as the data names it.
    pub published: &'static str,
    /// Parameters that the row must have, with spaces between; empty for any.
    pub with: &'static str,
    /// The operation of the program.
    pub operation: &'static str,
    /// The only point that compares; empty where the whole operation does.
    pub point: &'static str,
}

const fn place(published: &'static str, with: &'static str, operation: &'static str) -> Place {
    at(published, with, operation, "")
}

/// One point of an operation. A figure that compares with several has several places.
const fn at(
    published: &'static str,
    with: &'static str,
    operation: &'static str,
    point: &'static str,
) -> Place {
    Place {
        published,
        with,
        operation,
        point,
    }
}

/// Places of what the machine and its kernel do alone.
const MACHINE: &[Place] = &[
    place("clock.read.rdtsc_cpuid", "", "clock.read.rdtsc_cpuid"),
    place("clock.read.rdtsc", "", "clock.read.rdtsc"),
    place("clock.read.mach_absolute_time", "", "clock.read.monotonic"),
    place("clock.frequency", "", "clock.frequency"),
    place("loop.iteration", "", "loop.iteration.unoptimised"),
    place("call.procedure", "", "call.procedure"),
    at("syscall.getpid.libc", "", "syscall.getpid", "method=libc"),
    at("syscall.getpid.raw", "", "syscall.getpid", "method=raw"),
    at("syscall.getpid.int80", "", "syscall.getppid", "method=int80"),
    at("syscall.getppid.libc", "", "syscall.getppid", "method=libc"),
    at("syscall.getcwd.libc", "", "syscall.getcwd", "method=libc"),
    at("syscall.getcwd.raw", "", "syscall.getcwd", "method=raw"),
    place("syscall.getcwd.int80", "", "syscall.getcwd.int80"),
    place("syscall.write", "", "syscall.write.dev_null"),
    place("syscall.kill", "", "syscall.kill.probe"),
    place("syscall.nanosleep", "", "syscall.nanosleep.zero"),
    place("syscall.open.read", "", "syscall.open_close.read"),
    place("syscall.open.write", "", "syscall.open_close.write"),
    place("process.create.fork.parent", "", "process.create.fork.parent"),
    place("process.create.fork.first", "", "process.create.fork.either"),
    place("process.create.fork.run", "", "process.create.fork.run"),
    place("process.create.fork.wait", "", "process.create.fork_wait"),
    place("thread.create.pthread.parent", "", "thread.create.pthread.parent"),
    place("thread.create.pthread.first", "", "thread.create.pthread.either"),
    place("thread.create.pthread.run", "", "thread.create.pthread.run"),
    place("thread.create.pthread.join", "", "thread.create.join"),
    place("switch.process.pipe", "", "switch.process.pipe"),
    place("switch.process.pipe_oneway", "", "switch.process.one_way"),
    place("switch.process.wait", "", "switch.process.fork_wait_timestamp"),
    place(
        "switch.process.pipe_wait",
        "",
        "switch.process.fork_wait_timestamp",
    ),
    place("switch.thread.pipe", "", "switch.thread.pipe"),
    place("switch.thread.mutex", "", "switch.thread.mutex"),
    place("switch.thread.condvar", "", "switch.thread.condition"),
    place("switch.thread.semaphore", "", "switch.thread.failed_semaphore"),
    place("memory.latency.chunk", "", "memory.latency.short_cycle"),
    place("memory.latency.list", "", "memory.latency"),
    place("memory.latency.array", "", "memory.latency.stride"),
    place("memory.latency.stride", "", "memory.latency.stride"),
    place("memory.levels.line", "", "memory.line_size"),
    place("memory.levels.size", "", "memory.levels"),
    place("memory.bandwidth.read.loop", "", "memory.bandwidth.read"),
    place("memory.bandwidth.read.unrolled", "", "memory.bandwidth.read"),
    place("memory.bandwidth.read.stride", "", "memory.bandwidth.read"),
    place("memory.bandwidth.write", "", "memory.bandwidth.write"),
    place("memory.bandwidth.write.loop", "", "memory.bandwidth.write"),
    place("memory.bandwidth.write.unrolled", "", "memory.bandwidth.write"),
    place("memory.bandwidth.write.stride", "", "memory.bandwidth.write"),
    place("memory.bandwidth.write.memset", "", "memory.bandwidth.fill"),
    place("memory.bandwidth.write.rep_stos", "", "memory.bandwidth.fill"),
    place("memory.bandwidth.copy.bcopy", "", "memory.bandwidth.copy"),
    place("fault.file.major", "", "fault.file.major"),
    place("fault.file.dontneed", "", "fault.dontneed"),
    place("fault.file.mmap", "", "fault.file.major"),
];

/// Every place.
pub fn places() -> impl Iterator<Item = &'static Place> + Clone {
    [MACHINE, network::NETWORK, file::FILE].into_iter().flatten()
}

impl Place {
    /// Whether a figure stands here.
    pub fn holds(&self, figure: &Figure) -> bool {
        let has = |wanted: &str| figure.parameter.split(' ').any(|pair| pair == wanted);
        self.published == figure.operation && self.with.split_whitespace().all(has)
    }

    /// Whether it compares with a point of its operation.
    pub fn is_of(&self, point: &str) -> bool {
        self.point.is_empty() || self.point == point
    }
}

/// What the reports say of an operation: their results without the single trials, sorted from small to large; rows
/// that only derive something (slopes, ratios, bounds) are left out, and so is what is told once more.
pub fn beside<'f>(all: &'f [Figure], operation: &str) -> Vec<&'f Figure> {
    let places = places().filter(|place| place.operation == operation);
    let stands = |figure: &Figure| places.clone().any(|place| place.holds(figure));
    let tells = |figure: &Figure| !figure.is_trial() && is_plain(figure) && figure.result().is_some();
    let mut found: Vec<&Figure> = all
        .iter()
        .filter(|figure| stands(figure) && tells(figure))
        .collect();
    let value = |figure: &Figure| figure.result().map_or(0.0, |shown| shown.value);
    found.sort_by(|a, b| value(a).total_cmp(&value(b)));
    found.dedup_by(|a, b| {
        a.report == b.report && alike(a, b) && (value(a) / value(b) - 1.0).abs() < TOLD_AGAIN
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
const TOLD_AGAIN: f64 = 0.01;

fn alike(a: &Figure, b: &Figure) -> bool {
    let centre = |figure: &Figure| figure.parameter.is_empty() || figure.parameter.contains("statistic=mean");
    a.operation == b.operation && (a.parameter == b.parameter || centre(a) || centre(b))
}

/// Not derived from other rows.
fn is_plain(figure: &Figure) -> bool {
    let derived = [
        "fit=",
        "ratio=",
        "difference=",
        "per=",
        "part=",
        "statistic=bound",
        "statistic=filter",
        "net=",
    ];
    !derived.iter().any(|word| figure.parameter.contains(word))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_place_is_of_figures_that_exist() {
        let all = figures().unwrap();
        for place in places() {
            assert!(all.iter().any(|figure| place.holds(figure)), "{place:?}");
        }
    }

    #[test]
    fn a_figure_stands_where_all_its_parameters_are() {
        let all = figures().unwrap();
        let remote = places()
            .find(|place| place.with == "bytes=64 peer=remote")
            .unwrap();
        let held: Vec<&Figure> = all.iter().filter(|figure| remote.holds(figure)).collect();
        assert!(!held.is_empty());
        assert!(
            held.iter()
                .all(|figure| figure.operation == "round_trip.tcp" && figure.parameter.contains("remote"))
        );
        assert!(remote.is_of("path=remote bytes=64B") && !remote.is_of("path=loopback cpu=same bytes=64B"));
    }

    #[test]
    fn what_the_reports_say_comes_sorted_and_once() {
        let said = of_operation("switch.process.pipe").unwrap();
        let texts: Vec<String> = said
            .iter()
            .map(|figure| format!("{} {}", figure.report, figure.result().unwrap().text()))
            .collect();
        assert_eq!(texts, ["R2 1.39 µs", "R1 6.62 µs"]);
        assert!(of_operation("noise.gaps").unwrap().is_empty());
    }
}
