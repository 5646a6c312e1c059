//! Lateness of sleeps and of wake-ups.

use crate::shared_words::SharedWords;
use measure::{Bench, CpuTime, Failure, Result, choice, parameters};
use std::time::Duration;
use sys::kernel_time::{KernelClock, read};
use sys::process::Actor;
use sys::sleep::{Method, Sleeper};
use sys::usage::CpuClock;

/// Discarded sleeps, which warm up the path.
const WARM_UP: usize = 3;

/// The monotonic clock, which the kernel's timers use.
fn now() -> Result<i64> {
    read(KernelClock::Monotonic)
        .ok_or_else(|| Failure::failed("clock_gettime: the monotonic clock cannot be read"))
}

/// Takes `sleeps` samples of `late`, the lateness in nanoseconds. Counts early wake-ups, the 9th decile and the maximum as
/// evidence.
///
/// # Errors
/// When a sleep fails.
fn observe(bench: &mut Bench<'_>, sleeps: usize, mut late: impl FnMut() -> Result<i64>) -> Result<Vec<f64>> {
    for _ in 0..WARM_UP {
        late()?;
    }
    let mut all = Vec::with_capacity(sleeps);
    bench.watched_for(sleeps as f64, || {
        for _ in 0..sleeps {
            all.push(late()?);
        }
        Ok(())
    })?;
    let early = all.iter().filter(|&&late| late < 0).count();
    bench.count("wakeups.early", early as f64, sleeps as f64);
    bench.count("wakeups", all.len() as f64, sleeps as f64);
    let values = all.iter().map(|&late| late as f64).collect();
    all.sort_unstable();
    for (name, share) in [("late.decile_9_ns", 0.9), ("late.maximum_ns", 1.0)] {
        bench.count(
            name,
            all.get((share * (sleeps - 1) as f64) as usize).copied().unwrap_or_default() as f64,
            1.0,
        );
    }
    Ok(values)
}

parameters! {
    /// Sleeps.
    pub struct Sleep {
        /// Of each.
        duration: Duration,
    }
}

choice! {
    /// What runs on the CPU of the sleeper.
    pub enum CpuLoad {
        /// Nothing.
        Idle = "idle",
        /// A computing process.
        Busy = "busy",
    }
}

parameters! {
    /// Periodic wake-ups.
    pub struct WakeUps {
        /// What runs on the same CPU.
        load: CpuLoad,
    }
}

/// Fewest and most sleeps of a trial.
const SLEEPS: (i64, i64) = (5, 64);

/// Rough overhead of a sleep; only the number of sleeps depends on it.
const OVERHEAD_NS: i64 = 100_000;

/// Lateness of sleeps of the point's duration.
pub fn sleep(bench: &mut Bench<'_>, method: Method) -> Result<()> {
    sleep_by(bench, method, |sleeper, begun, nanos| Ok(sleeper.sleep(begun, nanos)?))
}

/// The same, asleep by `once`, which is given the time at which it begins and the duration.
///
/// # Errors
/// When a sleep fails.
pub fn sleep_by(
    bench: &mut Bench<'_>,
    method: Method,
    once: impl Fn(&Sleeper, i64, i64) -> Result<()>,
) -> Result<()> {
    let nanos = bench.parameters::<Sleep>()?.duration.as_nanos() as i64;
    let sleeper = Sleeper::new(method)?;
    if bench.is_rehearsal() {
        return bench.each(CpuTime::Process, &mut || once(&sleeper, 0, nanos).map(|()| 1));
    }
    bench.count("slack_ns", sys::sleep::slack_nanos()? as f64, 1.0);
    let spend = i64::try_from(bench.spend_ns()).unwrap_or(i64::MAX);
    let sleeps = (spend / (nanos + OVERHEAD_NS)).clamp(SLEEPS.0, SLEEPS.1);
    let late = observe(bench, usize::try_from(sleeps).unwrap_or(5), || {
        let begun = now()?;
        once(&sleeper, begun, nanos)?;
        Ok(now()? - begun - nanos)
    })?;
    bench.values(late);
    Ok(())
}

/// Time between two wake-ups.
const PERIOD_NS: i64 = 1_000_000;

/// Fewest and most wake-ups of a trial.
const WAKE_UPS: (u64, u64) = (8, 30);

/// Time limit of the sibling process: a hundred trials.
const LONGEST_LOAD_NS: i64 = 5_000_000_000;

/// Lateness of wake-ups at a period, beside a computing process with load=busy.
pub fn wake_ups(bench: &mut Bench<'_>) -> Result<Vec<f64>> {
    let sleeper = Sleeper::new(Method::ClockNanosleep)?;
    if bench.is_rehearsal() {
        bench.each(CpuTime::Process, &mut || Ok(sleeper.sleep(0, 1).map(|()| 1)?))?;
        return Ok(Vec::new());
    }
    let sibling = match bench.parameters::<WakeUps>()?.load {
        CpuLoad::Busy => Some(compute_beside(bench)?),
        CpuLoad::Idle => None,
    };
    sys::sleep::set_slack(1)?;
    let cpu = sibling.as_ref().map(|sibling| CpuClock::of_process(sibling.pid()));
    let used = || cpu.and_then(CpuClock::nanos);
    let (began, before) = (now()?, used());
    let mut due = began;
    let mut lateness = || {
        due = (due + PERIOD_NS).max(now()? + PERIOD_NS / 2);
        sys::sleep::until(due)?;
        Ok(now()? - due)
    };
    let late = if bench.times_every_iteration() {
        bench.keep_own_schedule();
        let early = std::cell::Cell::new(0.0);
        let wakeups = bench.each_value(&|_| false, &mut || {
            let late = lateness()?;
            early.set(early.get() + f64::from(u8::from(late < 0)));
            Ok(late as f64)
        })?;
        bench.count("wakeups.early", early.get(), wakeups);
        bench.count("wakeups", wakeups, wakeups);
        Vec::new()
    } else {
        let wake_ups = (bench.spend_ns() / PERIOD_NS.unsigned_abs()).clamp(WAKE_UPS.0, WAKE_UPS.1);
        observe(bench, wake_ups as usize, lateness)?
    };
    let wall = now()? - began;
    if let Some((after, before)) = used().zip(before) {
        bench.count("sibling.cpu_share", (after - before) as f64 / wall as f64, 1.0);
    }
    Ok(late)
}

/// Starts a process that computes on the CPU of the caller, and waits until it runs.
fn compute_beside(bench: &Bench<'_>) -> Result<Actor> {
    let running = SharedWords::new(1)?;
    let end = now()? + LONGEST_LOAD_NS.max(i64::try_from(2 * bench.spend_ns()).unwrap_or(i64::MAX));
    let sibling = Actor::spawn(bench.cpu(), || {
        running.set(0, 1);
        while now().is_ok_and(|now| now < end) {
            std::hint::black_box(sys::arch::dependent_adds(1_000));
        }
        0
    })?;
    while now()? < end && running.get(0) == 0 {
        sys::sleep::until(now()? + PERIOD_NS / 10)?;
    }
    Ok(sibling)
}
