//! Calls by more actors than CPUs.

use super::{SCALING, needs};
use measure::{How, Operation, Rehearse, takes};
use record::Gate;
use workloads::os::scaling::many::{Many, run};

/// Several actors on each CPU.
pub static ACTORS: Operation = Operation {
    id: "scaling.actors",
    title: "call by several actors on each CPU",
    one_iteration: "one call for each CPU by any of its actors=: time per call and CPU, which stays the same where actors neither wait \
                    for each other nor cost anything by being there",
    method: "actors= processes or threads, pinned to each CPU, make the call of scaling.file, scaling.memory or scaling.task from the \
             start to the end of a trial. The worker sleeps; it reads how many calls each actor has made at the begin and at the end of a \
             window of 15 ms for each actor of a CPU, which goes on until every actor has made some. Values are three windows: their \
             length, times the CPUs, divided by the calls of all.",
    confounds: "The actors of a CPU run one after the other: the window says that each of them had a part of it, not that they ran at the \
                same time. Other programs and guests take time from all of them, and no batch is set aside for it. A task that has a \
                lock may lose its CPU to one that wants it.",
    sources: &[
        (
            "will-it-scale",
            "-t more than the CPUs: pinned one after the other, calls per second, without evidence that each had a CPU",
        ),
        ("lmbench", "-P n: processes that the scheduler places, with the median of their times"),
        ("sysbench", "threads --threads more than the CPUs: yields under a mutex, events per second"),
    ],
    points: &[
        "profile=quick: call=getppid object=own tasks=processes cpus=1 actors=1|4",
        "profile=standard: call=getppid object=own tasks=processes cpus=1|2|4|16|64|256|all actors=1|4",
        "profile=standard: call=read|add object=own tasks=processes cpus=1 actors=1",
        "profile=standard: call=read|add object=shared tasks=threads cpus=2|4|16|64|256|all actors=1|4",
        "profile=thorough: call=getppid object=own tasks=processes cpus=1|2|4|8|16|32|64|128|256|512|1024|all actors=1|2|4",
        "profile=thorough: call=read|mmap|add object=own tasks=processes cpus=1 actors=1|2|4",
        "profile=thorough: call=read|mmap|add object=shared tasks=threads cpus=2|4|8|16|32|64|128|256|512|1024|all actors=1|2|4",
    ],
    parameters: takes::<Many>,
    gate: Gate { cpu_share: None, involuntary: false, ..Operation::GATE },
    gate_of: None,
    rehearse: Rehearse::Calls,
    needs,
    predict: &[
        "call=getppid: let t0 alone = whole(1, {counted[syscall.getppid method=raw]})",
        "call=read: let t0 alone = (entry + dispatch + path(220, 2) (×1.6: descriptor, position, length of the file)) × cycle_ns",
        "call=mmap: let t0 alone = whole(2, {counted[mapping.mmap_munmap bytes=4KiB]})",
        "call=add: let t0 alone = 12 cycles (×1.8: one locked addition: 7 cycles on Zen 3 and 4, 18 to 20 on Intel cores (Agner Fog)) × cycle_ns",
        "software t0 the operation by one task = alone",
        "call=read: let lines = 4 (×1.5: the lock of the position and the count of references, each taken and given back)",
        "call=mmap: let lines = 4 (×1.5: the lock of the address space and its tree of areas, in each call)",
        "call=read: let serial = 0.7 (×1.4: what is under the lock of the position, of the whole call) × alone",
        "call=mmap: let serial = 0.7 (×1.4: what is under the lock of the address space, of both calls) × alone",
        "call=read|mmap: t0 lines of a shared object",
        "call=read|mmap: t0 lock of a shared object",
        "call=add: t0 line of short operations",
        "call=getppid actors=1: software t1 the same in batches = [scaling.task call={call} object={object} tasks={tasks} cpus={cpus}]",
        "call=read actors=1: software t1 the same in batches = [scaling.file call={call} object={object} tasks={tasks} cpus={cpus}]",
        "call=mmap|add actors=1: software t1 the same in batches = [scaling.memory call={call} object={object} tasks={tasks} cpus={cpus}]",
        "actors!=1: software t1 the same by one actor on each CPU = \
         [scaling.actors call={call} object={object} tasks={tasks} cpus={cpus} actors=1] \
         × 1 (×1.2: a switch in each slice, and caches that actors share)",
    ],
    evidence: &[
        "answers = 1: every call gave what it must",
        "tasks.working = 1: every actor made calls in every window",
        "call=getppid: calls: getppid 1",
        "call=read: calls: read 1",
        "call=mmap: calls: mmap 1, munmap 1",
        "call=add: calls: none",
        "cpus!=all: actors.cpus = {cpus}: each CPU had actors, and no other one",
        "tasks=threads: threads",
        "cpus!=all tasks=processes: actors.processes = {cpus * actors + 1}: every actor was a process beside the one that reads",
    ],
    bounds: &[
        "call=getppid|read: floor",
        "call=mmap: floors(2)",
        "call=add: > 1 cycles × cycle_ns: an operation on memory takes a cycle on any core",
    ],
    run,
    how: How::Values,
    ..SCALING
};
