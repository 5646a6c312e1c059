//! The rate of the time counter and of the core.
//!
//! The counter is compared with the kernel's clock over intervals of two milliseconds; the core's clock
//! comes from chains of dependent additions, which take one cycle each, and is checked against chains of
//! multiplications, which take a whole number of cycles.

use super::workloads::frequency::rates;
use measure::{Area, How, Operation, Point, Rehearse};
use quantity::Quantity;

/// Rate of the counter and of the core.
pub static OPERATION: Operation = Operation {
    id: "clock.frequency",
    area: Area::Cpu,
    title: "rate of the time counter and of the core",
    one_iteration: "one interval on both clocks (counter), or one chain of dependent additions (core)",
    quantity: Quantity::Frequency,
    method: "clock=counter: steps of the counter over steps of CLOCK_MONOTONIC_RAW, in intervals of 2 ms whose ends \
             are read tightly on both. clock=core: a chain of dependent register additions takes one core cycle each; \
             the time of 20 000 less that of 10 000 gives the clock at which the core runs under this load. The \
             addend is a register because recent cores add small constants without any cycle.",
    confounds: "The core's clock changes with load, temperature and neighbours: this is the rate during the trial. \
                A counter that the kernel does not trust is not used; then clock=counter shows 1 GHz, the kernel's \
                nanoseconds. With interval the intervals are long, so that a trial takes a second, and \
                counter.drift tells by how many millionths the last one differs from the first.",
    sources: &[
        ("R3", "frequency from /proc/cpuinfo"),
        ("R4", "RDTSC over sleep(10), 10 samples"),
        ("lmbench", "mhz: loops of dependent operations"),
    ],
    how: How::Values,
    rehearse: Rehearse::Nothing,
    // The long intervals are ten, as R4 had, but a second in all.
    points: |profile| {
        Point::of_profile(
            profile,
            "clock=counter|core",
            "clock=counter|core; clock=counter interval=100ms",
        )
    },
    predict: &[
        "clock=counter: hardware t0 as the machine tells it = processor.frequency",
        "clock=core: hardware t0 as the machine tells it = 1e9 ns/s / clock.cycle_ns",
    ],
    evidence: &[
        "clock=counter: answers = 1: the counter went forward in every interval",
        "clock=core: chain.linearity 0.9..1.1 (if consistent): twice the additions take twice the time",
        "clock=core: multiply.off_whole_cycles 0..0.15 (if consistent): a multiplication takes a whole number of these cycles",
    ],
    bounds: &[
        "clock=core: < 7e9 cycles/s (×1: no processor on sale runs above 6.2 GHz): no core runs faster",
    ],
    run: rates,
    ..Operation::NEW
};
