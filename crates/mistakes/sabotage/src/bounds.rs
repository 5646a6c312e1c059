//! Results that cannot be: what bounds must catch where no witness does.

use crate::sabotage::give;
use crate::{Caught, Sabotage};
use sys::event_set::Trigger;
use sys::process;
use workloads::os::event_waiters::count_woken_by;

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.bounds.below_the_floor",
        of: "syscall.getppid method=raw",
        mistake: "two of three iterations do nothing outside the rehearsal (E03)",
        caught_by: Caught::Words("cheaper than"),
        run: |bench| {
            let step = if bench.is_rehearsal() { 1 } else { 3 };
            bench.slope(&mut |n| {
                (0..n).step_by(step).for_each(|_| {
                    let _ = process::getppid();
                });
                Ok(n)
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.bounds.faster_than_any_core",
        of: "clock.frequency clock=core",
        mistake: "four independent additions at once are taken for four cycles (E35)",
        caught_by: Caught::Words("faster than"),
        run: |bench| {
            let counts = [("chain.linearity", 1.0), ("multiply.off_whole_cycles", 0.0)];
            give(bench, &counts, vec![4.0 * 2.5e9; 6])
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.bounds.more_than_all",
        of: "noise.gaps gap=1us",
        mistake: "gaps are counted twice and add up to more than the whole time (E36)",
        caught_by: Caught::Words("more than"),
        run: |bench| give(bench, &[("clock.reads", 1e6), ("time.accounted", 1.0)], vec![1.5]),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.bounds.all_are_woken",
        of: "wakeup.waiters_of_an_event trigger=exclusive waiters=16",
        mistake: "EPOLLEXCLUSIVE is left out: every event wakes all waiters",
        caught_by: Caught::Words("more than"),
        run: |bench| count_woken_by(bench, Trigger::Level),
        ..Sabotage::NEW
    },
];
