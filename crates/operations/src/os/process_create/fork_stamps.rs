//! fork taken apart by stamps: until the parent is back, until the child runs, and the methods of the reports.

use super::CREATE;
use crate::os::workloads::stamps::forks;
use measure::{Operation, Point, Reference};
use sys::arch::{self, CounterRead};

const STAMPED: Operation = Operation {
    evidence: &[
        "answers = 1: the child stamped its moment between call and wait, and ended with the right status",
        "pages of the child",
        "cpu!=other: calls: clone 1, wait4 1, exit_group 1",
        "a fork",
        "undisturbed",
    ],
    bounds: &["> 0.5 × [syscall.floor]: the parent enters the kernel before there is a child"],
    ..CREATE
};

/// fork until the parent goes on.
pub static PARENT: Operation = Operation {
    id: "process.create.fork.parent",
    title: "fork until the parent is back",
    one_iteration: "one fork in the parent, from the call until it is back",
    method: "The parent stamps the clock before and after fork by the raw system call, then waits for the child, which \
             is not timed. Resident memory as in process.create.fork_wait.",
    confounds: "On one CPU the child may run before the parent is back; child.first in the evidence counts how often. \
                The end of the child and what it copies when it runs are not in the number.",
    sources: &[
        (
            "R0",
            "fork until the parent is back, or the child ran, by the sign of the difference",
        ),
        ("R4", "fork until the parent is back"),
        ("redis", "latest_fork_usec: fork of a large parent"),
    ],
    points: |_| Point::all("resident=0B|64MiB"),
    predict: &[
        "fork({resident / 4KiB})",
        "resident=0B: t1 floors(1)",
        "resident=0B: copy of a task",
        "resident=0B: software t1 tables of files, signals and handlers = 8000 cycles (×2: copy_files, copy_sighand, \
         copy_signal, copy_fs: some 5000 instructions on cold lines) × cycle_ns",
        "resident=0B: software t1 35 areas of memory and their page tables = {35 * 1500} cycles (×2: vm_area_dup, \
         anon_vma_fork, a tree's node; a page table cleared for every second area) × cycle_ns",
        "resident=0B: software t1 entries of the page tables copied = own_pages(0.6)",
        "resident=1MiB..: software t1 fork of a small parent = [process.create.fork.parent resident=0B]",
        "resident=1MiB..: software t1 copy of page tables, without their release = \
         copied_pages × 0.6 (×1.3: map counts up and write protection, against map counts down)",
    ],
    run: |bench| forks(bench, 1, || (), |moments| moments.back - moments.before),
    ..STAMPED
};

/// fork until the child runs.
pub static RUN: Operation = Operation {
    id: "process.create.fork.run",
    title: "fork until the child runs",
    one_iteration: "one fork, from the call until the child has executed its first instructions",
    method: "The parent stamps the clock before fork by the raw system call; the child stamps it first of all, and \
             writes the stamp to a page that both share. On one CPU the parent waits as soon as it is back. For the \
             other CPU the parent may use both until fork is back and the scheduler chooses; only children that began \
             on the other CPU are samples.",
    confounds: "On one CPU the scheduler chooses who runs first, as a rule the parent: then its return and its wait \
                are in the number. Where the other CPU is busy the child waits there for its turn, milliseconds. The \
                child's first instruction faults on the code's page, which fork does not copy.",
    sources: &[
        ("R1", "fork until the child runs, gettimeofday in both"),
        (
            "R3",
            "fork until the child runs, or the parent, whichever is first",
        ),
    ],
    points: super::placements,
    predict: &[
        "fork(0)",
        "software t1 fork until the parent is back = [process.create.fork.parent resident=0B]",
        "cpu=same: t1 floors(1)",
        "cpu=same: hand-offs(1)",
        "cpu=same: software t1 first faults of parent and child = {6 * 2500} cycles (×2: four copies on write in the parent, \
         two in the child, counted; 2500 cycles each) × cycle_ns",
        "wake-up of another CPU",
    ],
    run: |bench| forks(bench, 1, || (), |moments| moments.child - moments.before),
    ..STAMPED
};

/// R3's method.
pub static FIRST: Operation = Operation {
    id: "process.create.fork.either",
    title: "fork until parent or child runs",
    one_iteration: "one fork, from the call until the parent is back or the child runs, whichever is first",
    method: "Both stamp the clock; of each iteration the smaller difference is kept.",
    confounds: "It is the parent's return wherever the scheduler lets the parent go on.",
    sources: &[("R3", "the smaller of both, by RDTSC behind CPUID")],
    reference: Some(Reference {
        wrong: "two different things under one name, chosen by which is smaller: the scheduler's choice of the day \
                (E26, E31)",
        right: ("process.create.fork.parent", "resident=0B"),
    }),
    run: |bench| {
        forks(
            bench,
            1,
            || (),
            |moments| moments.back.min(moments.child) - moments.before,
        )
    },
    ..STAMPED
};

/// fork between pairs of CPUID and RDTSC, as R0 and R3 fence their clocks.
pub static CPUID: Operation = Operation {
    id: "process.create.fork.cpuid",
    title: "fork until the parent is back, fenced by CPUID",
    one_iteration: "one fork in the parent, between two reads of the counter that CPUID fences",
    method: "As process.create.fork.parent, with CPUID before and after fork inside the timed part.",
    confounds: "A hypervisor intercepts CPUID: each costs 1 to 70 µs instead of 0.1.",
    sources: &[("R0", "CPUID, RDTSC"), ("R3", "CPUID, RDTSC; RDTSCP, CPUID")],
    reference: Some(Reference {
        wrong: "in a virtual machine the fences cost as much as what they fence: CPUID leaves the guest (E11)",
        right: ("process.create.fork.parent", "resident=0B"),
    }),
    needs: measure::on_x86_64,
    run: |bench| {
        let cpuid = || {
            arch::read_counter(CounterRead::Cpuid, 1);
        };
        forks(bench, 1, cpuid, |moments| moments.back - moments.before)
    },
    ..STAMPED
};
