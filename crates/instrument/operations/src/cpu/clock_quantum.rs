//! The resolution of each clock.

use measure::{Area, Operation, takes};
use workloads::cpu::steps::{Steps, steps};

/// The smallest step of a clock.
pub static QUANTUM: Operation = Operation {
    id: "clock.quantum",
    area: Area::Cpu,
    title: "resolution of a clock",
    one_iteration: "the largest common step of the differences of 200 reads",
    method: "The clock is read until it changes, with chains of additions of several lengths in between, 200 times \
             or for 240 ms. The differences of a clock that advances in steps lie on a lattice, whose step is the \
             value; a clock that adds one to stay monotonic is not taken for a fine one. Without a lattice of four \
             units or more the value is the unit of the clock: a tick, or a nanosecond.",
    confounds: "Steps of less than four units cannot be distinguished from jitter. A counter that is scaled from another \
                rate shows the step of that rate. The coarse clock needs ten kernel ticks: its trial takes up to 240 ms.",
    sources: &[
        (
            "R1, 3 Fig 7",
            "every trial is a multiple of 500 ns: probably the step of timeval, a microsecond, divided by two switches; it is not \
             discussed (E08)",
        ),
        ("R2, 2", "mach_absolute_time, whose step is probably 41.67 ns and is not discussed (E08)"),
        ("clock_getres", "as the kernel reports it: 1 ns, also for clocks with steps of hundreds"),
    ],
    parameters: takes::<Steps>,
    points: &["clock=counter|monotonic|monotonic_raw|monotonic_coarse|gettimeofday|process_cpu|thread_cpu"],
    predict: &[
        "clock=counter: hardware t0 documented resolution = 1 cycle × 1e9 ns/s / processor.frequency",
        "clock=monotonic_coarse: hardware t0 documented resolution = kernel.tick_ns",
        "clock=gettimeofday: hardware t0 documented resolution = 1000 ns (×1: gettimeofday(2): microseconds)",
        "clock=monotonic|monotonic_raw|process_cpu|thread_cpu: hardware t1 step of the counter = \
         max(1 ns (×1: the kernel gives whole nanoseconds), \
         [clock.quantum clock=counter])",
        "clock=monotonic|monotonic_raw|process_cpu|thread_cpu: hardware t0 documented resolution = \
         1 ns (×1: clock_getres(2) of high-resolution clocks)",
    ],
    evidence: &[
        "answers = 1: the clock advanced every time",
        // A lattice needs ten.
        "differences 10..200: enough differences to find their common step",
    ],
    run: steps,
    ..Operation::VALUES
};
