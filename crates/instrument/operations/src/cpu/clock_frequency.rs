//! Frequency of the time counter, against the kernel's clock, and of the core, by chains of dependent additions of one
//! cycle each, checked against multiplications of a whole number of cycles.

use measure::{Area, Operation, takes};
use quantity::Quantity;
use workloads::cpu::frequency::{Rates, rates, spend_ns};

/// Rate of the counter and of the core.
pub static FREQUENCY: Operation = Operation {
    id: "clock.frequency",
    area: Area::Cpu,
    title: "frequency of the time counter and of the core",
    one_iteration: "one interval of the counter and the kernel's clock, or one chain of dependent additions",
    quantity: Quantity::Frequency,
    method: "clock=counter: ticks of the counter over nanoseconds of CLOCK_MONOTONIC_RAW, in intervals of 2 ms (interval= \
             sets another length). clock=core: dependent register additions take one core cycle each; the time of \
             20 000 minus that of 10 000 gives the core's frequency under this load. The addend is a register because \
             recent cores add small constants in zero cycles. core_class= moves the trial to a core of that class, where the kernel \
             reports several.",
    confounds: "The core's frequency changes with load, temperature and neighbours: the value is that of the trial. Where the \
                kernel does not trust the counter, clock=counter shows 1 GHz, the kernel's nanoseconds. With \
                interval=100ms a trial takes a second, with interval=10s, one sample, ten; counter.drift is the difference of its last and first interval \
                in parts per million.",
    sources: &[
        ("R3, 2.1", "a simple measurement, not described: 2.793291 GHz beside 2.80 GHz of the model"),
        ("R2, 2", "4 performance and 4 efficiency cores, 4.05 GHz, as specified"),
        ("R4, 3.1", "cycles counted in a known interval of 10 s, ten samples"),
        ("lmbench", "mhz: loops of dependent operations"),
    ],
    parameters: takes::<Rates>,
    points: &[
        "clock=counter|core",
        "clock=core core_class=performance|efficiency",
        "profile=thorough: clock=counter interval=100ms|10s",
    ],
    spend_of: Some(spend_ns),
    predict: &[
        "clock=counter: hardware t0 as reported = processor.frequency",
        "clock=core: hardware t0 as reported = 1e9 ns/s / clock.cycle_ns",
    ],
    evidence: &[
        "clock=counter: answers = 1: the counter advanced in every interval",
        "clock=core: chain.linearity 0.9..1.1 (if consistent): twice the additions take twice the time",
        "clock=core: multiply.off_whole_cycles 0..0.15 (if consistent): a multiplication takes a whole number of these cycles",
    ],
    bounds: &[
        "clock=core: < 7e9 cycles/s (×1: no processor on sale runs above 6.2 GHz): no processor on sale runs faster",
    ],
    run: rates,
    ..Operation::VALUES
};
