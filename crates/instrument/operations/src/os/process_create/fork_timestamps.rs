//! Phases of fork by timestamps: until the parent returns, until the child runs.

use super::CREATE;
use measure::Operation;
use workloads::os::timestamps::forks;

/// Common to phases of fork.
pub const TIMESTAMPED: Operation = Operation {
    evidence: &[
        "answers = 1: the child's timestamp lies between call and wait, and it exited with the right status",
        "pages of the child",
        "cpu!=other: calls: clone 1, wait4 1, exit_group 1",
        "a fork",
        "undisturbed",
    ],
    bounds: &["> 0.5 × [syscall.floor]: the parent enters the kernel first"],
    ..CREATE
};

/// fork until the parent returns.
pub static PARENT: Operation = Operation {
    id: "process.create.fork.parent",
    title: "fork until the parent returns",
    one_iteration: "one fork, from call to return in the parent",
    method: "The parent reads the clock before and after fork, by the system-call instruction, then waits for the child, \
             untimed. Resident memory as in process.create.fork_wait.",
    confounds: "On one CPU the child may run before the parent returns; child.first counts how often. The child's copies on write \
                and exit are not included.",
    sources: &[
        (
            "R0, 3.5.1",
            "clock reads before and right after fork; differences that are not positive are dropped",
        ),
        ("R4, 4.3", "fork, probably until the parent returns"),
        ("redis", "latest_fork_usec: fork of a large parent"),
    ],
    points: &["resident=0B|64MiB"],
    predict: &[
        "fork({resident / 4KiB})",
        "resident=0B: t1 floors(1)",
        "resident=0B: software t1 copy of a small process = small_fork",
        "resident=1MiB..: software t1 fork of a small parent = [process.create.fork.parent resident=0B]",
        "resident=1MiB..: software t1 copy of page tables, without their release = 0.6 (×1.3: map counts up and write \
         protection, against map counts down) × (copied_entries({resident / 4KiB}) + page_descriptors({resident / 4KiB}))",
    ],
    run: |bench| forks(bench, 1, || (), |timestamps| timestamps.returned - timestamps.before),
    ..TIMESTAMPED
};

/// fork until the child runs.
pub static RUN: Operation = Operation {
    id: "process.create.fork.run",
    title: "fork until the child runs",
    one_iteration: "one fork, from the call to the child's first clock read",
    method: "The parent reads the clock before fork, by the system-call instruction; the child reads it first and writes it to \
             a shared page. On one CPU the parent waits right after fork. For the other CPU the parent may use both during \
             fork, and only children that start on the other CPU are samples.",
    confounds: "On one CPU the scheduler mostly runs the parent first: then its return and its wait are included. On a busy other \
                CPU the child waits milliseconds in the run queue. The child's first instruction faults on the code page, \
                which fork does not map.",
    sources: &[
        ("R1, 3 Fig 4", "create and run a process by fork; where the interval ends is not said"),
        ("R3, 3.5.1", "fork until the child runs or the parent returns, whichever is first"),
    ],
    points: super::PLACEMENTS,
    predict: &[
        "fork(0)",
        "software t1 fork until the parent returns = [process.create.fork.parent resident=0B]",
        "cpu=same: t1 floors(1)",
        "cpu=same: hand-offs(1)",
        "cpu=same: software t1 first faults of parent and child = {6 * 2500} cycles (×2: four copies on write in the parent, \
         two in the child, counted; 2500 cycles each) × cycle_ns",
        "wake-up of another CPU",
    ],
    run: |bench| forks(bench, 1, || (), |timestamps| timestamps.child - timestamps.before),
    ..TIMESTAMPED
};
