//! Latency of memory over the bandwidth that the other CPUs achieve meanwhile, at many rates.

use super::beyond_caches;
use super::spec::BLOCK;
use crate::memory::LINE;
use crate::threads::Threads;
use measure::{Bench, Failure, Point, Result, choice, parameters};
use quantity::Quantity;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use sys::bandwidth::{Action, Blocks, Content, Method};
use sys::chase::{Cycle, Order};
use sys::clock::Clock;
use sys::memory::Mapping;
use sys::usage::CpuClock;

choice! {
    /// What the other CPUs do: reads for each write on the bus.
    pub enum Mix {
        /// Reads only.
        Reads = "reads",
        /// Three reads for a write: additions of two arrays into a third one.
        ThreeToOne = "3to1",
        /// Two reads for a write: copies.
        TwoToOne = "2to1",
        /// A read for a write: updates in place.
        OneToOne = "1to1",
        /// Non-temporal stores only.
        NonTemporal = "nontemporal",
    }
}

choice! {
    /// What is found of a curve.
    pub enum CurveProperty {
        /// Latency without traffic.
        Unloaded = "unloaded",
        /// Latency at the highest rate.
        Loaded = "loaded",
        /// The highest bandwidth.
        Peak = "peak",
        /// The bandwidth at which latency is higher by a quarter.
        Knee = "knee",
    }
}

parameters! {
    /// A result of a curve of latency over bandwidth.
    pub struct LoadCurve {
        /// What the other CPUs do.
        mix: Mix,
        /// What is found.
        property: CurveProperty,
    }
}

impl Mix {
    /// The action, its method, and the bytes that the bus carries for each byte of a block.
    fn work(self) -> (Action, Method, u64) {
        match self {
            Self::Reads => (Action::Read, Method::Widest, 1),
            // Two sources, and the target read before it is written.
            Self::ThreeToOne => (Action::Add, Method::Widest, 4),
            Self::TwoToOne => (Action::Copy, Method::Widest, 3),
            Self::OneToOne => (Action::Update, Method::Widest, 2),
            Self::NonTemporal => (Action::Write, Method::NonTemporal, 1),
        }
    }
}

/// Pauses behind each block in quarters of its time: none is the highest rate. Sixteen rates, with none of all traffic.
const PAUSES: [u64; 15] = [256, 128, 80, 56, 40, 30, 22, 16, 12, 8, 6, 4, 2, 1, 0];

/// Windows at each rate, of which the median counts, and the time of one in nanoseconds: some hundred blocks.
const WINDOWS: usize = 9;
const WINDOW_NS: f64 = 1.2e6;

/// A window is whole if the actors had their CPUs for this share of it, counts if as many are whole, and is repeated as often as
/// this otherwise: a trial on a busy machine lasts a second.
const WHOLE: f64 = 0.98;
const LEAST_WINDOWS: usize = 5;
const TRIES: usize = 36;

/// Turns of loads between two looks at the clock: some 64 loads.
const TURNS: u64 = 1;

/// Latency at the knee, as a multiple of that with little traffic, and the rates above it at least: one could be disturbed.
const KNEE: f64 = 1.25;
const LEAST_ABOVE: usize = 2;

/// The first rates, of little traffic, whose median latency the knee is relative to.
const LITTLE_TRAFFIC: usize = 4;

/// Bytes of a block of the other CPUs: a few microseconds, so that pauses are short.
const TRAFFIC_BLOCK: usize = 64 << 10;

/// Bytes of the memory of one of them at least.
const LEAST_TRAFFIC: usize = 24 << 20;

/// State shared with the threads that make traffic.
struct Traffic {
    threads: Threads,
    quit: AtomicBool,
    /// Quarters of a block's time; `u64::MAX` for no traffic.
    pause: AtomicU64,
    /// Bytes of blocks whose answers were right, and blocks whose answers were not.
    proved: AtomicU64,
    wrong: AtomicU64,
}

impl Traffic {
    fn run(&self, index: usize, made: Result<Blocks>, bytes: u64) {
        let Some(mut blocks) = self.threads.ready(made) else {
            return;
        };
        let (clock, mut shortest) = (Clock::select(), i64::MAX);
        while !self.quit.load(Ordering::Acquire) {
            self.threads.barrier.arrive(index);
            let pause = self.pause.load(Ordering::Relaxed);
            if pause == u64::MAX {
                std::hint::spin_loop();
                continue;
            }
            let start = clock.start();
            if blocks.run(1) {
                self.proved.fetch_add(bytes, Ordering::AcqRel);
            } else {
                self.wrong.fetch_add(1, Ordering::AcqRel);
            }
            let end = clock.stop();
            shortest = shortest.min(end - start);
            let until = end + shortest.saturating_mul(pause as i64) / 4;
            while clock.start() < until && self.pause.load(Ordering::Relaxed) == pause {
                std::hint::spin_loop();
            }
        }
    }
}

/// One rate: bytes per second of all actors, and nanoseconds of a load.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rate {
    bandwidth: f64,
    latency: f64,
}

