//! Calls that are not traced or not restricted as claimed: what `stops.calls` and `landlock.rulesets` must catch.

use crate::{Caught, Sabotage};
use sys::landlock::Ruleset;
use workloads::os::landlock::open_and_close_null;
use workloads::os::traced::call_in_stops;

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.seams.stop_taken_for_call",
        of: "syscall.traced cpu=same",
        mistake: "each stop is taken for a call, of which it is the entry or the exit",
        caught_by: Caught::By("stops.calls"),
        run: |bench| call_in_stops(bench, 1),
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
