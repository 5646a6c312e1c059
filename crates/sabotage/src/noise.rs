//! A watch that does not watch: what `clock.reads` and `time.accounted` must catch.

use crate::{Caught, Sabotage};
use measure::Point;
use std::time::{Duration, Instant};

/// Time that is lost.
pub static UNACCOUNTED: Sabotage = Sabotage {
    id: "sabotage.noise.unaccounted",
    of: "noise.gaps",
    points: |_| vec![Point::only().with("gap", "1us")],
    mistake: "every second step between two readings is neither a gap nor quiet",
    caught_by: Caught::By("time.accounted"),
    run: |bench| {
        let (total, steps) = watch(Duration::from_millis(5));
        let kept = steps.iter().enumerate().filter(|(turn, _)| turn % 2 == 0).map(|(_, step)| *step);
        bench.count("clock.reads", steps.len() as f64, 1.0);
        bench.count("time.accounted", kept.sum::<Duration>().as_secs_f64() / total.as_secs_f64(), 1.0);
        bench.values(vec![0.01]);
        Ok(())
    },
    ..Sabotage::NEW
};

/// A watchman who sleeps.
pub static ASLEEP: Sabotage = Sabotage {
    id: "sabotage.noise.asleep",
    of: "noise.gaps",
    points: |_| vec![Point::only().with("gap", "1us")],
    mistake: "the loop sleeps between its readings",
    caught_by: Caught::By("clock.reads"),
    run: |bench| {
        let reads: u32 = 5;
        (0..reads).for_each(|_| std::thread::sleep(Duration::from_millis(1)));
        bench.count("clock.reads", f64::from(reads), 1.0);
        bench.count("time.accounted", 1.0, 1.0);
        bench.values(vec![1.0]);
        Ok(())
    },
    ..Sabotage::NEW
};

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
