//! Frequency of the counter by the kernel's clock, and of the core by chains of operations.

use measure::{Bench, Failure, Parameters, Point, Result, choice, parameters};
use std::time::Duration;
use sys::arch;
use sys::clock::{Clock, Moment};

/// Samples of one trial; of long intervals ten, which make a second.
const SAMPLES: usize = 6;
const LONG_SAMPLES: usize = 10;

/// Interval of a sample of the counter.
const INTERVAL_NS: i64 = 2_000_000;
const LONG_INTERVAL_NS: i64 = 100_000_000;

/// One sample in a trial, as long as in R4, 3.1.
const LONGEST_INTERVAL_NS: i64 = 10_000_000_000;

choice! {
    /// What ticks.
    pub enum Ticking {
        /// The counter of the processor.
        Counter = "counter",
        /// The clock of the core.
        Core = "core",
    }
}

choice! {
    /// The interval of a sample, if not the common one.
    pub enum LongInterval {
        /// A tenth of a second.
        Tenth = "100ms",
        /// Ten seconds.
        Ten = "10s",
    }
}

choice! {
    /// The class of a core, where cores are unequal.
    pub enum CoreClass {
        /// The most capable.
        Performance = "performance",
        /// The least capable.
        Efficiency = "efficiency",
    }
}

parameters! {
    /// Rates of clocks.
    pub struct Rates {
        /// What ticks.
        clock: Ticking,
        /// Of a sample of the counter.
        interval: Option<LongInterval> = None,
        /// Of the core; the CPU of the trial without.
        core_class: Option<CoreClass> = None,
    }
}

/// Time of a trial, from which its timeout follows.
pub fn spend_ns(point: &Point) -> u64 {
    match Rates::read(point) {
        Ok(Rates { interval: Some(LongInterval::Ten), .. }) => LONGEST_INTERVAL_NS.unsigned_abs(),
        _ => 12_000_000,
    }
}

/// Rates of the counter or of the core, as the point says.
pub fn rates(bench: &mut Bench<'_>) -> Result<()> {
    let clock = Clock::select();
    match bench.parameters()? {
        Rates { clock: Ticking::Core, core_class, .. } => {
            core_class.map_or(Ok(()), move_to_class)?;
            core(bench, clock)
        }
        Rates { interval: None, .. } => counter(bench, clock, SAMPLES, INTERVAL_NS),
        Rates { interval: Some(LongInterval::Tenth), .. } => {
            counter(bench, clock, LONG_SAMPLES, LONG_INTERVAL_NS)
        }
        Rates { interval: Some(LongInterval::Ten), .. } => counter(bench, clock, 1, LONGEST_INTERVAL_NS),
    }
}

/// Moves the trial to a core of this class.
fn move_to_class(class: CoreClass) -> Result<()> {
    let classes = machine::cpu_classes(&machine::Live::machine());
    let [most, .., least] = classes.as_slice() else {
        return Err(Failure::skipped(
            "the kernel reports one class of cores only",
            "expected; no action needed",
        ));
    };
    let cpus = if class == CoreClass::Performance { most } else { least };
    let cpus: Vec<u32> = cpus.iter().filter_map(|cpu| u32::try_from(*cpu).ok()).collect();
    Ok(sys::cpu::pin_to(&cpus)?)
}

fn counter(bench: &mut Bench<'_>, clock: Clock, samples: usize, nanos: i64) -> Result<()> {
    let mut rates = Vec::with_capacity(samples);
    let mut forward = 0.0;
    for _ in 0..samples {
        let from = clock.moment();
        // A long interval is slept through, but for its end.
        let slept = u64::try_from(nanos - LONG_INTERVAL_NS).unwrap_or(0);
        std::thread::sleep(Duration::from_nanos(slept));
        let to = after(clock, from, nanos);
        forward += f64::from(u8::from(to.ticks_since(from) > 0));
        rates.push(1e9 / clock.nanos_per_tick(from, to));
    }
    bench.count("answers", forward, samples as f64);
    if let (Some(first), Some(last)) = (rates.first(), rates.last()) {
        bench.count("counter.drift", (last / first - 1.0) * 1e6, 1.0);
    }
    bench.values(rates);
    Ok(())
}

/// The first moment at least `nanos` after another.
pub fn after(clock: Clock, from: Moment, nanos: i64) -> Moment {
    let mut now = clock.moment();
    for _ in 0..10_000_000 {
        if now.nanos_since(from) >= nanos {
            break;
        }
        now = clock.moment();
    }
    now
}

/// Turns of the short chain: 10 000 cycles, some 3 µs.
const TURNS: u64 = 200;

/// Attempts, of which the lower quartile counts.
const ATTEMPTS: usize = 15;

fn core(bench: &mut Bench<'_>, clock: Clock) -> Result<()> {
    let from = clock.moment();
    let mut samples = Vec::with_capacity(SAMPLES);
    let (mut linear, mut ratio) = (Vec::new(), Vec::new());
    let mut rates = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        let [one, two, four] =
            [TURNS, 2 * TURNS, 4 * TURNS].map(|turns| quick_ticks(clock, || arch::dependent_adds(turns)));
        let [twice, once] =
            [2 * TURNS, TURNS].map(|turns| quick_ticks(clock, || arch::dependent_multiplies(turns)));
        let multiply = twice - once;
        linear.push((four - two) / 2.0 / (two - one));
        ratio.push(multiply / (two - one));
        rates.push((two - one) / (TURNS * arch::CHAIN) as f64);
    }
    let nanos_per_tick = clock.nanos_per_tick(from, after(clock, from, 500_000));
    samples.extend(rates.iter().map(|ticks_per_cycle| 1e9 / (ticks_per_cycle * nanos_per_tick)));
    let ratio = middle(&mut ratio);
    bench.count("chain.linearity", middle(&mut linear), 1.0);
    bench.count("multiply.cycles", ratio, 1.0);
    bench.count("multiply.off_whole_cycles", (ratio - ratio.round()).abs(), 1.0);
    bench.values(samples);
    Ok(())
}

/// The lower quartile of several attempts: interrupts and neighbours lengthen a chain, and the shortest may be a
/// misread.
fn quick_ticks(clock: Clock, work: impl Fn() -> u64) -> f64 {
    let mut ticks = Vec::with_capacity(ATTEMPTS);
    for _ in 0..ATTEMPTS {
        let start = clock.start();
        std::hint::black_box(work());
        ticks.push((clock.stop() - start) as f64);
    }
    ticks.sort_by(f64::total_cmp);
    ticks.get(ticks.len() / 4).copied().unwrap_or(f64::NAN)
}

fn middle(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
