//! The rate of the time counter and of the core.
//!
//! The counter is compared with the kernel's clock over intervals of two milliseconds; the core's clock
//! comes from chains of dependent additions, which take one cycle each, and is checked against chains of
//! multiplications, which take a whole number of cycles.

use measure::{Area, Bench, Failure, How, Operation, Point, Rehearse};
use quantity::Quantity;
use record::Profile;
use sys::arch;
use sys::clock::{Clock, Moment};

/// Rate of the counter and of the core.
pub static OPERATION: Operation = Operation {
    id: "clock.frequency",
    area: Area::Cpu,
    title: "rate of the time counter and of the core",
    one_iteration: "one interval on both clocks (counter), or one chain of dependent additions (core)",
    quantity: Quantity::Frequency,
    method: "of=counter: steps of the counter over steps of CLOCK_MONOTONIC_RAW, in intervals of 2 ms whose ends \
             are read tightly on both. of=core: a chain of dependent register additions takes one core cycle each; \
             the time of 20 000 less that of 10 000 gives the clock at which the core runs under this load. The \
             addend is a register because recent cores add small constants without any cycle.",
    confounds: "The core's clock changes with load, temperature and neighbours: this is the rate during the trial. \
                A counter that the kernel does not trust is not used; then of=counter shows 1 GHz, the kernel's \
                nanoseconds. With interval_ms the intervals are long, so that a trial takes a second, and \
                counter.drift tells by how many millionths the last one differs from the first.",
    sources: &[
        ("R3", "frequency from /proc/cpuinfo"),
        ("R4", "RDTSC over sleep(10), 10 samples"),
        ("lmbench", "mhz: loops of dependent operations"),
    ],
    how: How::Values,
    rehearse: Rehearse::Nothing,
    points: |profile| {
        let mut all = vec![
            Point::only().with("of", "counter"),
            Point::only().with("of", "core"),
        ];
        if profile == Profile::Thorough {
            all.push(
                Point::only()
                    .with("of", "counter")
                    .with("interval_ms", LONG_INTERVAL_MS),
            );
        }
        all
    },
    predict: &[
        "of=counter: hardware t0 as the machine tells it = processor.frequency",
        "of=core: hardware t0 as the machine tells it = 1e9 ns/s / clock.cycle_ns",
    ],
    evidence: &[
        "of=counter: answers = 1: the counter went forward in every interval",
        "of=core: chain.linearity 0.9..1.1 (if consistent): twice the additions take twice the time",
        "of=core: multiply.off_whole_cycles 0..0.15 (if consistent): a multiplication takes a whole number of these cycles",
    ],
    bounds: &["of=core: < 7e9 cycles/s (×1: no processor on sale runs above 6.2 GHz): no core runs faster"],
    run,
    ..Operation::NEW
};

/// Length of the intervals in which drift is looked for: ten of them, as R4 had, but a second in all.
const LONG_INTERVAL_MS: u64 = 100;

/// Samples of one trial.
const SAMPLES: usize = 6;

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let clock = Clock::select();
    match bench.point().get("of") {
        Some("core") => core(bench, clock),
        _ => counter(bench, clock),
    }
}

fn counter(bench: &mut Bench<'_>, clock: Clock) -> Result<(), Failure> {
    let long = bench.point().number("interval_ms").ok();
    let (samples, milliseconds) = long.map_or((SAMPLES, 2), |long| (10, long.min(1_000)));
    let nanos = i64::try_from(milliseconds * 1_000_000).unwrap_or(i64::MAX);
    let mut rates = Vec::with_capacity(samples);
    let mut forward = 0.0;
    for _ in 0..samples {
        let from = clock.moment();
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

/// A moment at least so many nanoseconds after another; the kernel's clock does not stand still for long.
pub(super) fn after(clock: Clock, from: Moment, nanos: i64) -> Moment {
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

/// Attempts of which one of the quicker counts.
const ATTEMPTS: usize = 15;

fn core(bench: &mut Bench<'_>, clock: Clock) -> Result<(), Failure> {
    let from = clock.moment();
    let mut samples = Vec::with_capacity(SAMPLES);
    let (mut linear, mut ratio) = (Vec::new(), Vec::new());
    let mut rates = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        let adds = |turns| quick_ticks(clock, || arch::dependent_adds(turns));
        let (one, two, four) = (adds(TURNS), adds(2 * TURNS), adds(4 * TURNS));
        let multiplies = |turns| quick_ticks(clock, || arch::dependent_multiplies(turns));
        let multiply = multiplies(2 * TURNS) - multiplies(TURNS);
        linear.push((four - two) / 2.0 / (two - one));
        ratio.push(multiply / (two - one));
        rates.push((two - one) / (TURNS * arch::CHAIN) as f64);
    }
    let nanos_per_tick = clock.nanos_per_tick(from, after(clock, from, 500_000));
    samples.extend(
        rates
            .iter()
            .map(|ticks_per_cycle| 1e9 / (ticks_per_cycle * nanos_per_tick)),
    );
    let ratio = middle(&mut ratio);
    bench.count("chain.linearity", middle(&mut linear), 1.0);
    bench.count("multiply.cycles", ratio, 1.0);
    bench.count("multiply.off_whole_cycles", (ratio - ratio.round()).abs(), 1.0);
    bench.values(samples);
    Ok(())
}

/// The lower quartile of several attempts: what interrupts and neighbours do makes a chain longer, never
/// shorter, and the very shortest may be a misreading.
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
