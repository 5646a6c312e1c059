//! Clocks, and the lattice of their steps.

use super::frequency::after;
use measure::{Bench, Failure, Result, Value, parameters};
use stats::lattice;
use sys::clock::Clock;
use sys::kernel_time::{self, KernelClock};

/// A function that reads a clock; `None` when it cannot be read.
pub type Read = fn() -> Option<i64>;

/// The clocks, by the names of their points.
pub const CLOCKS: [(&str, Read); 7] = [
    ("counter", || Some(Clock::select().stop())),
    ("monotonic", || kernel_time::read(KernelClock::Monotonic)),
    ("monotonic_raw", || kernel_time::read(KernelClock::MonotonicRaw)),
    ("monotonic_coarse", || kernel_time::read(KernelClock::MonotonicCoarse)),
    ("gettimeofday", kernel_time::time_of_day),
    ("process_cpu", || kernel_time::read(KernelClock::ProcessCpu)),
    ("thread_cpu", || kernel_time::read(KernelClock::ThreadCpu)),
];

/// Most differences of one trial.
const MAX_DIFFERENCES: usize = 200;

/// Time for them in nanoseconds: ten ticks at 100 Hz, of which every second one is skipped.
const LONGEST_NS: i64 = 240_000_000;

/// Most reads of a clock that does not advance: a hundred million take seconds.
const MAX_READS: u32 = 20_000_000;

/// One of the clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SteppedClock(&'static str);

impl Value for SteppedClock {
    fn parse(text: &str) -> Option<Self> {
        CLOCKS.iter().find(|(name, _)| *name == text).map(|(name, _)| Self(name))
    }

    fn expected() -> String {
        CLOCKS.map(|(name, _)| name).join("|")
    }
}

parameters! {
    /// Steps of a clock.
    pub struct Steps {
        /// The clock.
        clock: SteppedClock,
    }
}

/// The step of the clock that the point names.
pub fn steps(bench: &mut Bench<'_>) -> Result<()> {
    let SteppedClock(name) = bench.parameters::<Steps>()?.clock;
    let clock = CLOCKS.into_iter().find(|(clock, _)| *clock == name);
    let (_, read) = clock.ok_or_else(|| Failure::failed("the clock is not listed"))?;
    let clock = Clock::select();
    let from = clock.moment();
    let differences = differences(clock, read)?;
    let unit =
        if name == "counter" { clock.nanos_per_tick(from, after(clock, from, 2_000_000)) } else { 1.0 };
    let forward = differences.iter().filter(|&&difference| difference > 0).count();
    bench.count("answers", forward as f64, differences.len() as f64);
    bench.count("differences", differences.len() as f64, 1.0);
    let step = lattice::quantum(&differences).or_else(|| lattice::common_step(&differences));
    bench.values(vec![step.unwrap_or(1.0) * unit]);
    Ok(())
}

fn unreadable() -> Failure {
    Failure::skipped("the clock cannot be read", "run it where clock_gettime is allowed")
}

/// The differences of reads at which the clock advanced.
fn differences(clock: Clock, read: Read) -> Result<Vec<i64>> {
    let began = clock.moment();
    let mut differences = Vec::with_capacity(MAX_DIFFERENCES);
    let mut last = read().ok_or_else(unreadable)?;
    let mut reads = 0_u32;
    while differences.len() < MAX_DIFFERENCES && reads < MAX_READS {
        // Work of varying length, so that the reads do not synchronise with the clock.
        let turns = 1 + (differences.len() as u64 * 7) % 13;
        std::hint::black_box(sys::arch::dependent_adds(turns));
        let now = read().ok_or_else(unreadable)?;
        reads += 1;
        if now != last {
            differences.push(now - last);
            last = now;
        }
        if reads.is_multiple_of(256) && clock.moment().nanos_since(began) > LONGEST_NS {
            break;
        }
    }
    Ok(differences)
}
