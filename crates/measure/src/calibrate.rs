//! How many iterations make a batch: long against the clock, short against the tick.

use crate::Failure;
use sys::clock::Clock;

/// Length of the shortest batch of a triple in nanoseconds: against it the cost of the clock (some 20 ns)
/// is 0.2 %, and the longest, four times as long, still ends between two ticks 99 times of 100.
const MIN_BATCH_NS: f64 = 10_000.0;

/// More iterations than any real operation fits into a batch: work that does not grow was deleted.
const MAX_ITERATIONS: u64 = 1 << 24;

/// Attempts at the final count; each is one batch.
const REFINEMENTS: usize = 3;

/// The number of iterations, a multiple of `multiple_of`, that fills the shortest batch.
///
/// # Errors
/// When the work fails, or takes no time however often it is done.
pub fn iterations(
    clock: Clock,
    nanos_per_tick: f64,
    multiple_of: u64,
    before: &mut dyn FnMut(u64) -> Result<(), Failure>,
    work: &mut dyn FnMut(u64) -> Result<u64, Failure>,
) -> Result<u64, Failure> {
    let step = multiple_of.max(1);
    let mut once = |n: u64| -> Result<f64, Failure> {
        before(n)?;
        let start = clock.start();
        work(n)?;
        Ok((clock.stop() - start) as f64 * nanos_per_tick)
    };
    // The lesser of two: the first time is cold, and one that was interrupted would make batches too short.
    let mut time = |n: u64| -> Result<f64, Failure> { Ok(once(n)?.min(once(n)?)) };
    let mut n = step;
    let mut nanos = time(n)?;
    while nanos < MIN_BATCH_NS / 4.0 {
        n = n.saturating_mul(2);
        if n > MAX_ITERATIONS.max(step) {
            return Err(Failure::failed(format!(
                "{n} iterations take {nanos:.0} ns: the work was not done (deleted, cached or refused)"
            )));
        }
        nanos = time(n)?;
    }
    // It only grows: an interruption makes an estimate too small, and the next one mends it.
    for _ in 0..REFINEMENTS {
        let fits = (n as f64 * MIN_BATCH_NS / time(n)?.max(1.0)) as u64;
        n = n.max(fits.min(n.saturating_mul(8)).next_multiple_of(step));
    }
    Ok(n)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn deleted_work_is_an_error() {
        let found = iterations(Clock::Kernel, 1.0, 1, &mut |_| Ok(()), &mut Ok);
        assert!(matches!(found, Err(Failure::Failed(reason)) if reason.contains("not done")));
    }

    #[test]
    fn cold_start_does_not_shorten_batches() {
        let mut cold = true;
        let mut work = |n| {
            let length = if cold { 200_000 } else { 100 * i64::try_from(n).unwrap() };
            cold = false;
            let began = Clock::Kernel.start();
            while Clock::Kernel.stop() - began < length {}
            Ok(n)
        };
        // 100 iterations are due; after a cold start that passed for a batch it was 8.
        assert!(iterations(Clock::Kernel, 1.0, 1, &mut |_| Ok(()), &mut work).unwrap() > 8);
    }

    #[test]
    fn count_is_a_multiple() {
        let mut spin = |n| {
            for _ in 0..n {
                std::hint::black_box(Clock::Kernel.start());
            }
            Ok(n)
        };
        assert_eq!(iterations(Clock::Kernel, 1.0, 24, &mut |_| Ok(()), &mut spin).unwrap() % 24, 0);
    }
}