/// Latency over bandwidth at sixteen rates of the mix of the point.
///
/// # Errors
/// Skipped where there is too little memory.
pub fn load_curve(bench: &mut Bench<'_>) -> Result<()> {
    let mix = bench.parameters::<LoadCurve>()?.mix;
    let (own, seed) = (bench.cpu(), bench.seed());
    let mut others = sys::cpu::allowed_before_pinning()?;
    others.retain(|&cpu| Some(cpu) != own);
    // One region for the loads, and one as large for all others together.
    let region = beyond_caches::working_set(bench, BLOCK)?;
    let (action, method, bus) = mix.work();
    let unit = TRAFFIC_BLOCK * action.parts();
    let size = (region / others.len().max(1)).max(LEAST_TRAFFIC) / unit * unit;
    let traffic = Traffic {
        threads: Threads::new(others.len()),
        quit: AtomicBool::default(),
        pause: AtomicU64::new(u64::MAX),
        proved: AtomicU64::default(),
        wrong: AtomicU64::default(),
    };
    let quit = || traffic.quit.store(true, Ordering::Release);
    sys::thread::beside_all(
        &others,
        |index, pinned| {
            let made = pinned.map_err(Failure::from).and_then(|()| {
                let seed = seed ^ ((index as u64 + 1) << 32);
                let made = Blocks::new(action, method, (size, TRAFFIC_BLOCK), Content::Random, seed)?;
                made.ok_or_else(|| Failure::failed("the processor lacks these vectors"))
            });
            traffic.run(index, made, bus * TRAFFIC_BLOCK as u64);
        },
        quit,
        || {
            let result = measure(bench, &traffic, mix, region);
            quit();
            result
        },
    )?
}

fn measure(bench: &mut Bench<'_>, traffic: &Traffic, mix: Mix, region: usize) -> Result<()> {
    let clock = Clock::select();
    let began = clock.moment();
    let mut mapping = Mapping::large(region)?;
    mapping.touch(bench.seed());
    let start = mapping.large_start(region);
    let cycle = Cycle::link(&mut mapping, start, region / LINE, LINE, Order::Random(bench.seed()));
    let mut cycle = cycle.ok_or_else(|| Failure::failed("the cycle does not fit into the mapping"))?;
    bench.count("lines.visited", cycle.distinct() as f64, (region / LINE) as f64);
    beyond_caches::count_caches(bench, region);
    // Meanwhile the others populate their memory.
    traffic.threads.wait()?;
    let tick = clock.nanos_per_tick(began, clock.moment());
    let actors = traffic.threads.clocks();
    let mut meter = Meter { clock, tick, actors, proved: &traffic.proved, windows: 0, whole: 0 };
    let (mut curve, mut idle) = (Vec::new(), 0);
    bench.watched(|| {
        for pause in [u64::MAX].into_iter().chain(PAUSES) {
            traffic.pause.store(pause, Ordering::Relaxed);
            let before = traffic.proved.load(Ordering::Acquire);
            curve.push(meter.rate(&mut cycle));
            idle += u64::from(traffic.proved.load(Ordering::Acquire) == before);
        }
        traffic.pause.store(u64::MAX, Ordering::Relaxed);
        Ok(())
    })?;
    report(bench, mix, &curve);
    bench.curve(curve.iter().map(|rate| (rate.bandwidth, rate.latency)));
    bench.count("curve.points", curve.len() as f64, 1.0);
    bench.count("rates.with_traffic", (curve.len() as u64 - idle) as f64, PAUSES.len() as f64);
    bench.count("windows.whole", meter.whole as f64, meter.windows as f64);
    bench.count("blocks.wrong", traffic.wrong.load(Ordering::Acquire) as f64, 1.0);
    Ok(())
}

/// What takes the windows of a rate.
struct Meter<'t> {
    clock: Clock,
    /// Nanoseconds of a tick.
    tick: f64,
    /// The CPU time of all actors.
    actors: Vec<CpuClock>,
    proved: &'t AtomicU64,
    /// Windows, and those in which every actor had its CPU.
    windows: u64,
    whole: u64,
}

