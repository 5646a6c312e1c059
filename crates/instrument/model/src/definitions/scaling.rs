//! One operation on several CPUs: on an object of each actor, or on one of all.

use super::group::Group;

pub const FORMULAS: &[&str] = &[
    // A task that makes `calls` system calls and executes this number of instructions.
    "t0 whole(calls, instructions) = {calls} × (entry + dispatch) × cycle_ns \
     + kernel({instructions - calls * counted[syscall.floor]})",
    // One way of a cache line that another CPU has written.
    "t0 line_transfer = 1.5 (×1.5: L3 finds the line in the other core and requests it) × family.l3_cycles × cycle_ns",
    "t1 line_transfer = 0.5 × [ipc.cache_line.round_trip cpu=other method=cas]",
];

pub const TERMS: &[Group] = &[
    (
        // A card names `alone`, the operation by one task, and in T1 `one`, the point of one CPU.
        "operation of each CPU",
        &[
            "cpus=1: software the operation by one task = alone",
            "cpus!=1: software t0 the operation by one task = alone",
            "cpus!=1: software t1 the operation on one CPU = one",
        ],
    ),
    (
        // A card names `lines`, the transfers of an operation on a shared object.
        "lines of a shared object",
        &[
            "object=shared cpus!=1|all: hardware lines of the object, to the other CPUs = {cpus - 1} × lines × line_transfer",
            "object=shared cpus=all: hardware lines of the object, to the other CPUs = (cpus.allowed − 1) × lines × \
             line_transfer",
        ],
    ),
    (
        // Atomic operations that take less time than a line does on its way: the CPU that has the line goes on until the request of
        // another one arrives, and then nobody has it until it has arrived there.
        "line of short operations",
        &[
            "object=shared cpus!=1|all: hardware the others have the line, or it is on its way = {2 * cpus - 1} (×1.5: on its way \
             for half of the time) × alone",
            "object=shared cpus=all: hardware the others have the line, or it is on its way = 2 (×1.5: on its way for half of the \
             time) × cpus.allowed × alone",
        ],
    ),
    (
        // A card names `serial`, the part of an operation that one CPU does at a time.
        "lock of a shared object",
        &[
            "object=shared cpus!=1|all: software what the other CPUs do under the lock = {cpus - 1} × serial",
            "object=shared cpus=all: software what the other CPUs do under the lock = (cpus.allowed − 1) × serial",
        ],
    ),
];

pub const EVIDENCE: &[Group] = &[(
    "actors on their CPUs",
    &[
        "linear",
        "undisturbed",
        "cpus!=1: cpus.working = 1: every actor did a part of the operations",
        "cpus!=1|all: actors.cpus = {cpus}: each actor was on a CPU of its own",
        "cpus!=1 tasks=threads: threads",
        "cpus!=1|all tasks=processes: processes({cpus})",
    ],
)];
