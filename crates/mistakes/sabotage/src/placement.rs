//! Actors that are moved or do not run: what `migrations` and the gate must catch.

use crate::sabotage::repeat;
use crate::{Caught, End, Sabotage};
use measure::{Bench, Failure, Result};
use std::time::Duration;
use sys::{cpu, process};

/// Another CPU than the main actor's on which this process may run; the caller is on its own again after.
///
/// # Errors
/// When there is none.
pub fn another_cpu(bench: &Bench<'_>) -> Result<u32> {
    another_than(bench.cpu())?
        .ok_or_else(|| Failure::skipped("there is no second CPU to be moved to", "run it with two CPUs"))
}

fn another_than(own: Option<u32>) -> Result<Option<u32>> {
    let Some(own) = own else { return Ok(None) };
    // The kernel counts CPUs from 0; a machine with a hole of 256 in its numbers is left out.
    let other = (0..256).find(|&other| other != own && cpu::pin(other).is_ok());
    cpu::pin(own)?;
    Ok(other)
}

/// Calls of the work before the main actor is moved, lead-ins too: behind calibration and warm-up.
const SETTLED: u32 = 64;

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.placement.moved",
        of: "syscall.getppid method=raw",
        mistake: "the main actor is moved to another CPU in the middle of the batches",
        caught_by: Caught::By("migrations"),
        second_cpu: true,
        run: |bench| {
            let other = another_cpu(bench)?;
            let rehearsal = bench.is_rehearsal();
            let mut batches = 0;
            bench.slope(&mut |n| {
                batches += 1;
                if batches == SETTLED && !rehearsal {
                    cpu::pin(other)?;
                }
                repeat(n, || Ok(process::getppid() > -1))
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.placement.sleeps",
        of: "syscall.getppid method=raw",
        mistake: "every batch sleeps for 30 µs",
        end: End::Starved,
        caught_by: Caught::Words("of the CPU"),
        run: |bench| {
            let rehearsal = bench.is_rehearsal();
            bench.slope(&mut |n| {
                if !rehearsal {
                    std::thread::sleep(Duration::from_micros(30));
                }
                repeat(n, || Ok(process::getppid() > -1))
            })
        },
        ..Sabotage::NEW
    },
];
