//! Gaps in a tight loop of clock reads, and the kernel's counts of their causes.

use measure::{Bench, Result, parameters};
use std::time::Duration;
use sys::clock::Clock;

/// Lower bounds of the histogram's bins in nanoseconds, by name.
const BINS: [(&str, f64); 10] = [
    ("1us", 1_000.0),
    ("2us", 2_000.0),
    ("5us", 5_000.0),
    ("10us", 10_000.0),
    ("20us", 20_000.0),
    ("50us", 50_000.0),
    ("100us", 100_000.0),
    ("1ms", 1_000_000.0),
    ("10ms", 10_000_000.0),
    ("100ms", 100_000_000.0),
];

/// Duration of a trial in nanoseconds, for common gaps and for rare ones.
const TRIAL_NS: i64 = 20_000_000;
const LONG_TRIAL_NS: i64 = 50_000_000;

/// Most reads of a trial: ten times what the fastest clock allows.
const MAX_READS: u64 = 50_000_000;

/// Most gaps that are stored.
const MAX_GAPS: usize = 100_000;

parameters! {
    /// Gaps from this length on.
    pub struct Gaps {
        /// The least.
        gap: Duration,
    }
}

/// Records gaps; the value is the share of time in those above the point's threshold.
pub fn measure(bench: &mut Bench<'_>) -> Result<()> {
    if bench.is_rehearsal() {
        return Ok(());
    }
    let threshold = bench.parameters::<Gaps>()?.gap.as_nanos() as f64;
    let length = if threshold >= 100_000.0 { LONG_TRIAL_NS } else { TRIAL_NS };
    let before = causes(bench.cpu());
    let trace = bench.watched(|| read_clock(length))?;
    let after = causes(bench.cpu());
    let lost: f64 = trace.gaps.iter().filter(|&&gap| gap >= threshold).sum();
    bench.values(vec![lost / trace.total]);
    bench.count("clock.reads", trace.reads as f64, 1.0);
    bench.count("time.accounted", (trace.quiet + trace.gaps.iter().sum::<f64>()) / trace.total, 1.0);
    bench.count("gap.longest_ns", trace.gaps.iter().copied().fold(0.0, f64::max), 1.0);
    for (at, (name, least)) in BINS.iter().enumerate() {
        let most = BINS.get(at + 1).map_or(f64::INFINITY, |(_, most)| *most);
        let count = trace.gaps.iter().filter(|&gap| gap >= least && *gap < most).count();
        bench.count(&format!("gaps.from_{name}"), count as f64, 1.0);
    }
    for ((name, before), (_, after)) in before.into_iter().zip(after) {
        let count = before.zip(after).map(|(before, after)| after - before);
        bench.try_count(name, count.ok_or("the kernel does not count it here"), 1.0);
    }
    Ok(())
}

/// The gaps of a trial, in nanoseconds.
struct Trace {
    total: f64,
    quiet: f64,
    gaps: Vec<f64>,
    reads: u64,
}

fn read_clock(length_ns: i64) -> Result<Trace> {
    let clock = Clock::select();
    let from = clock.moment();
    let mut gaps = Vec::with_capacity(MAX_GAPS);
    // An estimate of the tick within 1 % is enough to detect gaps.
    while clock.moment().nanos_since(from) < 200_000 {}
    let rough = clock.nanos_per_tick(from, clock.moment());
    let least = (1_000.0 / rough) as i64;
    let (begin, first) = (clock.moment(), clock.start());
    let length = (length_ns as f64 / rough) as i64;
    let (mut last, mut quiet, mut reads) = (first, 0, 0);
    while last - first < length && reads < MAX_READS {
        let now = clock.start();
        let step = now - last;
        if step >= least && gaps.len() < MAX_GAPS {
            gaps.push(step);
        } else {
            quiet += step;
        }
        last = now;
        reads += 1;
    }
    let nanos = clock.nanos_per_tick(begin, clock.moment());
    let gaps = gaps.into_iter().map(|gap| gap as f64 * nanos).collect();
    Ok(Trace { total: (last - first) as f64 * nanos, quiet: quiet as f64 * nanos, gaps, reads })
}

/// Length of a tick of /proc/stat in nanoseconds: USER_HZ is 100 on every architecture of Linux in use.
const STAT_TICK_NS: f64 = 1e7;

/// The kernel's counts so far, by cause: of this CPU, interrupts and softirqs of all CPUs.
fn causes(cpu: Option<u32>) -> [(&'static str, Option<f64>); 5] {
    let steal = cpu.and_then(|cpu| field("/proc/stat", &format!("cpu{cpu} "), 7));
    [
        ("interrupts.timer", cpu.and_then(timer_interrupts)),
        ("interrupts", field("/proc/stat", "intr", 0)),
        ("softirqs", field("/proc/stat", "softirq", 0)),
        ("lost.to_programs_ns", field("/proc/self/schedstat", "", 1)),
        ("lost.to_hypervisor_ns", steal.map(|ticks| ticks * STAT_TICK_NS)),
    ]
}

/// A number in the line of a file that begins with a name.
fn field(path: &str, name: &str, at: usize) -> Option<f64> {
    line_of(path, name)?.split_whitespace().nth(at)?.parse().ok()
}

/// Timer interrupts of one CPU; the columns of /proc/interrupts are the CPUs that are online.
fn timer_interrupts(cpu: u32) -> Option<f64> {
    let path = "/proc/interrupts";
    let heads = line_of(path, "CPU")?;
    let name = cpu.to_string();
    // The "CPU" of the first word was stripped with the line's name.
    let column =
        heads.split_whitespace().position(|head| head.strip_prefix("CPU").unwrap_or(head) == name)?;
    line_of(path, "LOC:")?.split_whitespace().nth(column)?.parse().ok()
}

fn line_of(path: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| line.trim_start().strip_prefix(name)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_monotonic() {
        let cpu = sys::cpu::current();
        let (before, after) = (causes(cpu), causes(cpu));
        for ((name, before), (_, after)) in before.into_iter().zip(after) {
            assert!(before.is_none() || after >= before, "{name}: {before:?} {after:?}");
        }
    }

    #[test]
    fn bins_are_sorted_and_contain_every_threshold() {
        assert!(BINS.is_sorted_by(|a, b| a.1 < b.1));
        assert!(["1us", "10us", "100us"].iter().all(|gap| BINS.iter().any(|(name, _)| name == gap)));
    }
}
