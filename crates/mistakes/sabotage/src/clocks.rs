//! Dependency chains that are not as claimed, and clocks that are not watched for long enough: what `chain.linearity`,
//! `multiply.off_whole_cycles` and `differences` must catch.

use crate::sabotage::give;
use crate::{Caught, Sabotage};
use measure::{Bench, Result};
use sys::arch;
use sys::clock::Clock;

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.clocks.short_chain",
        of: "clock.frequency clock=core",
        mistake: "the longest chain has three quarters of its additions",
        caught_by: Caught::By("chain.linearity"),
        run: |bench| chains(bench, |turns| if turns == 4 * TURNS { 3 * TURNS } else { turns }),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.clocks.slow_adds",
        of: "clock.frequency clock=core",
        mistake: "an addition takes a cycle and a quarter, and one cycle is claimed",
        caught_by: Caught::By("multiply.off_whole_cycles"),
        run: |bench| chains(bench, |turns| turns + turns / 4),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.clocks.stands_still",
        of: "clock.quantum clock=monotonic",
        mistake: "the clock is seen to move three times, and its unit is claimed as its step",
        caught_by: Caught::By("differences"),
        run: |bench| give(bench, &[("answers", 1.0), ("differences", 3.0)], vec![1.0]),
        ..Sabotage::NEW
    },
];

/// Turns of the short chain, as clock.frequency has them.
const TURNS: u64 = 200;

/// What clock.frequency does for the core, but with as many additions as `adds` makes of those asked for.
fn chains(bench: &mut Bench<'_>, adds: impl Fn(u64) -> u64) -> Result<()> {
    let clock = Clock::select();
    let from = clock.moment();
    let [one, two, four] =
        [TURNS, 2 * TURNS, 4 * TURNS].map(|turns| fastest(clock, || arch::dependent_adds(adds(turns))));
    let [twice, once] = [2 * TURNS, TURNS].map(|turns| fastest(clock, || arch::dependent_multiplies(turns)));
    let ratio = (twice - once) / (two - one);
    let (linearity, off_whole_cycles) = ((four - two) / 2.0 / (two - one), (ratio - ratio.round()).abs());
    let nanos = clock.nanos_per_tick(from, clock.moment()) * (two - one);
    let counts = [("chain.linearity", linearity), ("multiply.off_whole_cycles", off_whole_cycles)];
    give(bench, &counts, vec![(TURNS * arch::CHAIN) as f64 / nanos * 1e9])
}

fn fastest(clock: Clock, work: impl Fn() -> u64) -> f64 {
    let attempts = (0..31).map(|_| {
        let start = clock.start();
        std::hint::black_box(work());
        clock.stop() - start
    });
    attempts.min().unwrap_or(0) as f64
}
