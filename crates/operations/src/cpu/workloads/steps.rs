//! Clocks, and the steps by which they go on.

use super::frequency::after;
use measure::{Bench, Failure};
use stats::lattice;
use sys::clock::Clock;
use sys::kernel_time::{self, KernelClock};

/// A way to read a clock; `None` when it cannot be read.
pub type Read = fn() -> Option<i64>;

/// The clocks, by the names of their points.
pub const CLOCKS: [(&str, Read); 7] = [
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

/// The step of the clock that the point names.
pub fn steps(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let name = bench.point().get("clock").unwrap_or_default();
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
