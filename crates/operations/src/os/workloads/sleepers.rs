//! Sleepers: how late they wake, and how often.

use measure::{Bench, Failure};
use sys::kernel_time::{KernelClock, read};

/// Sleeps that are not kept, so that the path is warm.
const WARM_UP: usize = 3;

/// The kernel's monotonic clock, by which its timers go.
pub fn now() -> Result<i64, Failure> {
    read(KernelClock::Monotonic)
        .ok_or_else(|| Failure::Failed("clock_gettime: the monotonic clock cannot be read".to_owned()))
}

/// Sleeps as often as asked; `late` gives by how many nanoseconds each came too late. Keeps all, and as evidence
/// how many came early, the 9th decile and the latest.
///
/// # Errors
/// When a sleep fails.
pub fn observe(
    bench: &mut Bench<'_>,
    sleeps: usize,
    mut late: impl FnMut() -> Result<i64, Failure>,
) -> Result<Vec<f64>, Failure> {
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
    let at = |share: f64| all.get((share * (sleeps - 1) as f64) as usize).copied();
    for (name, share) in [("late.decile_9_ns", 0.9), ("late.maximum_ns", 1.0)] {
        bench.count(name, at(share).unwrap_or_default() as f64, 1.0);
    }
    Ok(values)
}
