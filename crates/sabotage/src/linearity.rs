//! Work that does not grow with the iterations: what `linearity` and the calibration must catch.

use crate::{Caught, End, Sabotage};
use measure::Point;
use std::time::{Duration, Instant};
use sys::kernel_time::{self, KernelClock};
use sys::process;

/// Longer than batches of n and 2n iterations, shorter than those of 4n, which take 40 µs and more.
const PATIENCE: Duration = Duration::from_micros(25);

/// A loop that gives up.
pub static GIVES_UP: Sabotage = Sabotage {
    id: "sabotage.linearity.gives_up",
    of: "syscall.getppid",
    points: |_| Point::all("method=raw"),
    mistake: "beyond 25 µs the rest of the work is skipped, and claimed",
    caught_by: Caught::By("linearity"),
    run: |bench| {
        let rehearsal = bench.is_rehearsal();
        bench.slope(&mut |n| {
            let began = Instant::now();
            for _ in 0..n {
                process::getppid();
                if !rehearsal && began.elapsed() > PATIENCE {
                    break;
                }
            }
            Ok(n)
        })
    },
    ..Sabotage::NEW
};

/// A batch that always does the same.
pub static CONSTANT: Sabotage = Sabotage {
    id: "sabotage.linearity.constant",
    of: "clock.read.monotonic",
    mistake: "a batch reads the clock 200 times, however often it was asked to",
    caught_by: Caught::By("linearity"),
    run: |bench| {
        bench.slope(&mut |n| {
            for _ in 0..200 {
                std::hint::black_box(kernel_time::read(KernelClock::Monotonic));
            }
            Ok(n)
        })
    },
    ..Sabotage::NEW
};

/// Work that was deleted.
pub static DELETED: Sabotage = Sabotage {
    id: "sabotage.linearity.deleted",
    of: "clock.read.monotonic",
    mistake: "the compiler has removed the work (E13)",
    end: End::Failed,
    caught_by: Caught::Words("not done"),
    run: |bench| bench.slope(&mut Ok),
    ..Sabotage::NEW
};