impl Meter<'_> {
    /// The CPU time of all actors in nanoseconds.
    fn cpu_nanos(&self) -> i64 {
        self.actors.iter().filter_map(|actor| actor.nanos()).sum()
    }

    /// One window: its rate, and whether every actor had its CPU.
    fn window(&self, cycle: &mut Cycle<'_>) -> (Rate, bool) {
        let length = (WINDOW_NS / self.tick) as i64;
        let cpu = self.cpu_nanos();
        let (before, start) = (self.proved.load(Ordering::Acquire), self.clock.start());
        let (mut loads, mut end) = (0, start);
        while end - start < length {
            loads += cycle.walk(TURNS);
            end = self.clock.stop();
        }
        let bytes = self.proved.load(Ordering::Acquire) - before + loads * LINE as u64;
        let nanos = (end - start) as f64 * self.tick;
        let share = (self.cpu_nanos() - cpu) as f64 / (nanos * self.actors.len() as f64);
        let rate = Rate { bandwidth: bytes as f64 / nanos * 1e9, latency: nanos / loads.max(1) as f64 };
        (rate, share > WHOLE)
    }

    /// The medians of the windows in which every actor had its CPU, or of all where too few of them did.
    fn rate(&mut self, cycle: &mut Cycle<'_>) -> Rate {
        let (mut whole, mut others) = (Vec::new(), Vec::new());
        // The first window is the way to the new rate.
        self.window(cycle);
        while whole.len() < WINDOWS && others.len() < TRIES {
            let (rate, is_whole) = self.window(cycle);
            if is_whole { whole.push(rate) } else { others.push(rate) }
        }
        self.windows += WINDOWS as u64;
        self.whole += whole.len() as u64;
        let used = if whole.len() >= LEAST_WINDOWS { whole } else { others };
        Rate {
            bandwidth: median(used.iter().map(|rate| rate.bandwidth)),
            latency: median(used.iter().map(|rate| rate.latency)),
        }
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut all: Vec<f64> = values.collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or_default()
}

fn report(bench: &mut Bench<'_>, mix: Mix, curve: &[Rate]) {
    let point =
        |property: CurveProperty| Point::only().with("mix", mix.name()).with("property", property.name());
    let peak = curve.iter().map(|rate| rate.bandwidth).fold(0.0, f64::max);
    let [unloaded, loaded] = [curve.first(), curve.last()].map(|rate| rate.map_or(0.0, |rate| rate.latency));
    bench.values_at(point(CurveProperty::Unloaded), vec![unloaded]);
    bench.values_at(point(CurveProperty::Loaded), vec![loaded]);
    bench.values_at(point(CurveProperty::Peak), vec![peak]);
    let knee = knee(curve);
    bench.value_or_absent(
        point(CurveProperty::Knee),
        knee.as_ref().map(|knee| knee.bandwidth),
        // One digit, so that trials give the same reason.
        &format!("above {}: latency rises by less than a quarter up to the peak", show_floor(peak)),
        "expected where the process has few of the machine's CPUs; no action needed",
    );
    if let Some(knee) = knee {
        bench.count("rates.above_knee", knee.above as f64, 1.0);
        bench.count("knee.of_peak", knee.bandwidth, peak);
    }
}

/// A bandwidth rounded down to one digit.
fn show_floor(bandwidth: f64) -> String {
    let digit = 10_f64.powf(bandwidth.max(1.0).log10().floor());
    quantity::show((bandwidth / digit).floor() * digit, Some(digit / 2.0), Quantity::Bandwidth)
}

/// Where the latency of a curve rises.
#[derive(Debug, PartialEq)]
struct Knee {
    bandwidth: f64,
    /// Rates from there on.
    above: usize,
}

/// The bandwidth at which latency exceeds that with little traffic by a quarter and stays above, between two rates.
fn knee(curve: &[Rate]) -> Option<Knee> {
    let first = curve.get(..LITTLE_TRAFFIC)?;
    let limit = median(first.iter().map(|rate| rate.latency)) * KNEE;
    let last_below = curve.iter().rposition(|rate| rate.latency < limit)?;
    let above = curve.len() - last_below - 1;
    let (low, high) = (curve.get(last_below)?, curve.get(last_below + 1).filter(|_| above >= LEAST_ABOVE)?);
    let share = (limit - low.latency) / (high.latency - low.latency);
    Some(Knee { bandwidth: low.bandwidth + share * (high.bandwidth - low.bandwidth), above })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(latencies: &[f64]) -> Vec<Rate> {
        let rates = latencies.iter().enumerate();
        rates.map(|(index, latency)| Rate { bandwidth: 1e9 * index as f64, latency: *latency }).collect()
    }

    #[test]
    fn knee_is_where_latency_rises_by_a_quarter_for_good() {
        let found = |latencies: &[f64]| knee(&curve(latencies)).map(|knee| (knee.bandwidth, knee.above));
        assert_eq!(found(&[100.0, 100.0, 120.0, 100.0, 120.0, 130.0, 200.0]), Some((4.5e9, 2)));
        // One disturbed rate is no knee, neither within the curve nor at its end.
        assert_eq!(found(&[100.0, 100.0, 100.0, 100.0, 150.0, 120.0, 130.0, 200.0]), Some((5.5e9, 2)));
        assert_eq!(found(&[100.0, 100.0, 100.0, 100.0, 105.0, 110.0, 200.0]), None);
        // Nor is a first rate that is too fast.
        assert_eq!(found(&[60.0, 100.0, 100.0, 100.0, 105.0, 105.0, 105.0]), None);
        assert_eq!(found(&[100.0, 100.0, 100.0, 100.0, 105.0, 110.0]), None);
        assert_eq!(found(&[]), None);
    }

    #[test]
    fn bandwidth_below_which_there_is_no_knee_has_one_digit() {
        assert_eq!(show_floor(42.7e9), "40 GB/s");
        assert_eq!(show_floor(7.9e9), "7.0 GB/s");
    }
}
