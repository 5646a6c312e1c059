//! The quantum of each clock: the smallest step by which it goes on.

use super::clock_frequency::after;
use measure::{Area, Bench, Failure, How, Operation, Point, Rehearse};
use stats::lattice;
use sys::clock::Clock;
use sys::kernel_time::{self, KernelClock};

/// The smallest step of a clock.
pub static OPERATION: Operation = Operation {
    id: "clock.quantum",
    area: Area::Cpu,
    title: "the smallest step of a clock",
    one_iteration: "the step of the lattice on which the differences of 200 readings lie",
    method: "The clock is read until it changes, with chains of additions of several lengths in between, 200 times \
             or for 240 ms. The differences of a clock that advances in steps lie on a lattice, whose step is looked \
             for; so a clock that adds one to stay ahead of itself is not taken for a fine one. Where there is no \
             lattice of four units or more, the unit of the clock (a tick, or a nanosecond) is shown.",
    confounds: "Steps of less than four units cannot be told from jitter. A processor whose counter is scaled to \
                another rate shows the step of what lies behind it. The coarse clock needs ten ticks of the kernel, \
                so its trial takes up to 240 ms.",
    sources: &[
        ("R1", "500 ns, not noticed (E08)"),
        ("R2", "41.67 ns, not noticed (E08)"),
        (
            "clock_getres",
            "what the kernel says: 1 ns for clocks that step in hundreds",
        ),
    ],
    how: How::Values,
    rehearse: Rehearse::Nothing,
    points: |_| CLOCKS.map(|(name, _)| Point::only().with("of", name)).to_vec(),
    predict: &[
        "of=counter: hardware t0 as it is documented = 1 cycle × 1e9 ns/s / processor.frequency",
        "of=monotonic_coarse: hardware t0 as it is documented = kernel.tick_ns",
        "of=gettimeofday: hardware t0 as it is documented = 1000 ns (×1: gettimeofday(2): microseconds)",
        "of=monotonic|monotonic_raw|process_cpu|thread_cpu: hardware t0 as it is documented = \
         1 ns (×1: clock_getres(2) of high-resolution clocks)",
    ],
    evidence: &[
        "answers = 1: the clock went forward by more than nothing every time",
        // A lattice needs ten.
        "differences 10..200: the clock advanced by many different amounts, or by whole steps",
    ],
    run,
    ..Operation::NEW
};

/// A way to read a clock; `None` when it cannot be read.
type Read = fn() -> Option<i64>;

/// The clocks, by the names of their points.
const CLOCKS: [(&str, Read); 7] = [
    ("counter", || Some(Clock::select().stop())),
    ("monotonic", || kernel_time::read(KernelClock::Monotonic)),
    ("monotonic_raw", || kernel_time::read(KernelClock::MonotonicRaw)),
    ("monotonic_coarse", || {
        kernel_time::read(KernelClock::MonotonicCoarse)
    }),
    ("gettimeofday", kernel_time::time_of_day),
    ("process_cpu", || kernel_time::read(KernelClock::ProcessCpu)),
    ("thread_cpu", || kernel_time::read(KernelClock::ThreadCpu)),
];

/// Differences of one trial at most.
const MOST_DIFFERENCES: usize = 200;

/// Time for them in nanoseconds: ten ticks of a kernel that ticks 100 times a second, and skips every second one.
const LONGEST_NS: i64 = 240_000_000;

/// Readings of a clock that does not move before it is given up: a hundred million take seconds.
const MOST_READINGS: u32 = 20_000_000;

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let name = bench.point().get("of").unwrap_or_default();
    let known = CLOCKS.into_iter().find(|(clock, _)| *clock == name);
    let (name, read) = known.ok_or_else(|| Failure::Failed(format!("no clock is called {name:?}")))?;
    let clock = Clock::select();
    let from = clock.moment();
    let differences = differences(clock, read)?;
    let unit = if name == "counter" {
        clock.nanos_per_tick(from, after(clock, from, 2_000_000))
    } else {
        1.0
    };
    let forward = differences.iter().filter(|&&difference| difference > 0).count();
    bench.count("answers", forward as f64, differences.len() as f64);
    bench.count("differences", differences.len() as f64, 1.0);
    let step = lattice::quantum(&differences).or_else(|| lattice::common_step(&differences));
    bench.values(vec![step.unwrap_or(1.0) * unit]);
    Ok(())
}

/// By how much the clock goes on when it does.
fn differences(clock: Clock, read: Read) -> Result<Vec<i64>, Failure> {
    let unreadable = || {
        Failure::skipped(
            "the clock cannot be read",
            "run it where clock_gettime is allowed",
        )
    };
    let began = clock.moment();
    let mut differences = Vec::with_capacity(MOST_DIFFERENCES);
    let mut last = read().ok_or_else(unreadable)?;
    let mut readings = 0_u32;
    while differences.len() < MOST_DIFFERENCES && readings < MOST_READINGS {
        // Work of changing length, so that the readings do not keep step with the clock.
        let turns = 1 + (differences.len() as u64 * 7) % 13;
        std::hint::black_box(sys::arch::dependent_adds(turns));
        let now = read().ok_or_else(unreadable)?;
        readings += 1;
        if now != last {
            differences.push(now - last);
            last = now;
        }
        if readings.is_multiple_of(256) && clock.moment().nanos_since(began) > LONGEST_NS {
            break;
        }
    }
    Ok(differences)
}
