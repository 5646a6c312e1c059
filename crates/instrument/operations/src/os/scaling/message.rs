//! Messages to oneself, by several CPUs.

use super::{SCALING, points};
use measure::Operation;

/// A message that its sender takes again, on one object or on one each.
pub static MESSAGE: Operation = Operation {
    id: "scaling.message",
    title: "message to oneself by an actor on each CPU",
    method: "As scaling.file. eventfd: add 1 and take 1 (EFD_SEMAPHORE); pipe, unix: write and read a byte; futex: FUTEX_WAKE \
             without a waiter and FUTEX_WAIT for another value, on shared memory; semaphore: sem_post and sem_wait. \
             object=shared: an actor may take the message of another, and never waits for long, because its own is there or \
             was taken instead of another.",
    sources: &[
        (
            "will-it-scale",
            "eventfd1, pipe1, unix1, posix_semaphore1, each with an object of its own; futex1 to 4: one of the two calls; calls \
             per second, without an interval",
        ),
        (
            "perf bench",
            "futex hash: FUTEX_WAIT for another value on 1024 words of each thread, whose buckets may collide",
        ),
    ],
    points: points!(
        quick "eventfd", own "eventfd|pipe|unix|futex|semaphore", shared "eventfd|pipe|unix|futex|semaphore",
        "profile=thorough: call=eventfd|pipe|unix|futex|semaphore object=shared tasks=processes \
         cpus=2|4|8|16|32|64|128|256|512|1024|all; call=eventfd|pipe|unix|futex object=own tasks=threads \
         cpus=2|4|8|16|32|64|128|256|512|1024|all"
    ),
    predict: &[
        "call=eventfd|pipe|unix|futex: let t0 alone = whole(2, {counted[syscall.{call}.self]})",
        "call=eventfd|pipe|unix|futex: let t1 alone = [syscall.{call}.self]",
        "call=semaphore: let alone = path(40, 2) (×1.5: two calls through the linkage table, a load and a compare-and-swap in \
         each) × cycle_ns",
        "let t1 one = [scaling.message call={call} object=own tasks=processes cpus=1]",
        "operation of each CPU",
        "call=eventfd: let lines = 5 (×1.5: in each call the reference of the file and the lock of the counter)",
        "call=pipe: let lines = 6 (×1.5: in each call the reference of the file, the lock of the pipe, its ring)",
        "call=pipe: let serial = 0.5 (×1.5: what is under the lock of the pipe, of both calls) × alone",
        "call=unix: let lines = 9 (×1.6: references, locks and queue of the sockets, and their counts of bytes)",
        "call=futex: let lines = 5 (×1.6: the reference of the page in each call, and the bucket of the hash table)",
        "call!=semaphore: lines of a shared object",
        "call=semaphore: line of short operations",
        "call=pipe: lock of a shared object",
    ],
    evidence: &[
        "answers = 1: every message was taken, and every wait ended as it must",
        "call=eventfd|pipe: calls: write 1, read 1",
        "call=unix: calls: write 1, read 1",
        "call=futex: calls: futex 2",
        "call=semaphore object=own: calls: none",
        "actors on their CPUs",
    ],
    bounds: &[
        "call!=semaphore: floors(2)",
        "call=semaphore: > 4 cycles × cycle_ns: two atomic operations take two cycles each on any core",
    ],
    ..SCALING
};
