//! How many iterations make a batch: long against the clock, short against the tick.

use crate::Failure;
use crate::clock::{Clock, elapsed};
use crate::work::Length;

/// Length of the shortest batch of a triple in nanoseconds: against it the cost of the clock (some 20 ns)
/// is 0.2 %, and the longest, four times as long, still ends between two ticks 99 times of 100.
const MIN_BATCH_NS: f64 = 10_000.0;

/// More iterations than any real operation fits into a batch: work that does not grow was deleted.
const MAX_ITERATIONS: u64 = 1 << 24;

/// Attempts at the final count; each is one batch.
const REFINEMENTS: usize = 3;

/// The number of iterations that fills the shortest batch, or as many as it may hold.
///
/// # Errors
/// When the work fails, or takes no time however often it is done, or the clock goes back.
pub fn iterations(
    clock: impl Clock,
    nanos_per_tick: f64,
    length: Length,
    before: &mut dyn FnMut(u64) -> Result<(), Failure>,
    work: &mut dyn FnMut(u64) -> Result<u64, Failure>,
) -> Result<u64, Failure> {
    let (step, most) = (length.multiple_of, length.of_shortest());
    // The lesser of two: the first time is cold, and one that was interrupted would make batches too short.
    let mut time = |n: u64| -> Result<f64, Failure> {
        let mut least = f64::INFINITY;
        for _ in 0..2 {
            before(n)?;
            let start = clock.start();
            work(n)?;
            least = least.min(elapsed(start, clock.stop())? as f64 * nanos_per_tick);
        }
        Ok(least)
    };
    let mut n = step;
    let mut nanos = time(n)?;
    while nanos < MIN_BATCH_NS / 4.0 && n < most {
        n = n.saturating_mul(2).min(most);
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
        n = n.max(fits.min(n.saturating_mul(8)).next_multiple_of(step)).min(most);
    }
    Ok(n)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::simulated::{Core, Neighbour, Simulated};

    /// The count for an operation that takes so long.
    fn calibrated(core: Core, nanos: f64) -> Result<u64, Failure> {
        let (nanos_per_tick, clock) = (core.tick_ns, Simulated::new(core));
        iterations(clock, nanos_per_tick, Length::default(), &mut |_| Ok(()), &mut |n| {
            clock.work(n as f64 * nanos);
            Ok(n)
        })
    }

    fn failure(core: Core, nanos: f64) -> String {
        match calibrated(core, nanos) {
            Err(Failure::Failed(reason)) => reason,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn batch_is_long_enough_whatever_the_clock_s_step() {
        for tick_ns in [0.3, 10.0, 41.7, 1_000.0, 4_000.0, 50_000.0] {
            for nanos in [0.8, 37.0, 900.0, 70_000.0] {
                let n = calibrated(Core { tick_ns, ..Core::plain() }, nanos).unwrap();
                let length = n as f64 * nanos;
                // A step longer than a batch may count as none at all, for which the number grows eightfold.
                let most = if tick_ns < MIN_BATCH_NS { 1.5 * MIN_BATCH_NS } else { 8.0 * tick_ns };
                let limits = 0.6 * MIN_BATCH_NS..most.max(2.0 * nanos);
                assert!(limits.contains(&length), "{tick_ns} {nanos}: {length} in {limits:?}");
            }
        }
    }

    #[test]
    fn jump_ahead_does_not_shorten_batches() {
        for at in 0..400 {
            let jumps = vec![(f64::from(at) * 250.0, 1_000_000_000)];
            let length = 37.0 * calibrated(Core { jumps, ..Core::plain() }, 37.0).unwrap() as f64;
            assert!((0.9 * MIN_BATCH_NS..2.0 * MIN_BATCH_NS).contains(&length), "{at}: {length}");
        }
    }

    #[test]
    fn clock_that_goes_back_is_a_failure_with_its_reason() {
        let failed = (0..400).filter(|at| {
            let jumps = vec![(f64::from(*at) * 250.0, -1_000_000)];
            match calibrated(Core { jumps, ..Core::plain() }, 37.0) {
                Ok(n) => {
                    // The jump fell between two batches, or behind the last one.
                    assert!(37.0 * n as f64 > 0.9 * MIN_BATCH_NS, "{at}: {n}");
                    false
                }
                Err(failure) => {
                    assert!(failure.to_string().contains("went back"), "{failure}");
                    true
                }
            }
        });
        assert!(failed.count() > 100);
    }

    #[test]
    fn neighbour_shortens_batches_by_its_factor_at_most() {
        for seed in 0..50 {
            let neighbour = Some(Neighbour::new(1.8, [300_000.0, 300_000.0], seed));
            let length = 37.0 * calibrated(Core { neighbour, ..Core::plain() }, 37.0).unwrap() as f64;
            assert!((MIN_BATCH_NS / 1.8 - 100.0..2.0 * MIN_BATCH_NS).contains(&length), "{seed}: {length}");
        }
    }

    #[test]
    fn work_of_no_cost_ends_calibration() {
        let deleted = failure(Core::plain(), 0.0);
        assert!(deleted.contains("not done") && deleted.starts_with("33554432 iterations"), "{deleted}");
        assert!(failure(Core { tick_ns: 50_000.0, ..Core::plain() }, 0.0).contains("not done"));
    }

    #[test]
    fn cold_start_does_not_shorten_batches() {
        let clock = Simulated::new(Core::plain());
        let mut cold = true;
        // 100 iterations are due; after a cold start that passed for a batch it was 8.
        assert!(
            (95..=100).contains(
                &iterations(clock, 1.0, Length::default(), &mut |_| Ok(()), &mut |n| {
                    clock.work(if cold { 200_000.0 } else { 100.0 * n as f64 });
                    cold = false;
                    Ok(n)
                })
                .unwrap()
            )
        );
    }

    #[test]
    fn no_batch_of_a_triple_holds_more_than_it_may() {
        let clock = Simulated::new(Core::plain());
        let mut longest = 0;
        let n =
            iterations(clock, 1.0, Length { at_most: 800, ..Length::default() }, &mut |_| Ok(()), &mut |n| {
                longest = longest.max(n);
                clock.work(20.0 * n as f64);
                Ok(n)
            });
        assert_eq!((n.unwrap(), longest), (200, 200));
        let both = Length { multiple_of: 24, at_most: 800, leads_in: true };
        assert_eq!([both.of_shortest(), Length { at_most: 7, ..both }.of_shortest()], [192, 24]);
    }

    #[test]
    fn count_is_a_multiple() {
        let clock = Simulated::new(Core::plain());
        assert_eq!(
            iterations(
                clock,
                1.0,
                Length { multiple_of: 24, ..Length::default() },
                &mut |_| Ok(()),
                &mut |n| {
                    clock.work(n as f64);
                    Ok(n)
                }
            )
            .unwrap()
                % 24,
            0
        );
    }
}
