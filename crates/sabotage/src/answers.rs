//! Wrong answers: what `answers` must catch.

use crate::{Caught, Sabotage};
use measure::{Point, Work};
use sys::arithmetic::{Arithmetic, Chain, Number, PER_TURN, Sum};
use sys::kernel_time::{self, KernelClock};
use sys::{arch, process};

/// A failing call whose error path is timed.
pub static ERROR_PATH: Sabotage = Sabotage {
    id: "sabotage.answers.error_path",
    of: "syscall.getppid",
    points: |_| Point::all("method=raw"),
    mistake: "the call fails every time, and its error path is timed (E02)",
    caught_by: Caught::By("answers"),
    run: |bench| bench.slope(&mut |n| Ok((0..n).map(|_| u64::from(process::unknown_call() >= 0)).sum())),
    ..Sabotage::NEW
};

/// Readings of the clock of [`BACKWARDS`] between two steps backwards.
const SET_BACK_EVERY: i64 = 50;

/// A clock that steps back.
pub static BACKWARDS: Sabotage = Sabotage {
    id: "sabotage.answers.backwards",
    of: "clock.read.monotonic",
    mistake: "the clock steps back by a millisecond every 50 readings",
    caught_by: Caught::By("answers"),
    run: |bench| {
        let (mut reading, mut last) = (0, i64::MIN);
        bench.slope(&mut |n| {
            let mut right = 0;
            for _ in 0..n {
                reading += 1;
                let step = if reading % SET_BACK_EVERY == 0 { 1_000_000 } else { 0 };
                let now = kernel_time::read(KernelClock::Monotonic).unwrap_or(0) - step;
                right += u64::from(now >= last);
                last = now;
            }
            Ok(right)
        })
    },
    ..Sabotage::NEW
};

/// A callee that runs half as often as it is called.
pub static HALF_OF_THE_CALLS: Sabotage = Sabotage {
    id: "sabotage.answers.half_of_the_calls",
    of: "call.procedure",
    points: |_| vec![Point::only().with("arguments", 0)],
    mistake: "the callee runs half as often as it is called",
    caught_by: Caught::By("answers"),
    run: |bench| {
        let multiple_of = 2 * arch::CALLS_PER_TURN;
        let mut work = |n| Ok(arch::calls(0, n / multiple_of).unwrap_or(0));
        bench.batches(Work { multiple_of, ..Work::new(&mut work) })
    },
    ..Sabotage::NEW
};

/// An addition is left out of every batch.
pub static ONE_SUM_LESS: Sabotage = Sabotage {
    id: "sabotage.answers.one_sum_less",
    of: "arithmetic.integer",
    points: |_| vec![Point::only().with("instruction", "add").with("bits", 64).with("chain", "independent")],
    mistake: "a batch leaves out its last turn, which its time hardly shows",
    caught_by: Caught::By("answers"),
    run: |bench| {
        let known = Arithmetic::new(Number::Integer64, Sum::Add, Chain::Independent);
        let mut work = |n: u64| {
            let turns = n / PER_TURN;
            let right = known.as_ref().is_some_and(|one| one.run(turns - 1) == one.answer(turns));
            Ok(if right { n } else { 0 })
        };
        bench.batches(Work { multiple_of: 2 * PER_TURN, ..Work::new(&mut work) })
    },
    ..Sabotage::NEW
};
