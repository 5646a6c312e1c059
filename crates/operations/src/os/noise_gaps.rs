//! What the machine takes from a program that only computes: gaps in a tight loop that reads the clock.

use super::workloads::gaps::watch;
use measure::{Area, How, Operation, Point, Rehearse};
use quantity::Quantity;

/// Share of time lost in gaps of at least a given length.
pub static OPERATION: Operation = Operation {
    id: "noise.gaps",
    area: Area::Os,
    title: "time that the machine takes away",
    one_iteration: "20 milliseconds (50 for the longest gaps) of reading the clock as fast as it goes",
    quantity: Quantity::Ratio,
    method: "A loop reads the clock; where two readings lie further apart than a threshold, somebody else had the \
             CPU: the kernel's tick, an interrupt, another program, the hypervisor. The value is the share of time \
             in such gaps. The evidence has their histogram, the longest, and what the kernel tells of causes: \
             timer and other interrupts and softirqs on this CPU or in all, the time in which other programs had it \
             (run-queue wait), and the time that the hypervisor says it stole.",
    confounds: "Hypervisors take time that no counter of the guest tells, the one for stolen time neither: gaps beyond \
                the interrupts and the run-queue wait are theirs or the hardware's. Gaps over 100 µs come so rarely \
                that many trials see none: there the median over trials says how it usually is, not how much is \
                lost in the long run, and the row stays noisy.",
    sources: &[
        (
            "sysjitter",
            "gaps above a threshold in a loop that reads the counter",
        ),
        ("rt-tests", "hwlatdetect, oslat: longest gap"),
    ],
    how: How::Values,
    rehearse: Rehearse::Nothing,
    points: |_| Point::all("gap=1us|10us|100us"),
    predict: &[
        "gap=1us: software t0 the kernel's tick = 2500 ns (×2.5: a timer interrupt takes 1 to 5 µs) / kernel.tick_ns",
        "gap=1us: hardware t0 the hypervisor's part in it = hypervisor.exit_ns × 4 (×1.5: the interrupt brought, \
         acknowledged, the timer set anew, the return: an exit each) / kernel.tick_ns",
        "gap=1us: hardware t0 the hypervisor's own interrupts = hypervisor.exit_ns × 1e-6 (×3: the host has a tick of 250 to \
         1000 Hz and devices of its own) / 1 ns",
    ],
    evidence: &[
        "clock.reads 2000..1e9: the loop read the clock all the time",
        "time.accounted 0.9..1.001: gaps and readings together are the time that passed",
    ],
    bounds: &["< 1: nobody takes more than all"],
    run: watch,
    ..Operation::NEW
};
