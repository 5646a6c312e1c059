//! Calls that are not traced or not restricted as claimed: what `stops.calls` and `landlock.rulesets` must catch.

use crate::{Caught, Sabotage};
use measure::{Bench, Result};
use sys::landlock::Ruleset;
use workloads::os::landlock::open_and_close_null;

/// Makes one call in place of a traced one, as often as makes it not too cheap; of the claimed ones the other process made half.
fn stop_once(bench: &mut Bench<'_>) -> Result<()> {
    let mut calls = 0;
    bench.slope(&mut |n| {
        calls += n;
        let call = || (0..12).all(|_| sys::process::getppid() >= 0);
        Ok((0..n).filter(|_| call()).count() as u64)
    })?;
    bench.count("stops.calls", calls as f64 / 2.0, calls as f64);
    Ok(())
}

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.seams.stop_taken_for_call",
        of: "syscall.traced cpu=same",
        mistake: "each stop is taken for a call, of which it is the entry or the exit",
        caught_by: Caught::By("stops.calls"),
        run: stop_once,
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.seams.rulesets_on_another_thread",
        of: "syscall.open_close.landlock rulesets=16",
        mistake: "another thread is under the rulesets, which do not hold for the one that opens",
        caught_by: Caught::By("landlock.rulesets"),
        run: |bench| {
            let ruleset = Ruleset::new()?;
            std::thread::scope(|scope| {
                scope.spawn(|| ruleset.count_nested().map(|_| ())).join().unwrap_or(Ok(()))
            })?;
            open_and_close_null(bench)?;
            bench.count("landlock.rulesets", ruleset.count_nested()? as f64, 1.0);
            Ok(())
        },
        ..Sabotage::NEW
    },
];
