//! A fault that brings no page: a system call is given an address where nothing is.

use super::{EXCEPTION, part, reasoned, told};
use measure::no_new_pages;
use measure::{
    Area, Bench, Failure, Operation, Rehearse, calls, core_cycles, linear, term, told_cycles, undisturbed,
    work_done,
};
use record::{Bound, Formula, Prediction, Side, Term};

/// The declaration.
pub static OPERATION: Operation = Operation {
    id: "fault.refused",
    area: Area::Memory,
    title: "fault in a system call that is given a bad address",
    one_iteration: "one clock_gettime into an address where nothing is mapped, which must answer EFAULT",
    method: "The kernel reads its clock and faults where it writes the answer. There is no memory at that address: the \
             fault is raised, nothing is found, and the call goes on where its table of exceptions says. Less the \
             same call with a good address (clock.read.monotonic.syscall) it is what raising a fault and coming back \
             from it costs, without any page.",
    confounds: "The fault comes from the kernel itself, so the stack and the address space stay; one from a program \
                changes both, as a system call does. Kernels that look up the address without a lock first look twice.",
    sources: &[("LTP", "EFAULT of every call, for its result only")],
    rehearse: Rehearse::Calls,
    computed_prediction: |_| {
        let mut from_facts = crate::os::syscall::floors_from_facts(1.0);
        let cycles = Formula::cited(EXCEPTION.0, EXCEPTION.1, EXCEPTION.2);
        from_facts.push(term(
            Side::Hardware,
            "exception and return",
            told_cycles(cycles.clone()),
        ));
        from_facts.push(told("clock read, answer refused", CLOCK));
        from_facts.push(told("looked for in vain", IN_VAIN));
        Prediction {
            from_facts,
            from_parts: vec![
                part(
                    "the same call with a good address",
                    "clock.read.monotonic.syscall",
                    "",
                ),
                term(Side::Hardware, "exception and return", core_cycles(cycles)),
                reasoned("looked for in vain", IN_VAIN),
            ],
        }
    },
    computed_witnesses: |_| {
        let mut all = work_done("every call answered that the address is bad");
        all.extend(linear());
        all.extend(calls(&[("clock_gettime", 1.0)]));
        all.extend(undisturbed());
        all.extend(no_new_pages());
        all
    },
    computed_bounds: |_| {
        vec![Bound {
            lower: true,
            formula: Formula::part("clock.read.monotonic.syscall", "").times(0.9),
            because: "the clock is read before the address is found bad".to_owned(),
        }]
    },
    run,
    ..Operation::NEW
};

const CLOCK: (f64, f64, &str) = (
    150.0,
    1.7,
    "entry of the call, time counter read and scaled: 120 instructions and a fence",
);

/// Cycles to find that nothing is mapped at an address and where to go on.
const IN_VAIN: (f64, f64, &str) = (
    1_200.0,
    1.6,
    "area looked for without a lock, table of exceptions searched (12 steps, some of them mispredicted), lock of the \
     mappings taken and let go (2 locked of 20), area looked for once more, table searched once more: 1 730 \
     instructions counted in an emulator (Linux 6.12) at 1.5 a cycle",
);

/// What raising a fault and returning from it costs, from what was measured in the same run.
pub fn exception() -> Term {
    let (cycles, within, source) = IN_VAIN;
    let formula = Formula::part("fault.refused", "")
        .minus(Formula::part("clock.read.monotonic.syscall", ""))
        .minus(core_cycles(Formula::cited(cycles, within, source)));
    term(
        Side::Hardware,
        "exception and return, as on a bad address",
        formula,
    )
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    if sys::refused::clock_reads(1) == 0 {
        return Err(Failure::skipped(
            "the kernel does not look at the address that clock_gettime is given: something stands before it",
            "let the sandbox pass clock_gettime (seccomp)",
        ));
    }
    bench.slope(&mut |n| Ok(sys::refused::clock_reads(n)))
}
