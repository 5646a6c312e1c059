//! The processor: facts and their units, core cycles, what code takes, and what every trial shows.

use super::Group;

pub const FACTS: &[(&str, &str)] = &[
    ("clock.cycle_ns", "ns/cycle"),
    ("processor.frequency", "cycles/s"),
    ("processor.vector_bytes", "bytes"),
    ("family.*_cycles", "cycles"),
    ("family.memory_ns", "ns"),
    ("mitigation.syscall_cycles", "cycles"),
    ("hypervisor.exit_ns", "ns"),
    ("kernel.tick_ns", "ns"),
    ("cache.*.size", "bytes"),
    ("cache.*.line", "bytes"),
    ("cache.*.ways", ""),
    ("memory.available", "bytes"),
    ("memory.total", "bytes"),
    ("limit.memory", "bytes"),
    ("cpus.allowed", ""),
    ("remote.programs", ""),
    ("remote.read_ahead_kib", "KiB"),
];

pub const FORMULAS: &[&str] = &[
    // One core cycle: at the clock that the machine reports, and at the one measured in the same run.
    "t0 cycle_ns = clock.cycle_ns",
    "t1 cycle_ns = 1e9 ns/s / [clock.frequency clock=core]",
    // Instructions of warm, branching code without misses, of which SPECint 2017 averages 1.3 to 2 a cycle on cores of 2019
    // to 2024, and locked ones, which take 18 to 20 cycles in the tables of Intel's and AMD's cores since 2015.
    "path(instructions, locked) = {round(instructions / 1.5 + 20 * locked)} cycles (×{within}: {source}: some \
     {instructions} instructions at 1.5 a cycle and {locked} locked ones of 20 cycles)",
];

pub const EVIDENCE: &[Group] = &[
    (
        "linear",
        &[
            "linearity 0.75..1.33 (if consistent): cost grows in proportion to the iterations, so none was left out",
        ],
    ),
    (
        // Who is not bound to a CPU is moved by the scheduler, and memory that others need is written out.
        "undisturbed",
        &[
            "migrations = 0 (quiet, if consistent): the main actor stayed on one CPU",
            "faults.major = 0 (noise): no page came from the disk",
        ],
    ),
    // The lists in which the worker keeps its times grow meanwhile: three faults in a trial, which is below one in a hundred
    // iterations of anything short.
    ("no new pages", &["no new pages but(0.01)"]),
    (
        // Of iterations so long that few fit into a trial.
        "no new pages but(most)",
        &["faults.minor 0..{most} (quiet, if consistent): no page was touched for the first time"],
    ),
    (
        "placed",
        &[
            "cpu=same: actors.cpus = 1: both sides were on one CPU",
            "cpu=other|sibling|node: actors.cpus = 2: each side was on a CPU of its own",
        ],
    ),
    // Threads are not taken for processes, nor processes for threads.
    (
        "threads",
        &["actors.processes = 1: the actors were threads of one process"],
    ),
    (
        "processes(n)",
        &["actors.processes = {n}: the actors were {n} processes"],
    ),
];
