//! Chains that are not what they are said to be: what `chain.linearity` and `multiply.off_whole_cycles`
//! must catch; and clocks that are not watched for long enough: `differences`.

use crate::{Caught, Sabotage};
use measure::{Bench, Failure, Point};
use sys::arch;
use sys::clock::Clock;

/// A chain that is shorter than claimed.
pub static SHORT_CHAIN: Sabotage = Sabotage {
    id: "sabotage.clocks.short_chain",
    of: "clock.frequency",
    points: |_| vec![Point::only().with("clock", "core")],
    mistake: "the longest chain has three quarters of its additions",
    caught_by: Caught::By("chain.linearity"),
    run: |bench| chains(bench, |turns| if turns == 4 * TURNS { 3 * TURNS } else { turns }),
    ..Sabotage::NEW
};

/// Additions that take more than a cycle.
pub static SLOW_ADDS: Sabotage = Sabotage {
    id: "sabotage.clocks.slow_adds",
    of: "clock.frequency",
    points: |_| vec![Point::only().with("clock", "core")],
    mistake: "an addition takes a cycle and a quarter, and one cycle is claimed",
    caught_by: Caught::By("multiply.off_whole_cycles"),
    run: |bench| chains(bench, |turns| turns + turns / 4),
    ..Sabotage::NEW
};

/// A clock that hardly moves while it is watched.
pub static STANDS_STILL: Sabotage = Sabotage {
    id: "sabotage.clocks.stands_still",
    of: "clock.quantum",
    points: |_| vec![Point::only().with("clock", "monotonic")],
    mistake: "the clock is seen to move three times, and its unit is called its step",
    caught_by: Caught::By("differences"),
    run: |bench| {
        bench.count("answers", 3.0, 3.0);
        bench.count("differences", 3.0, 1.0);
        bench.values(vec![1.0]);
        Ok(())
    },
    ..Sabotage::NEW
};

/// Turns of the short chain, as clock.frequency has them.
const TURNS: u64 = 200;

/// What clock.frequency does for the core, but with as many additions as `adds` makes of those asked for.
fn chains(bench: &mut Bench<'_>, adds: impl Fn(u64) -> u64) -> Result<(), Failure> {
    let clock = Clock::select();
    let from = clock.moment();
    let add = |turns| fastest(clock, || arch::dependent_adds(adds(turns)));
    let multiply = |turns| fastest(clock, || arch::dependent_multiplies(turns));
    let (one, two, four) = (add(TURNS), add(2 * TURNS), add(4 * TURNS));
    let ratio = (multiply(2 * TURNS) - multiply(TURNS)) / (two - one);
    bench.count("chain.linearity", (four - two) / 2.0 / (two - one), 1.0);
    bench.count("multiply.off_whole_cycles", (ratio - ratio.round()).abs(), 1.0);
    let nanos = clock.nanos_per_tick(from, clock.moment()) * (two - one);
    bench.values(vec![(TURNS * arch::CHAIN) as f64 / nanos * 1e9]);
    Ok(())
}

fn fastest(clock: Clock, work: impl Fn() -> u64) -> f64 {
    let attempts = (0..31).map(|_| {
        let start = clock.start();
        std::hint::black_box(work());
        clock.stop() - start
    });
    attempts.min().unwrap_or(0) as f64
}
