//! io_uring: IORING_OP_NOP, one and 32 per call.

use super::CARD;
use measure::{Bench, Operation, Result, Work, parameters, takes};
use sys::uring::Ring;

/// A no-op.
pub static NOP: Operation = Operation {
    id: "syscall.io_uring.nop",
    title: "one io_uring no-op (IORING_OP_NOP)",
    one_iteration: "one no-op submitted, completed and reaped; batch= of them share one io_uring_enter",
    method: "A submission entry is filled, io_uring_enter submits it and waits, the completion is reaped; by the system-call \
             instruction, without liburing, polling thread and registered files. With batch=32 one call submits and \
             reaps 32; the value is the share of one.",
    confounds: "Real operations may be handed to worker threads and complete later; this is their least cost.",
    sources: &[
        ("liburing", "test/nop.c, checked but not timed"),
        ("fio", "io_uring engine, with a device behind it"),
    ],
    parameters: takes::<Batches>,
    points: &["batch=1|32"],
    predict: &["floors({1 / batch})", "handler({1 / batch})"],
    evidence: &[
        "answers = 1: every operation completed with success and its own user data",
        "calls.io_uring_enter {0.99 / batch}..{1.01 / batch}: one call per batch, and no other",
        "calls {0.99 / batch}..{1.01 / batch} (quiet): one call per batch, and no other",
        "undisturbed loop",
    ],
    bounds: &["> {1 / batch} × [syscall.floor]: all operations of a batch share one system call"],
    run,
    ..CARD
};

parameters! {
    /// Operations that share a system call.
    struct Batches {
        /// Their number.
        batch: u64,
    }
}

fn run(bench: &mut Bench<'_>) -> Result<()> {
    let batch = bench.parameters::<Batches>()?.batch.max(1);
    let together = u32::try_from(batch).unwrap_or(1);
    let ring = Ring::new()?;
    let mut main = |n: u64| {
        let mut right = 0;
        for turn in 0..n / batch {
            right += ring.do_nothing(together, turn as u32)?;
        }
        Ok(right)
    };
    bench.batches(Work { multiple_of: batch, ..Work::new(&mut main) })
}
