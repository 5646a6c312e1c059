//! The quantum of each clock: the smallest step by which it goes on.

use super::workloads::steps::{CLOCKS, steps};
use measure::{Area, How, Operation, Point, Rehearse};

/// The smallest step of a clock.
pub static OPERATION: Operation = Operation {
    id: "clock.quantum",
    area: Area::Cpu,
    title: "the smallest step of a clock",
    one_iteration: "the step of the lattice on which the differences of 200 readings lie",
    method: "The clock is read until it changes, with chains of additions of several lengths in between, 200 times \
             or for 240 ms. The differences of a clock that advances in steps lie on a lattice, whose step is looked \
             for; so a clock that adds one to stay ahead of itself is not taken for a fine one. Where there is no \
             lattice of four units or more, the unit of the clock (a tick, or a nanosecond) is shown.",
    confounds: "Steps of less than four units cannot be told from jitter. A processor whose counter is scaled to \
                another rate shows the step of what lies behind it. The coarse clock needs ten ticks of the kernel, \
                so its trial takes up to 240 ms.",
    sources: &[
        ("R1", "500 ns, not noticed (E08)"),
        ("R2", "41.67 ns, not noticed (E08)"),
        (
            "clock_getres",
            "what the kernel says: 1 ns for clocks that step in hundreds",
        ),
    ],
    how: How::Values,
    rehearse: Rehearse::Nothing,
    points: |_| CLOCKS.map(|(name, _)| Point::only().with("clock", name)).to_vec(),
    predict: &[
        "clock=counter: hardware t0 as it is documented = 1 cycle × 1e9 ns/s / processor.frequency",
        "clock=monotonic_coarse: hardware t0 as it is documented = kernel.tick_ns",
        "clock=gettimeofday: hardware t0 as it is documented = 1000 ns (×1: gettimeofday(2): microseconds)",
        "clock=monotonic|monotonic_raw|process_cpu|thread_cpu: hardware t0 as it is documented = \
         1 ns (×1: clock_getres(2) of high-resolution clocks)",
    ],
    evidence: &[
        "answers = 1: the clock went forward by more than nothing every time",
        // A lattice needs ten.
        "differences 10..200: the clock advanced by many different amounts, or by whole steps",
    ],
    run: steps,
    ..Operation::NEW
};
