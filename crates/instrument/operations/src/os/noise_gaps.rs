//! Operating-system noise: gaps in a tight loop of clock reads.

use measure::{Area, Operation, takes};
use quantity::Quantity;
use workloads::os::gaps::{Gaps, measure};

/// Share of time lost in gaps above a threshold.
pub static GAPS: Operation = Operation {
    id: "noise.gaps",
    area: Area::Os,
    title: "CPU time lost in gaps of at least gap=",
    one_iteration: "20 ms (50 ms with gap=100us) of clock reads in a tight loop",
    quantity: Quantity::Ratio,
    method: "A loop reads the clock; between two reads further apart than gap= the CPU ran something else: the kernel's tick, \
             an interrupt, another program, the hypervisor. The value is the share of time in such gaps. The evidence has \
             their histogram and maximum, and the kernel's counts of causes: timer interrupts of this CPU, interrupts and \
             softirqs in all, run-queue wait, and steal time.",
    confounds: "Hypervisors take time that the guest does not count, not even as steal time: gaps beyond interrupts and run-queue \
                wait belong to the hypervisor or the hardware. Gaps over 100 µs are rare, and many trials have none: the \
                median over trials is then not the long-run loss, and the row stays noisy. Trials last equally long, so that their \
                mean is the long-run loss: `oscope report --columns mean` shows it.",
    sources: &[
        ("sysjitter", "gaps above a threshold in a loop that reads the counter"),
        (
            "rt-tests",
            "oslat: a histogram of gaps in a loop that reads the counter, on each CPU; hwlatdetect: the same with interrupts \
             off, in the kernel",
        ),
    ],
    parameters: takes::<Gaps>,
    points: &["gap=1us|10us|100us"],
    predict: &[
        "gap=1us: software t0 the kernel's tick = 2500 ns (×2.5: a timer interrupt takes 1 to 5 µs) / kernel.tick_ns",
        "gap=1us: hardware t0 its VM exits = hypervisor.exit_ns × 4 (×1.5: injection, acknowledgement, \
         timer set, return: an exit each) / kernel.tick_ns",
        "gap=1us: hardware t0 the hypervisor's own interrupts = hypervisor.exit_ns × 1e-6 (×3: the host has a tick of 250 to \
         1000 Hz and devices of its own) / 1 ns",
    ],
    evidence: &[
        "clock.reads 2000..1e9: the loop ran",
        "time.accounted 0.9..1.001: gaps and reads add up to the elapsed time",
    ],
    bounds: &["< 1: a share is at most 1"],
    run: measure,
    ..Operation::VALUES
};
