//! Calls on tasks by several CPUs.

use super::{SCALING, points};
use measure::Operation;

/// Calls on the calling task, and new tasks.
pub static TASK: Operation = Operation {
    id: "scaling.task",
    title: "call on a task by an actor on each CPU",
    method: "As scaling.file. getppid: the control, which shares nothing but the kernel's code; sched_yield: with no other task on \
             the CPU; signal: kill of the own process and its handler; fork: fork, exit and wait; thread: pthread_create, exit \
             and pthread_join. object=shared: threads of one process.",
    sources: &[
        ("will-it-scale", "getppid1, sched_yield, signal1 (raise)"),
        ("lmbench", "lat_proc -P: processes that run side by side, with the median of their times"),
    ],
    points: points!(
        quick "getppid", own "getppid|sched_yield|signal|fork|thread", shared "getppid|thread",
        "profile=thorough: call=sched_yield object=shared tasks=threads cpus=2|4|8|16|32|64|128|256|512|1024|all"
    ),
    predict: &[
        "call=getppid: let t0 alone = whole(1, {counted[syscall.getppid method=raw]})",
        "call=getppid: let t1 alone = [syscall.getppid method=raw]",
        "call=sched_yield: let t0 alone = whole(1, {counted[syscall.sched_yield]})",
        "call=sched_yield: let t1 alone = [syscall.sched_yield]",
        "call=signal: let t0 alone = whole(2, {counted[signal.deliver.self]}) + 600 cycles (×1.6: vector registers and IRET, as \
         signal.deliver.self) × cycle_ns",
        "call=signal: let t1 alone = [signal.deliver.self]",
        "call=fork: let t0 alone = 3 × entry × cycle_ns + small_process",
        "call=fork: let t1 alone = [process.create.fork_wait resident=0B]",
        "call=thread: let t0 alone = 45000 cycles (×1.8: 7 to 19 µs for create and join in libMicro, osbench and UnixBench) × \
         cycle_ns",
        "call=thread: let t1 alone = [thread.create.join]",
        "let t1 one = [scaling.task call={call} object=own tasks=processes cpus=1]",
        "operation of each CPU",
        "call=getppid|sched_yield: let lines = 0 (×1: nothing that is shared is written)",
        "call=thread: let lines = 12 (×1.8: the lists of the process's threads, its counts, and the lock of its signals)",
        "call=getppid|sched_yield|thread: lines of a shared object",
    ],
    evidence: &[
        "answers = 1: every call gave the number that it must, and every child and thread ran and ended",
        "call=getppid: calls: getppid 1",
        "call=sched_yield: calls: sched_yield 1",
        "call=signal: calls: kill 1, rt_sigreturn 1",
        "call=fork: calls: clone 1, wait4 1, exit_group 1",
        "call=thread: a thread",
        "actors on their CPUs",
    ],
    bounds: &["floor"],
    ..SCALING
};
