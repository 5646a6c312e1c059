//! Results that cannot be: what bounds must catch where no witness does.

use crate::{Caught, Sabotage};
use measure::Point;
use sys::process;

/// Cheaper than its part.
pub static BELOW_THE_FLOOR: Sabotage = Sabotage {
    id: "sabotage.bounds.below_the_floor",
    of: "syscall.getppid",
    points: |_| Point::all("method=raw"),
    mistake: "two of three iterations do nothing when they are not watched (E03)",
    caught_by: Caught::Words("cheaper than"),
    run: |bench| {
        let step = if bench.is_rehearsal() { 1 } else { 3 };
        bench.slope(&mut |n| {
            (0..n).filter(|turn| turn % step == 0).for_each(|_| {
                let _ = process::getppid();
            });
            Ok(n)
        })
    },
    ..Sabotage::NEW
};

/// Faster than the hardware.
pub static FASTER_THAN_ANY_CORE: Sabotage = Sabotage {
    id: "sabotage.bounds.faster_than_any_core",
    of: "clock.frequency",
    points: |_| vec![Point::only().with("clock", "core")],
    mistake: "four independent additions at once are taken for four cycles (E35)",
    caught_by: Caught::Words("faster than"),
    run: |bench| {
        bench.count("chain.linearity", 1.0, 1.0);
        bench.count("multiply.off_whole_cycles", 0.0, 1.0);
        bench.values(vec![4.0 * 2.5e9; 6]);
        Ok(())
    },
    ..Sabotage::NEW
};

/// More than all.
pub static MORE_THAN_ALL: Sabotage = Sabotage {
    id: "sabotage.bounds.more_than_all",
    of: "noise.gaps",
    points: |_| vec![Point::only().with("gap", "1us")],
    mistake: "gaps are counted twice and take more than all of the time (E36)",
    caught_by: Caught::Words("more than"),
    run: |bench| {
        bench.count("clock.reads", 1e6, 1.0);
        bench.count("time.accounted", 1.0, 1.0);
        bench.values(vec![1.5]);
        Ok(())
    },
    ..Sabotage::NEW
};
