//! Work that does not grow with the iterations: what `linearity` and the calibration must catch.

use crate::{Caught, End, Sabotage};
use std::time::{Duration, Instant};
use sys::kernel_time::{self, KernelClock};
use sys::process;

/// Longer than batches of n and 2n iterations, shorter than those of 4n, which take 40 µs and more.
const GIVE_UP_AFTER: Duration = Duration::from_micros(25);

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.linearity.gives_up",
        of: "syscall.getppid method=raw",
        mistake: "after 25 µs the rest of the batch is skipped and counted",
        caught_by: Caught::By("linearity"),
        run: |bench| {
            let rehearsal = bench.is_rehearsal();
            bench.slope(&mut |n| {
                let began = Instant::now();
                for _ in 0..n {
                    process::getppid();
                    if !rehearsal && began.elapsed() > GIVE_UP_AFTER {
                        break;
                    }
                }
                Ok(n)
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.linearity.constant",
        of: "clock.read.monotonic",
        mistake: "a batch reads the clock 200 times, whatever n is",
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
    },
    Sabotage {
        id: "sabotage.linearity.deleted",
        of: "clock.read.monotonic",
        mistake: "the compiler has removed the work (E13)",
        end: End::Failed,
        caught_by: Caught::Words("not done"),
        run: |bench| bench.slope(&mut Ok),
        ..Sabotage::NEW
    },
];
