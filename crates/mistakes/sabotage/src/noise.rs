//! Gaps that are looked for in a part of the time: what `clock.reads` and `time.accounted` must catch.

use crate::sabotage::give;
use crate::{Caught, Sabotage};
use std::time::{Duration, Instant};

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.noise.unaccounted",
        of: "noise.gaps gap=1us",
        mistake: "every second step between two readings is neither a gap nor quiet",
        caught_by: Caught::By("time.accounted"),
        run: |bench| {
            let (total, steps) = watch(Duration::from_millis(5));
            let kept = steps.iter().enumerate().filter(|(turn, _)| turn % 2 == 0).map(|(_, step)| *step);
            let accounted = kept.sum::<Duration>().as_secs_f64() / total.as_secs_f64();
            give(bench, &[("clock.reads", steps.len() as f64), ("time.accounted", accounted)], vec![0.01])
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.noise.asleep",
        of: "noise.gaps gap=1us",
        mistake: "the loop sleeps between its readings",
        caught_by: Caught::By("clock.reads"),
        run: |bench| {
            (0..5).for_each(|_| std::thread::sleep(Duration::from_millis(1)));
            give(bench, &[("clock.reads", 5.0), ("time.accounted", 1.0)], vec![1.0])
        },
        ..Sabotage::NEW
    },
];

/// Reads the clock for so long; gives the whole time and the steps between the readings.
fn watch(length: Duration) -> (Duration, Vec<Duration>) {
    let began = Instant::now();
    let mut last = began;
    let mut steps = Vec::with_capacity(1 << 20);
    while last - began < length && steps.len() < 1 << 20 {
        let now = Instant::now();
        steps.push(now - last);
        last = now;
    }
    (last - began, steps)
}
