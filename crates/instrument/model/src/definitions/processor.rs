//! The processor: facts and their units, core cycles, instruction counts, and the evidence of every trial.

use super::group::Group;

pub const FACTS: &[(&str, &str)] = &[
    ("clock.cycle_ns", "ns/cycle"),
    ("processor.frequency", "cycles/s"),
    ("processor.vector_bytes", "bytes"),
    ("family.*_cycles", "cycles"),
    ("family.memory_ns", "ns"),
    ("mitigation.syscall_cycles", "cycles"),
    ("hypervisor.exit_ns", "ns"),
    ("hypervisor.gate_exits", ""),
    ("kernel.tick_ns", "ns"),
    ("kernel.cycles_per_instruction", "cycles"),
    ("cache.*.size", "bytes"),
    ("cache.*.line", "bytes"),
    ("cache.*.ways", ""),
    ("memory.available", "bytes"),
    ("memory.total", "bytes"),
    ("limit.memory", "bytes"),
    ("cpus.allowed", ""),
    ("network.peer.speed", "bytes/s"),
    ("remote.programs", ""),
    ("remote.read_ahead_kib", "KiB"),
];

pub const FORMULAS: &[&str] = &[
    // One core cycle: at the reported frequency, and at the one measured in the same run.
    "t0 cycle_ns = clock.cycle_ns",
    "t1 cycle_ns = 1e9 ns/s / [clock.frequency clock=core]",
    // Instructions of warm kernel code, counted in its source, in cycles; locked ones are in the kernel's pace.
    "t0 path(instructions, locked) = {instructions} (×{within}: {source}: some {instructions} instructions, {locked} of \
     them locked) × kernel.cycles_per_instruction",
    "t1 path(instructions, locked) = {instructions} (×{within}: {source}: some {instructions} instructions, {locked} of them \
     locked) × pace / cycle_ns",
];

pub const EVIDENCE: &[Group] = &[
    (
        "linear",
        &[
            "linearity 0.75..1.33 (if consistent): cost is proportional to the number of iterations: none was skipped",
        ],
    ),
    // A loop of one task, long enough that the worker's own memory does not count.
    ("undisturbed loop", &["linear", "undisturbed", "no new pages"]),
    (
        // The scheduler migrates unpinned actors, and memory pressure writes pages out.
        "undisturbed",
        &[
            "migrations = 0 (quiet, if consistent): the main actor was not migrated",
            "faults.major = 0 (noise): no page was read from the disk",
        ],
    ),
    // The worker's own lists of samples grow: three faults per trial, below 1 % of the iterations of a short operation.
    ("no new pages", &["few new pages(0.01)"]),
    (
        // For iterations so long that few fit into a trial.
        "few new pages(most)",
        &["faults.minor 0..{most} (quiet, if consistent): no first touch of a page"],
    ),
    (
        "placed",
        &[
            "cpu=same: actors.cpus = 1: both actors were on one CPU",
            "cpu=other|sibling|node: actors.cpus = 2: each actor was on a CPU of its own",
        ],
    ),
    (
        "idle states",
        &[
            "idle=busy|polling: idle.halted 0..0.1 (quiet): the actors' CPUs did not halt while they waited",
            "idle=busy: idle.spun 0.01..1.05 (noise): each CPU ran its spinning task while its actor waited",
            "idle=polling: idle.polled 0.1..1.05 (noise): the idle loops polled while the actors waited",
        ],
    ),
    // Distinguishes threads and processes.
    ("threads", &["actors.processes = 1: the actors were threads of one process"]),
    ("processes(n)", &["actors.processes = {n}: the actors were {n} processes"]),
];
