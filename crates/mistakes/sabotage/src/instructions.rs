//! Less work in user mode than declared: what `instructions` must catch.

use crate::{Caught, Sabotage};
use measure::Work;
use sys::arch::{self, CounterRead, LoopCounter};
use sys::arithmetic::{Arithmetic, Chain, Number, Operator, PER_TURN};

/// Iterations of a loop.
const LENGTH: u64 = 16;

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.instructions.half_of_the_loop",
        of: "loop.iteration counter=register iterations=16",
        mistake: "the loop does half of its iterations and claims all",
        caught_by: Caught::By("instructions"),
        run: |bench| {
            bench.batches(Work {
                multiple_of: LENGTH,
                ..Work::new(&mut |n| {
                    arch::empty_loops(LoopCounter::Register, n / LENGTH, LENGTH / 2);
                    Ok(n)
                })
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.instructions.fewer_arguments",
        of: "call.procedure arguments=5",
        mistake: "four arguments are passed where five are declared",
        caught_by: Caught::By("instructions"),
        run: |bench| {
            let multiple_of = arch::CALLS_PER_TURN;
            bench.batches(Work {
                multiple_of,
                ..Work::new(&mut |n| Ok(arch::calls(4, n / multiple_of).unwrap_or(0)))
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.instructions.fewer_adds",
        of: "loop.known_cost adds=40",
        mistake: "a turn has 20 additions where 40 are declared",
        caught_by: Caught::By("instructions"),
        run: |bench| bench.slope(&mut |n| Ok(arch::known_cost(20, n).unwrap_or(0))),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.instructions.unfenced",
        of: "clock.read.rdtsc_lfence",
        mistake: "the counter is read without its fences",
        caught_by: Caught::By("instructions"),
        run: |bench| bench.slope(&mut |n| Ok(n - arch::read_counter(CounterRead::Bare, n).min(n))),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.instructions.half_of_the_divisions",
        of: "arithmetic.float instruction=divide bits=64 chain=dependent",
        mistake: "half of the divisions are done, which gives the same result",
        caught_by: Caught::By("instructions"),
        run: |bench| {
            let known = Arithmetic::new(Number::Float64, Operator::Divide, Chain::Dependent);
            bench.batches(Work {
                multiple_of: 2 * PER_TURN,
                ..Work::new(&mut |n| {
                    if let Some(arithmetic) = &known {
                        std::hint::black_box(arithmetic.run(n / PER_TURN / 2));
                    }
                    Ok(n)
                })
            })
        },
        ..Sabotage::NEW
    },
];
