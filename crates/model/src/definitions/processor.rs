//! The processor: facts and their units, core cycles, instruction counts, and the evidence of every trial.

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
    // One core cycle: at the reported frequency, and at the one measured in the same run.
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
            "linearity 0.75..1.33 (if consistent): cost is proportional to the number of iterations: none was skipped",
        ],
    ),
    (
        // The scheduler migrates unpinned actors, and memory pressure writes pages out.
        "undisturbed",
        &[
            "migrations = 0 (quiet, if consistent): the main actor was not migrated",
            "faults.major = 0 (noise): no page was read from the disk",
        ],
    ),
    // The worker's own lists of samples grow: three faults per trial, below 1 % of the iterations of a short operation.
    ("no new pages", &["no new pages but(0.01)"]),
    (
        // For iterations so long that few fit into a trial.
        "no new pages but(most)",
        &["faults.minor 0..{most} (quiet, if consistent): no first touch of a page"],
    ),
    (
        "placed",
        &[
            "cpu=same: actors.cpus = 1: both actors were on one CPU",
            "cpu=other|sibling|node: actors.cpus = 2: each actor was on a CPU of its own",
        ],
    ),
    // Distinguishes threads and processes.
    (
        "threads",
        &["actors.processes = 1: the actors were threads of one process"],
    ),
    (
        "processes(n)",
        &["actors.processes = {n}: the actors were {n} processes"],
    ),
];
