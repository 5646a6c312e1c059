//! Wrong answers: what `answers` must catch.

use crate::sabotage::time;
use crate::{Caught, Sabotage};
use measure::Work;
use sys::arithmetic::{Arithmetic, Chain, Number, Operator, PER_TURN};
use sys::kernel_time::{self, KernelClock};
use sys::{arch, process};

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.answers.error_path",
        of: "syscall.getppid method=raw",
        mistake: "the call fails every time, and its error path is timed (E02)",
        caught_by: Caught::By("answers"),
        run: |bench| time(bench, || Ok(process::unknown_call() >= 0)),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.answers.backwards",
        of: "clock.read.monotonic",
        mistake: "the clock steps back by a millisecond every 50 readings",
        caught_by: Caught::By("answers"),
        run: |bench| {
            let (mut reading, mut last) = (0, i64::MIN);
            time(bench, || {
                reading += 1;
                let step = if reading % 50 == 0 { 1_000_000 } else { 0 };
                let now = kernel_time::read(KernelClock::Monotonic).unwrap_or(0) - step;
                let before = std::mem::replace(&mut last, now);
                Ok(now >= before)
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.answers.half_of_the_calls",
        of: "call.procedure arguments=0",
        mistake: "the callee runs half as often as it is called",
        caught_by: Caught::By("answers"),
        run: |bench| {
            let multiple_of = 2 * arch::CALLS_PER_TURN;
            bench.batches(Work {
                multiple_of,
                ..Work::new(&mut |n| Ok(arch::calls(0, n / multiple_of).unwrap_or(0)))
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.answers.one_sum_less",
        of: "arithmetic.integer instruction=add bits=64 chain=independent",
        mistake: "a batch leaves out its last turn, which its time hardly shows",
        caught_by: Caught::By("answers"),
        run: |bench| {
            let known = Arithmetic::new(Number::Integer64, Operator::Add, Chain::Independent);
            bench.batches(Work {
                multiple_of: 2 * PER_TURN,
                ..Work::new(&mut |n| {
                    let turns = n / PER_TURN;
                    let right = known.as_ref().is_some_and(|one| one.run(turns - 1) == one.answer(turns));
                    Ok(if right { n } else { 0 })
                })
            })
        },
        ..Sabotage::NEW
    },
];
